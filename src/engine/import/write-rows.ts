// Writes a batch of rows in a unit of work, like the batch operation: for rows that must first find out whether a record
// exists, a value is taken, or which records they are linked to.
import { idAt } from '../../base/id.ts';
import type { Json } from '../../base/json.ts';
import { Problem, problemOf, refusalOf } from '../../base/problem.ts';
import type { Changes } from '../../schema/check-values.ts';
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { LostRace } from '../groups/lost-race.ts';
import { applyChanges, refuseFixed, refuseTooLarge } from '../rules/apply-changes.ts';
import { giveIds, refuseTakenIds } from '../rules/external-ids.ts';
import { type Lookups, preload, preloadLinks } from '../rules/preload.ts';
import { resolveLinks } from '../rules/resolve-links.ts';
import { beginsInStage, initialLinks } from '../rules/stage.ts';
import { refuseTaken } from '../rules/unique-values.ts';
import { findMatch, matchKeys } from '../rules/upsert.ts';
import { createAsGiven, updateRecord } from '../rules/write.ts';
import { type Draft, newDraft, type Properties, print, printedOf } from '../unit/draft.ts';
import type { PlacedLink, ResolvedLink } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import { matchByExternalId } from './column-use.ts';
import { eachOnce, type FoundTargets, LinkTargets } from './link-targets.ts';
import { type BatchOutcome, Outcome } from './outcome.ts';
import type { ImportedItem, ImportedRow, RowForm } from './read-row.ts';

/** Loads everything that the rows need, in a few statements. */
export async function loadRows(unit: Unit, form: RowForm, rows: readonly ImportedRow[]): Promise<LinkTargets> {
  const { type, match } = form;
  const items = rows.flatMap(({ item }) => (item instanceof Problem ? [] : [item]));
  const named = items.flatMap(({ external }) => external ?? []);
  await unit.externalIds.load(named);
  const matched = match === matchByExternalId ? named.flatMap((name) => unit.externalIds.liveRecordOf(name) ?? []) : [];
  await preload(unit, [{ type, records: matched }, ...items.map((item) => lookupsOf(type, item, match))]);
  // A refusal names the record that holds the value.
  const wanted = items.flatMap(({ changes }) => uniqueKeys(type, Object.fromEntries(changes)));
  const holders = unit.holders.loaded(wanted.map((key) => ({ ...key, typeId: type.id })));
  await unit.records.loadLive(
    [type.id],
    holders.map(({ id }) => id),
  );
  const targets = new LinkTargets(unit, form.links);
  if (form.links.length === 0) return targets;
  await targets.load(items.map((item) => item.targets));
  const links: Lookups[] = [];
  for (const item of items) links.push(await linkLookups(unit, form, item, targets));
  await preloadLinks(unit, links);
  return targets;
}

/** The links that the row will make, each with its source if that exists already. */
async function linkLookups(unit: Unit, form: RowForm, item: ImportedItem, targets: LinkTargets): Promise<Lookups> {
  const { type, match } = form;
  const found = await targets.find(item.targets).catch(refusalOf);
  if (found instanceof Problem || match === undefined)
    return { type, links: found instanceof Problem ? [] : found.links };
  const source = matchedRecord(unit, type, item, match);
  return { type, links: found.links.map((link) => (source === undefined ? link : { ...link, source })) };
}

/** The record that the row will update, as far as it is known ahead. */
function matchedRecord(unit: Unit, type: ObjectType, item: ImportedItem, match: string): string | undefined {
  if (match === matchByExternalId) return item.external && unit.externalIds.liveRecordOf(item.external);
  const keys = matchKeys(type, match, matchedValue(type, item.changes, match));
  return unit.holders.loaded(keys.map((key) => ({ ...key, typeId: type.id })))[0]?.id;
}

/** A row that finds a record by the match property updates it; all others create one. */
export async function writeRows(
  unit: Unit,
  form: RowForm,
  rows: readonly ImportedRow[],
  targets: LinkTargets,
): Promise<BatchOutcome> {
  const outcome = new Outcome();
  for (const { row, item } of rows) {
    if (item instanceof Problem) {
      outcome.refused(row, item);
      continue;
    }
    const written = await writeItem(unit, form, item, { targets, line: row.line }).catch(refusalOf);
    if (written instanceof Problem) outcome.refused(row, written);
    else {
      outcome.taken(row, written.as, item.dropped);
      outcome.links(written);
    }
  }
  return outcome.end();
}

function lookupsOf(type: ObjectType, { changes, external }: ImportedItem, match: string | undefined): Lookups {
  const externalIds = external === undefined ? [] : [external];
  if (match === undefined || match === matchByExternalId) return { type, claims: changes, externalIds };
  return { type, claims: changes, externalIds, matches: matchKeys(type, match, matchedValue(type, changes, match)) };
}

function matchedValue(type: ObjectType, changes: Changes, match: string): Json {
  return changes.get(type.properties.get(match)?.key ?? match) as Json;
}

interface Written extends Pick<BatchOutcome, 'linked' | 'unlinked' | 'targetsCreated'> {
  readonly as: 'created' | 'updated' | 'unchanged';
}

interface RowPlace {
  readonly targets: LinkTargets;
  readonly line: number;
}

/** By the rules of the operations create and upsert. */
async function writeItem(unit: Unit, form: RowForm, item: ImportedItem, place: RowPlace): Promise<Written> {
  const { type } = form;
  const { changes, missing, external } = item;
  const existing = await findExisting(unit, form, item);
  if (existing === undefined && missing.length > 0) throw problemOf('validation_failed', missing);
  const found = await place.targets.find(item.targets);
  if (existing === undefined) return createRow(unit, form, item, place, found);
  const { version } = existing;
  const given = external === undefined ? [] : [external];
  await refuseTakenIds(unit, type, given, existing.id, '');
  await refuseBeforeCreating(unit, existing, applyChanges(existing.properties, changes), place.targets, found);
  const { links, targetsCreated } = await linksOf(unit, form, place.targets, found);
  const { effects } = await updateRecord(unit, existing, changes, links, '');
  giveIds(unit, given, existing.id);
  place.targets.note(existing);
  const isSame = existing.version === version && effects.length === 0;
  return { as: isSame ? 'unchanged' : 'updated', linked: effects.length, unlinked: found.skipped, targetsCreated };
}

/** The record that the row updates, locked; undefined if it creates one. */
async function findExisting(
  unit: Unit,
  { type, match }: RowForm,
  { changes, external }: ImportedItem,
): Promise<Draft | undefined> {
  if (match === undefined) return undefined;
  if (match !== matchByExternalId) return findMatch(unit, type, match, matchedValue(type, changes, match), '');
  const id = external && unit.externalIds.liveRecordOf(external);
  const found = id === undefined ? undefined : await unit.records.lock(type, id);
  // It was deleted while its lock was waited for, so the id names nothing that is live.
  if (id !== undefined && found === undefined) throw new LostRace();
  return found;
}

async function createRow(
  unit: Unit,
  { type, initialStage, ...form }: RowForm,
  { changes, createdAtMs, external }: ImportedItem,
  { targets, line }: RowPlace,
  found: FoundTargets,
): Promise<Written> {
  const given = external === undefined ? [] : [external];
  const id = createdAtMs === undefined ? unit.call.session.ids.next() : idAt(createdAtMs, line);
  const wanted = newDraft(type, id, changes);
  refuseTooLarge(printedOf(wanted), '');
  await refuseTakenIds(unit, type, given, undefined, '');
  await refuseBeforeCreating(unit, wanted, wanted.properties, targets, found);
  const { links: named, targetsCreated } = await linksOf(unit, { type, initialStage, ...form }, targets, found);
  const begins = initialStage === 'first' && beginsInStage(unit.call.session, type);
  const links = begins ? [...named, ...(await initialLinks(unit, type, named))] : named;
  const draft = await createAsGiven(unit, { type, id, changes, links }, '');
  giveIds(unit, given, draft.id);
  targets.note(draft);
  return { as: 'created', linked: named.length, unlinked: found.skipped, targetsCreated };
}

/** A refused row leaves no record behind that was created for it, so everything that can refuse it is checked before. */
async function refuseBeforeCreating(
  unit: Unit,
  draft: Draft,
  wanted: Properties,
  targets: LinkTargets,
  { toCreate }: FoundTargets,
): Promise<void> {
  if (toCreate.length === 0) return;
  const { type, id } = draft;
  refuseFixed(draft, wanted, '');
  refuseTooLarge(print(wanted), '');
  const keys = uniqueKeys(type, wanted);
  await refuseTaken(unit, type, keys, id, wanted, '');
  targets.refuseClaiming(type, keys, toCreate);
}

interface RowLinks extends Pick<BatchOutcome, 'targetsCreated'> {
  readonly links: readonly ResolvedLink[];
}

async function linksOf(
  unit: Unit,
  { type }: RowForm,
  targets: LinkTargets,
  { links, toCreate }: FoundTargets,
): Promise<RowLinks> {
  const created: PlacedLink[] = [];
  let targetsCreated = 0;
  for (const each of toCreate) {
    const { link, isNew } = await targets.create(each);
    created.push(link);
    if (isNew) targetsCreated++;
  }
  return { links: eachOnce(await resolveLinks(unit, type, [...links, ...created])), targetsCreated };
}
