// The trash for operators: lists it, restores a record by the rules of the API, and purges records before their time.

import { shorten } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import { isId } from '../../base/id.ts';
import { Problem } from '../../base/problem.ts';
import { isGoverned, type ObjectType } from '../../schema/object-type.ts';
import { definitionTypeIds } from '../../schema/roles/platform.ts';
import { addStorage } from '../../store/org/storage.ts';
import { listTrash, locateRecord, purgeSelected } from '../../store/records/trash.ts';
import { purgeDefinitions } from '../platform/definitions/purge-definitions.ts';
import type { Job } from '../platform/jobs.ts';
import { notePurge } from '../platform/note-in-audit.ts';
import type { CommandEngine } from '../process/call.ts';
import { requireRoom, systemCall } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import { preload } from '../rules/preload.ts';
import { restoreRecord } from '../rules/write.ts';
import { transact } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { asJob } from './jobs.ts';
import { requireKnown, requireType, typeNumbered } from './require-type.ts';

/** A part of the trash of an org; without a type, that of all types. */
interface TrashPlace {
  readonly orgId: number;
  readonly typeName: string | undefined;
}

interface TrashEntry {
  readonly id: string;
  readonly type: ObjectType;
  readonly title: string | null;
  readonly deletedAt: Date;
}

/** The last deleted come first, at most `limit` of them. */
export async function readTrash(
  engine: CommandEngine,
  place: TrashPlace,
  limit: number,
): Promise<readonly TrashEntry[]> {
  const { known, types } = await typesIn(engine, place);
  const titled = types.map(({ id, titleProperty, properties }) => ({
    typeId: id,
    title: properties.get(titleProperty ?? '')?.key ?? null,
  }));
  const found = await listTrash(engine.database, place.orgId, titled, limit);
  return found.map(({ typeId, ...rest }) => ({ ...rest, type: typeNumbered(known, typeId) }));
}

interface Restored {
  readonly type: ObjectType;
  readonly id: string;
  readonly version: string;
  /** False for a record that is live. */
  readonly restored: boolean;
}

/** Restores a record with its links and stages, and adds an entry to the change feed. */
export async function restoreFromTrash(engine: CommandEngine, place: TrashPlace, id: string): Promise<Restored> {
  const { known, type, place: where } = await locate(engine, place, id);
  const work = async (unit: Unit): Promise<Restored> => {
    if (isGoverned(type)) await unit.govern();
    await preload(unit, [{ type, trashed: [id], stages: true }]);
    const trashed = await unit.records.lockTrashed(type, id);
    if (trashed !== undefined) await restoreRecord(unit, trashed, '');
    // It may have been restored or purged since it was located.
    const draft = trashed ?? (await unit.records.lock(type, id));
    if (draft === undefined) throw noRecord(place, id);
    return { type, id, version: String(draft.version), restored: trashed !== undefined };
  };
  try {
    if (where === 'trash') await requireRoom(engine, known);
    return await transact(systemCall(engine, known), work, 'looked_up');
  } catch (error) {
    throw refused(error, type, id);
  }
}

interface PurgeRequest extends TrashPlace {
  readonly id: string | undefined;
  readonly olderThanSeconds: number | undefined;
}

/** Removes records for good, with everything that belongs to them, in bounded steps; returns how many. */
export async function purgeFromTrash(
  engine: CommandEngine,
  { id, olderThanSeconds, ...place }: PurgeRequest,
): Promise<number> {
  const types = id === undefined ? (await typesIn(engine, place)).types : [await trashedType(engine, place, id)];
  const typeIds = types.map((type) => type.id).filter((typeId) => !definitionTypeIds.includes(typeId));
  const deletedBefore = new Date(engine.clock.nowMs() - (olderThanSeconds ?? 0) * 1_000);
  const selection = {
    typeIds,
    ...(id === undefined ? {} : { id }),
    ...(olderThanSeconds === undefined ? {} : { deletedBefore }),
  };
  const { orgId } = place;
  const run = async (job: Pick<Job, 'show'>): Promise<number> => {
    const only = id === undefined ? {} : { id };
    const isDefinition = typeIds.length < types.length;
    let count = isDefinition ? await purgeDefinitions(engine, orgId, { deletedBefore, ...only }) : 0;
    if (typeIds.length === 0 && id !== undefined && count === 0) throw unsettled();
    // Ends, because each step removes records.
    for (let more = true; more; ) {
      const step = await engine.database.transaction(async (transaction) => {
        const purged = await purgeSelected(transaction, orgId, selection);
        await notePurge(engine, transaction, orgId, purged.records);
        return purged;
      });
      if (step.bytes !== 0) await addStorage(engine.database, orgId, -step.bytes);
      count += step.records;
      job.show({ done: count });
      more = step.more;
    }
    return count;
  };
  return asJob(engine, { orgId, kind: 'purge' }, run, (count) => ({ done: count, total: count }));
}

function unsettled(): Failure {
  const sentence =
    'The definition is in use, or was deleted less than two minutes ago and other processes may still write its values.';
  return new Failure('rows_refused', sentence, 'Purge it again in two minutes.');
}

async function trashedType(engine: CommandEngine, place: TrashPlace, id: string): Promise<ObjectType> {
  const located = await locate(engine, place, id);
  if (located.place === 'trash') return located.type;
  const sentence = `Record ${id} of ${located.type.name} is live, not in the trash.`;
  throw new Failure('not_found', sentence, 'Delete it with the API first.');
}

interface Located {
  readonly known: KnownOrg;
  readonly type: ObjectType;
  readonly place: 'live' | 'trash';
}

async function locate(engine: CommandEngine, place: TrashPlace, id: string): Promise<Located> {
  const { known, types } = await typesIn(engine, place);
  const typeIds = types.map((type) => type.id);
  const found = isId(id) ? await locateRecord(engine.database, place.orgId, typeIds, id) : undefined;
  if (found === undefined) throw noRecord(place, id);
  return { known, type: typeNumbered(known, found.typeId), place: found.place };
}

async function typesIn(
  engine: CommandEngine,
  { orgId, typeName }: TrashPlace,
): Promise<{ readonly known: KnownOrg; readonly types: readonly ObjectType[] }> {
  const known = await requireKnown(engine, orgId);
  return { known, types: typeName === undefined ? [...known.typesById.values()] : [requireType(known, typeName)] };
}

function noRecord({ orgId, typeName }: TrashPlace, id: string): Failure {
  const whose = typeName === undefined ? `Org ${orgId}` : `${typeName} of org ${orgId}`;
  const sentence = `${whose} has no record ${JSON.stringify(shorten(id, 64))}, neither live nor in the trash.`;
  return new Failure('not_found', sentence, `See "orrery trash list --org ${orgId}".`);
}

/** Names the record that holds a unique value of the one to restore. */
function refused(error: unknown, type: ObjectType, id: string): unknown {
  if (error instanceof Problem && error.reason === 'storage_quota') {
    return new Failure('storage_quota', error.message, 'Then restore the record.', error);
  }
  if (!(error instanceof Problem) || error.reason !== 'unique_value_taken') return error;
  const { property, existingId: holder } = error.conflict ?? {};
  const sentence = `Record ${id} cannot be restored: record ${holder} of ${type.name} has the same ${property}.`;
  const fix = 'Change or delete that record with the API, then restore this one.';
  return new Failure('rows_refused', sentence, fix, error);
}
