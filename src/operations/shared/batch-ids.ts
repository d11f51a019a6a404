// The records that items of a batch name: by their ids, by the refs of earlier items, or by a unique value.
import { isId } from '../../base/id.ts';
import { type Fault, problemOf } from '../../base/problem.ts';
import type { Session } from '../../engine/process/session.ts';
import { recordUnknown, unknownByValue } from '../../engine/read/records.ts';
import { lockByValue } from '../../engine/rules/named-by-value.ts';
import type { LinkLookup, Lookups } from '../../engine/rules/preload.ts';
import { resolveLink } from '../../engine/rules/resolve-links.ts';
import type { Draft } from '../../engine/unit/draft.ts';
import type { PlacedLink } from '../../engine/unit/link-effect.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import { FaultList } from '../../query/fault-list.ts';
import { type Named, type NamedByValue, parseMatch, parseTargetMatch } from '../../query/match.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Refs } from './batch-item.ts';

/** As an item has it. */
export type SentId = string | { readonly ref: string } | { readonly match: Readonly<Record<string, unknown>> };

/** The same, once a value has been checked. */
type ItemId = Named | { readonly ref: string };

export interface SentLink {
  readonly association_type: string;
  readonly target_id: SentId;
}

/** A link of an item. */
interface ItemLink {
  readonly associationType: string;
  readonly target: ItemId;
}

/** The record of the item itself. Throws if it is named by something that is no unique property. */
export function parseId(type: ObjectType, sent: SentId, pointer: string): ItemId {
  if (!isMatch(sent)) return sent;
  const faults = new FaultList();
  const named = parseMatch([type], sent.match, `${pointer}/match`, faults);
  if (named === undefined) throw problemOf('invalid_request', faults.list);
  return named;
}

/** The links of an item. Throws one problem for all targets that are named by something that is no unique property. */
export function parseLinks(
  { catalog }: Session,
  type: ObjectType,
  sent: readonly SentLink[],
  pointerOf: (index: number) => string,
  most?: number,
): readonly ItemLink[] {
  const faults = new FaultList();
  const links = sent.flatMap(({ association_type: associationType, target_id: targetId }, index): ItemLink[] => {
    if (!isMatch(targetId)) return [{ associationType, target: targetId }];
    const pointer = `${pointerOf(index)}/target_id/match`;
    const target = parseTargetMatch(catalog, type, associationType, targetId.match, pointer, faults);
    return target === undefined ? [] : [{ associationType, target }];
  });
  if (links.length < sent.length) throw problemOf('invalid_request', faults.list, most);
  return links;
}

function isMatch(sent: SentId): sent is Exclude<SentId, string | { readonly ref: string }> {
  return typeof sent !== 'string' && 'match' in sent;
}

function isRef(id: ItemId): id is { readonly ref: string } {
  return typeof id !== 'string' && 'ref' in id;
}

/** What is looked up for the records of an item. A record that the batch itself creates need not be. */
export function idLookups(...ids: readonly ItemId[]): Required<Pick<Lookups, 'records' | 'matches'>> {
  return {
    records: ids.filter((id) => typeof id === 'string'),
    matches: ids.flatMap((id) => (typeof id === 'string' || isRef(id) ? [] : id.values)),
  };
}

export function linkLookup({ associationType, target }: ItemLink, source?: ItemId): readonly LinkLookup[] {
  if (isRef(target)) return [];
  return [{ associationType, target, ...(source === undefined || isRef(source) ? {} : { source }) }];
}

/** The id or the value that the item names its record by, with the ref of an earlier item replaced by its id. */
function namedBy(refs: Refs, id: ItemId, pointer: string): Named {
  const faults = refFaults(refs, id, pointer);
  if (faults.length > 0) throw problemOf('validation_failed', faults);
  return isRef(id) ? (refs.get(id.ref) ?? '') : id;
}

function refFaults(refs: Refs, id: ItemId, pointer: string): readonly Fault[] {
  if (!isRef(id) || refs.has(id.ref)) return [];
  const detail = `No earlier item with the ref ${JSON.stringify(id.ref)} succeeded.`;
  return [{ pointer, reason: 'unknown_ref', detail }];
}

/** The links of an item whose place is `at`, as the engine takes them. */
export function placedLinks(refs: Refs, links: readonly ItemLink[], at: string): readonly PlacedLink[] {
  const pointersOf = (index: number) => pointersAt(`${at}/associations/${index}`);
  const faults = links.flatMap(({ target }, index) => refFaults(refs, target, pointersOf(index).target));
  if (faults.length > 0) throw problemOf('validation_failed', faults);
  return links.map(({ associationType, target }, index) => {
    const pointers = pointersOf(index);
    return { associationType, target: namedBy(refs, target, pointers.target), pointers };
  });
}

function pointersAt(link: string) {
  return { link, associationType: `${link}/association_type`, target: `${link}/target_id` };
}

export function linkFrom(unit: Unit, type: ObjectType, refs: Refs, link: ItemLink, at: string) {
  const pointers = pointersAt(at);
  const target = namedBy(refs, link.target, pointers.target);
  return resolveLink(unit, type, { associationType: link.associationType, target }, pointers);
}

export async function liveRecord(
  unit: Unit,
  type: ObjectType,
  refs: Refs,
  id: ItemId,
  pointer: string,
): Promise<Draft> {
  const named = namedBy(refs, id, pointer);
  if (typeof named !== 'string') return recordByValue(unit, type, named, pointer);
  const draft = isId(named) ? await unit.records.lock(type, named) : undefined;
  if (draft === undefined) throw recordUnknown(type, named, pointer);
  return draft;
}

/** The id that the item names, or that of the live record that has the value: records in the trash have no unique values. */
export async function idFrom(unit: Unit, type: ObjectType, refs: Refs, id: ItemId, pointer: string): Promise<string> {
  const named = namedBy(refs, id, pointer);
  return typeof named === 'string' ? named : (await recordByValue(unit, type, named, pointer)).id;
}

async function recordByValue(unit: Unit, type: ObjectType, named: NamedByValue, pointer: string): Promise<Draft> {
  const draft = await lockByValue(unit, type, named);
  if (draft === undefined) throw unknownByValue(type, named.property, pointer);
  return draft;
}
