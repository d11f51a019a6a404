// Ingest writes the records of synced and generated types, and the few properties of other types that a connected system
// feeds. Each batch of lines is one transaction; a refused line leaves no trace, and a repeated line changes nothing.

import { shorten } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import type { Line } from '../../base/files/lines.ts';
import { isId } from '../../base/id.ts';
import { Problem, problemOf, refusalOf } from '../../base/problem.ts';
import type { Changes } from '../../schema/check-values.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { type IngestedType, ingestedType, ingestSource } from '../../schema/roles/ingested-type.ts';
import type { ExternalName } from '../../store/records/external-ids.ts';
import { requireOrg } from '../admin/orgs.ts';
import { requireType } from '../admin/require-type.ts';
import { type CommandEngine, requireRoom, systemCall } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import { applyChanges, refuseTooLarge } from '../rules/apply-changes.ts';
import { type Lookups, preload } from '../rules/preload.ts';
import { resolveLinks } from '../rules/resolve-links.ts';
import { findMatch, matchKeys } from '../rules/upsert.ts';
import { createRecord, restoreRecord, updateRecord } from '../rules/write.ts';
import { type Draft, print } from '../unit/draft.ts';
import type { ResolvedLink } from '../unit/link-effect.ts';
import { formerValues } from '../unit/long-values.ts';
import { transact } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { type ExternalItem, parseExternalLine, parseRecordLine, type RecordItem } from './line.ts';

interface Ingested {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refusals: readonly Refusal[];
}

export interface Refusal {
  readonly line: number;
  readonly problem: Problem;
}

/** Writes a batch of lines, apart from those that are refused. */
export type Ingest = (lines: readonly Line[]) => Promise<Ingested>;

/** Fails immediately if the org or the type does not exist, or if ingest does not take the type. */
export async function openIngest(engine: CommandEngine, orgId: number, typeName: string): Promise<Ingest> {
  await requireOrg(engine.database, orgId);
  await requireIngested(engine, orgId, typeName);
  return async (lines) => {
    // Looked up for every batch: the schema may grow while a long file is read.
    const { known, type, form } = await requireIngested(engine, orgId, typeName);
    await requireRoom(engine, known);
    const parsed = lines.map((line) => ({ number: line.number, item: parse(known, form, type, line) }));
    const work = (unit: Unit) => writeLines(unit, type, parsed);
    return transact(systemCall(engine, known), work, 'looked_up');
  };
}

interface Wanted {
  readonly known: KnownOrg;
  readonly type: ObjectType;
  readonly form: IngestedType;
}

async function requireIngested({ directory }: CommandEngine, orgId: number, typeName: string): Promise<Wanted> {
  const known = await directory.find(orgId);
  if (known === undefined) throw new TypeError(`Org ${orgId} no longer exists.`);
  const type = requireType(known, typeName);
  const form = ingestedType(type);
  if (form === undefined) {
    const taken = [...known.catalog.objectTypes.values()]
      .filter((each) => ingestedType(each) !== undefined)
      .map(({ name }) => name);
    const sentence = `Ingest does not take ${typeName}.`;
    const open = type.writableOperations.length > 0 ? 'Write its records with the API. ' : '';
    throw new Failure('usage', sentence, `${open}Ingest takes ${taken.join(', ')}.`);
  }
  return { known, type, form };
}

type Item = ExternalItem | RecordItem;

interface ParsedLine {
  readonly number: number;
  readonly item: Item | Problem;
}

function parse({ catalog }: KnownOrg, form: IngestedType, type: ObjectType, line: Line): Item | Problem {
  try {
    return form.namedBy === 'external_id' ? parseExternalLine(catalog, form, line) : parseRecordLine(form, type, line);
  } catch (error) {
    return refusalOf(error);
  }
}

async function writeLines(unit: Unit, type: ObjectType, lines: readonly ParsedLine[]): Promise<Ingested> {
  const items = lines.flatMap(({ item }) => (item instanceof Problem ? [] : [item]));
  await unit.externalIds.load(items.flatMap((item) => ('externalId' in item ? [nameOf(type, item)] : [])));
  await preload(
    unit,
    items.map((item) => lookupsOf(unit, type, item)),
  );
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const refusals: Refusal[] = [];
  for (const { number, item } of lines) {
    const outcome = item instanceof Problem ? item : await writeItem(unit, type, item).catch(refusalOf);
    if (outcome instanceof Problem) refusals.push({ line: number, problem: outcome });
    else counts[outcome]++;
  }
  return { ...counts, refusals };
}

/** The records and values that the item will look up, so that the whole batch is loaded together. */
function lookupsOf(unit: Unit, type: ObjectType, item: Item): Lookups {
  if ('externalId' in item) {
    const id = unit.externalIds.recordOf(nameOf(type, item));
    const source = id === undefined ? {} : { source: id };
    const links = item.links.map((link) => ({ ...link, ...source }));
    return { type, trashed: id === undefined ? [] : [id], claims: item.changes, links };
  }
  const { named, changes: claims } = item;
  if ('id' in named) return { type, records: [named.id], claims };
  return { type, matches: matchKeys(type, named.match, named.value), claims };
}

function nameOf({ id: typeId }: ObjectType, { externalId }: ExternalItem): ExternalName {
  return { typeId, source: ingestSource, externalId };
}

type Outcome = 'created' | 'updated' | 'unchanged';

async function writeItem(unit: Unit, type: ObjectType, item: Item): Promise<Outcome> {
  if (!('externalId' in item)) return update(unit, await requireNamed(unit, type, item.named), item.changes, []);
  const links = await resolveLinks(unit, type, item.links);
  const name = nameOf(type, item);
  const draft = await findExternal(unit, type, name);
  if (draft?.place === 'live') return update(unit, draft, item.changes, links);
  if (draft !== undefined) {
    await restoreChanged(unit, draft, item.changes, links);
    return 'updated';
  }
  if (item.missing.length > 0) throw problemOf('validation_failed', item.missing);
  const made = await createRecord(unit, type, item.changes, links, '');
  unit.externalIds.claim(name, made.id);
  return 'created';
}

async function update(
  unit: Unit,
  draft: Draft,
  changes: Changes,
  links: readonly ResolvedLink[],
): Promise<'updated' | 'unchanged'> {
  const { version } = draft;
  const { effects } = await updateRecord(unit, draft, changes, links, '');
  return draft.version === version && effects.length === 0 ? 'unchanged' : 'updated';
}

/** The record of the external id, live or in the trash. */
async function findExternal(unit: Unit, type: ObjectType, name: ExternalName): Promise<Draft | undefined> {
  const id = unit.externalIds.recordOf(name);
  if (id === undefined) return undefined;
  const draft = (await unit.records.lock(type, id)) ?? (await unit.records.lockTrashed(type, id));
  // It was purged from the trash meanwhile.
  if (draft === undefined) unit.externalIds.release(name);
  return draft;
}

/** Restores the record with its new values as one version, so that only these have to be free. */
async function restoreChanged(
  unit: Unit,
  draft: Draft,
  changes: Changes,
  links: readonly ResolvedLink[],
): Promise<void> {
  const former = draft.properties;
  const next = applyChanges(former, changes);
  refuseTooLarge(print(next), '');
  draft.properties = next;
  try {
    await restoreRecord(unit, draft, '');
  } catch (error) {
    draft.properties = former;
    throw error;
  }
  unit.noteFormer(draft, formerValues(former, next));
  await updateRecord(unit, draft, new Map(), links, '');
}

async function requireNamed(unit: Unit, type: ObjectType, named: RecordItem['named']): Promise<Draft> {
  if ('id' in named) {
    const draft = isId(named.id) ? await unit.records.lock(type, named.id) : undefined;
    if (draft !== undefined) return draft;
    throw recordUnknown(`There is no record ${JSON.stringify(shorten(named.id, 64))} of ${type.name}.`);
  }
  const draft = await findMatch(unit, type, named.match, named.value, '').catch(withoutPlace);
  if (draft !== undefined) return draft;
  throw recordUnknown(`There is no record of ${type.name} with this ${named.match}.`);
}

function recordUnknown(detail: string): Problem {
  return new Problem('not_found', 'record_unknown', detail);
}

/** Drops the pointer of the upsert operation: here the value is under `match`. */
function withoutPlace(error: unknown): never {
  throw error instanceof Problem ? new Problem(error.code, error.reason, error.message) : error;
}
