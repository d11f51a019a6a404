// Purges definitions from the trash. The values of a property are erased first, in bounded steps that anybody can repeat; then
// the schema forgets it, and its record goes. A process that still writes such values is given the time to learn that it is gone.
import { firstId } from '../../../base/id.ts';
import type { Json } from '../../../base/json.ts';
import { bounds } from '../../../base/limits.ts';
import { buildCatalog } from '../../../schema/custom/build-catalog.ts';
import {
  changeProperty,
  declaredType,
  type PlacedProperty,
  propertyOf,
  withoutDefinition,
} from '../../../schema/custom/change-schema.ts';
import type { CustomSchema, StoredProperty } from '../../../schema/custom/custom-schema.ts';
import { searchWords } from '../../../schema/indexing/search-words.ts';
import type { ObjectType } from '../../../schema/object-type.ts';
import { platformTypes } from '../../../schema/roles/platform.ts';
import type { Transaction } from '../../../store/database.ts';
import { findCustomSchema, saveCustomSchema } from '../../../store/org/custom-schemas.ts';
import { lockOrg } from '../../../store/org/orgs.ts';
import { raiseRevision } from '../../../store/org/revision.ts';
import { hasLinks, hasRecords } from '../../../store/org/schema-use.ts';
import type { RecordRef } from '../../../store/record-ref.ts';
import { eraseFromFeed, eraseFromRecords, eraseFromTrash, eraseRows } from '../../../store/records/erase-values.ts';
import { lockPurges, purgeRecords } from '../../../store/records/purge.ts';
import { findDueDefinitions } from '../../../store/records/trash.ts';
import type { WorkingEngine } from '../../process/call.ts';
import { beginJob } from '../jobs.ts';
import { notePurge } from '../note-in-audit.ts';

interface Due {
  readonly deletedBefore: Date;
  readonly id?: string;
}

/** Returns how many are gone. */
export async function purgeDefinitions(engine: WorkingEngine, orgId: number, due: Due): Promise<number> {
  const { id } = due;
  const settled = new Date(engine.clock.nowMs() - bounds.engine.definitionSettledMs);
  const before = due.deletedBefore < settled ? due.deletedBefore : settled;
  let count = 0;
  // Ends, because a round in which nothing goes is the last.
  for (let gone = 1; gone > 0; count += gone) {
    gone = 0;
    for (const ref of await findDueDefinitions(engine.database, orgId, before, id)) {
      const place = await markPurging(engine, orgId, ref);
      if (place !== undefined) await erase(engine, orgId, place);
      if (await forget(engine, orgId, ref)) gone++;
    }
  }
  return count;
}

/** The deleted property that the record defines. From now on it cannot come back: its values are erased step by step. */
function markPurging(engine: WorkingEngine, orgId: number, ref: RecordRef): Promise<ErasedPlace | undefined> {
  return engine.database.transaction(async (transaction) => {
    await lockOrg(transaction, orgId);
    const [due] = await findDueDefinitions(transaction, orgId, new Date(engine.clock.nowMs()), ref.id);
    const schema = await findCustomSchema(transaction, orgId);
    const place = due === undefined ? undefined : propertyOf(schema, ref.id);
    const type = place === undefined ? undefined : declaredType(schema, place.typeName);
    if (place === undefined || type === undefined || place.property.removed !== true) return undefined;
    await saveCustomSchema(transaction, orgId, changeProperty(schema, place, { purging: true }));
    await raiseRevision(transaction, orgId);
    return { ...place, typeId: type.id };
  });
}

interface ErasedPlace extends PlacedProperty {
  readonly typeId: number;
}

/** Records that are deleted or restored meanwhile can escape a pass over both places. */
const passesMost = 10;

/** Erases the values of a property, as a job. */
async function erase(engine: WorkingEngine, orgId: number, { typeId, typeName, property }: ErasedPlace): Promise<void> {
  const job = await beginJob(engine, { orgId, kind: 'erase', message: `${typeName}.${property.name}` });
  const { database } = engine;
  let steps = 0;
  const walk = async (step: typeof eraseFromRecords, first: string): Promise<boolean> => {
    let found = false;
    // Ends, because each step goes on behind the last.
    for (let after: string | undefined = first; after !== undefined; ) {
      const from: string = after;
      after = await database.transaction(async (transaction) => {
        const others = await typeWithout(transaction, orgId, typeName, property);
        const words = (values: Readonly<Record<string, Json>>) => searchWords(others, values).join(' ');
        return step(transaction, { ...erased, wordsOf: words }, from);
      });
      found ||= after !== undefined;
      job?.show({ done: ++steps });
    }
    return found;
  };
  const erased = {
    orgId,
    typeId,
    propertyId: property.id,
    key: property.key ?? property.name,
    columns: property.slot ?? [],
  };
  try {
    for (let pass = 0, found = true; found && pass < passesMost; pass++) {
      found = await walk(eraseFromTrash, firstId);
      found = (await walk(eraseFromRecords, firstId)) || found;
      found = (await walk(eraseFromTrash, firstId)) || found;
    }
    await walk(eraseFromFeed, '0');
    for (let more = true; more; ) more = await database.transaction((transaction) => eraseRows(transaction, erased));
    await job?.end({ state: 'done' });
  } catch (error) {
    await job?.end({ state: 'failed' });
    throw error;
  }
}

/** The type as it is now, without the property whose values are erased: others may have come. */
async function typeWithout(
  transaction: Transaction,
  orgId: number,
  typeName: string,
  { id }: StoredProperty,
): Promise<ObjectType> {
  const type = buildCatalog(await findCustomSchema(transaction, orgId)).objectTypes.get(typeName);
  if (type === undefined) throw new TypeError(`The schema lacks the type ${typeName}.`);
  return type.with({ removed: type.removed.filter((each) => each.id !== id) });
}

/** The schema forgets what the record defines, and the record goes; false if that must wait. */
function forget(engine: WorkingEngine, orgId: number, ref: RecordRef): Promise<boolean> {
  return engine.database.transaction(async (transaction) => {
    await lockOrg(transaction, orgId);
    await lockPurges(transaction, orgId);
    // It may have been restored meanwhile.
    const [due] = await findDueDefinitions(transaction, orgId, new Date(engine.clock.nowMs()), ref.id);
    if (due === undefined) return false;
    const schema = await findCustomSchema(transaction, orgId);
    if (await isUsed(transaction, orgId, schema, ref)) return false;
    await saveCustomSchema(transaction, orgId, withoutDefinition(schema, ref.id));
    await raiseRevision(transaction, orgId);
    // Definitions have few links: to what they belong to.
    for (let more = true; more; ) more = (await purgeRecords(transaction, orgId, [ref])).more;
    await notePurge(engine, transaction, orgId, 1);
    return true;
  });
}

/** Whether something would be left without it: records, links, or the property of an option. */
async function isUsed(
  transaction: Transaction,
  orgId: number,
  schema: CustomSchema,
  { typeId, id }: RecordRef,
): Promise<boolean> {
  const type = schema.object_types.find(({ record }) => record === id);
  if (type !== undefined) return hasRecords(transaction, orgId, type.id);
  const association = schema.association_types.find(({ record }) => record === id);
  if (association !== undefined) return hasLinks(transaction, orgId, association.id);
  if (typeId !== platformTypes.propertyOption) return false;
  const all = [
    ...schema.object_types.flatMap(({ properties }) => properties),
    ...Object.values(schema.properties).flat(),
  ];
  return all.some(({ options = [] }) => options.some(({ record }) => record === id));
}
