// Turns each item of a batch into work on the unit that all items share. An item is parsed once, before the transaction,
// and follows the same rules as a single operation.
import type { Static, TSchema } from 'typebox';
import { describe, shorten } from '../../../client/import/described.ts';
import { isId } from '../../base/id.ts';
import { isObject } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { nearest } from '../../base/nearest.ts';
import { type Problem, problemOf } from '../../base/problem.ts';
import { takeKeyMade } from '../../engine/platform/administration.ts';
import type { Session } from '../../engine/process/session.ts';
import { type ExternalName, giveIds, refuseTakenIds } from '../../engine/rules/external-ids.ts';
import { mergeRecords } from '../../engine/rules/merge.ts';
import type { Lookups } from '../../engine/rules/preload.ts';
import { resolveLinks } from '../../engine/rules/resolve-links.ts';
import {
  createRecord,
  deleteRecord,
  linkRecord,
  restoreRecord,
  unlinkRecord,
  updateRecord,
} from '../../engine/rules/write.ts';
import type { Draft } from '../../engine/unit/draft.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { itemShapes } from '../shapes/batch.ts';
import {
  idFrom,
  idLookups,
  linkFrom,
  linkLookup,
  liveRecord,
  parseId,
  parseLinks,
  placedLinks,
  type SentId,
  type SentLink,
} from './batch-ids.ts';
import { type ItemResult, type ParsedItem, type ParseItem, type UnpreparedItem, withShape } from './batch-item.ts';
import { runErase } from './erase-item.ts';
import { grantsOf, requireErase, requireGrant, requireMerge, requireObjectType } from './permit.ts';
import { parseChanges, parseNewValues } from './record-write.ts';
import { parseRevert } from './revert-item.ts';
import { matchFaults, parseUpsert, runUpsert } from './upsert.ts';

type Parse<Item> = (
  type: ObjectType,
  item: Item,
  at: string,
  most: number,
  session: Session,
) => Pick<ParsedItem, 'run'> & { readonly lookups: Lookups };

/** Parses the item at the place `at`. Throws one Problem for everything that is wrong with it, up to `most` faults. */
export function parseItem(
  session: Session,
  item: unknown,
  at: string,
  most: number = bounds.base.faultsReported,
): ParsedItem | UnpreparedItem {
  if (!isObject(item)) throw invalid(at, `Expected an operation as an object; got ${describe(item)}.`);
  const name = Object.hasOwn(item, 'operation') ? item['operation'] : undefined;
  const parse = typeof name === 'string' ? kinds.get(name) : undefined;
  if (parse === undefined) throw unknownOperation(name, at);
  return parse(session, item, at, most);
}

function kind<S extends TSchema>(schema: S, parse: Parse<Static<S> & ItemBase>): ParseItem<ParsedItem> {
  return withShape(schema, (session, item, at, most) => {
    const sound = item as Static<S> & ItemBase;
    const type = requireObjectType(session, sound.object_type);
    const { lookups, run } = parse(type, sound, at, most, session);
    return { ref: sound.ref, isCreate: sound.operation === 'create', records: 1, lookups: [lookups], run };
  });
}

interface ItemBase {
  readonly operation: string;
  readonly object_type: string;
  readonly ref?: string;
}

const kinds = new Map<string, ParseItem<ParsedItem | UnpreparedItem>>([
  [
    'create',
    kind(itemShapes.create, (type, { properties, associations = [], external_ids }, at, most, session) => {
      requireGrant(type, 'create', ...grantsOf(associations));
      const links = parseLinks(session, type, associations, (index) => `${at}/associations/${index}`, most);
      const changes = parseNewValues(type, { properties }, at, most);
      const externalIds = externalNames(type, external_ids);
      return {
        lookups: { type, claims: changes, externalIds, links: links.flatMap((link) => linkLookup(link)) },
        run: async (unit, refs) => {
          const resolved = links.length === 0 ? [] : await resolveLinks(unit, type, placedLinks(refs, links, at));
          await refuseTakenIds(unit, type, externalIds, undefined, at);
          const draft = await createRecord(unit, type, changes, resolved, at);
          giveIds(unit, externalIds, draft.id);
          return recorded(unit, 201, draft);
        },
      };
    }),
  ],
  [
    'update',
    kind(itemShapes.update, (type, { id, properties, external_ids }, at, most) => {
      requireGrant(type, 'update');
      const record = parseId(type, id, `${at}/id`);
      const changes = parseChanges(type, { properties }, at, most);
      const externalIds = externalNames(type, external_ids);
      return {
        lookups: { type, ...idLookups(record), claims: changes, externalIds },
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, record, `${at}/id`);
          await refuseTakenIds(unit, type, externalIds, draft.id, at);
          await updateRecord(unit, draft, changes, [], at);
          giveIds(unit, externalIds, draft.id);
          return recorded(unit, 200, draft);
        },
      };
    }),
  ],
  [
    'upsert',
    kind(itemShapes.upsert, (type, { match, properties, associations = [], external_ids }, at, most, session) => {
      requireGrant(type, 'create', 'update', ...grantsOf(associations));
      const faults = matchFaults(type, match, { pointer: `${at}/match` });
      if (faults.length > 0) throw problemOf('invalid_request', faults);
      const links = parseLinks(session, type, associations, (index) => `${at}/associations/${index}`, most);
      const externalIds = externalNames(type, external_ids);
      const upsert = { ...parseUpsert(type, match, { properties }, at, most), externalIds };
      return {
        lookups: {
          type,
          matches: upsert.keys,
          claims: upsert.changes,
          externalIds,
          links: links.flatMap((link) => linkLookup(link)),
        },
        run: async (unit, refs) => {
          const { status, draft } = await runUpsert(unit, type, upsert, placedLinks(refs, links, at), at);
          return recorded(unit, status, draft);
        },
      };
    }),
  ],
  [
    'delete',
    kind(itemShapes.delete, (type, { id }, at) => {
      requireGrant(type, 'delete');
      const record = parseId(type, id, `${at}/id`);
      return {
        lookups: { type, ...idLookups(record), stages: true },
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, record, `${at}/id`);
          await deleteRecord(unit, draft);
          return { status: 200, id: draft.id };
        },
      };
    }),
  ],
  [
    'restore',
    kind(itemShapes.restore, (type, { id }, at) => {
      requireGrant(type, 'delete');
      const record = parseId(type, id, `${at}/id`);
      const { records: trashed, matches } = idLookups(record);
      return {
        lookups: { type, trashed, matches, stages: true },
        run: async (unit, refs) => {
          const asked = await idFrom(unit, type, refs, record, `${at}/id`);
          const draft = isId(asked) ? await unit.records.lockTrashed(type, asked) : undefined;
          // A live record needs no restore; one that is neither live nor in the trash is unknown.
          if (draft === undefined) return recorded(unit, 200, await liveRecord(unit, type, refs, record, `${at}/id`));
          await restoreRecord(unit, draft, at);
          return recorded(unit, 200, draft);
        },
      };
    }),
  ],
  [
    'erase',
    kind(itemShapes.erase, (type, { id }, at, _, session) => {
      requireErase(session, type);
      const record = parseId(type, id, `${at}/id`);
      const { records: trashed, matches } = idLookups(record);
      return {
        lookups: { type, trashed, matches, stages: true },
        run: async (unit, refs) => runErase(unit, type, await idFrom(unit, type, refs, record, `${at}/id`), `${at}/id`),
      };
    }),
  ],
  [
    'merge',
    kind(itemShapes.merge, (type, { id, duplicate_id }, at, _, session) => {
      requireMerge(session, type);
      const record = parseId(type, id, `${at}/id`);
      const other = parseId(type, duplicate_id, `${at}/duplicate_id`);
      return {
        lookups: { type, ...idLookups(record, other) },
        run: async (unit, refs) => {
          const kept = await liveRecord(unit, type, refs, record, `${at}/id`);
          const duplicate = await liveRecord(unit, type, refs, other, `${at}/duplicate_id`);
          if (kept === duplicate) throw invalid(`${at}/duplicate_id`, 'A record cannot be a duplicate of itself.');
          await mergeRecords(unit, kept, duplicate, at);
          return recorded(unit, 200, kept);
        },
      };
    }),
  ],
  [
    'associate',
    kind(itemShapes.associate, (type, { id, ...sent }, at, _, session) => {
      requireGrant(type, 'associate');
      const { record, link, lookups } = parseItemLink(session, type, id, sent, at);
      return {
        lookups,
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, record, `${at}/id`);
          await linkRecord(unit, draft, await linkFrom(unit, type, refs, link, at), at);
          return recorded(unit, 200, draft);
        },
      };
    }),
  ],
  [
    'dissociate',
    kind(itemShapes.dissociate, (type, { id, ...sent }, at, _, session) => {
      requireGrant(type, 'associate');
      const { record, link, lookups } = parseItemLink(session, type, id, sent, at);
      return {
        lookups,
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, record, `${at}/id`);
          await unlinkRecord(unit, draft, await linkFrom(unit, type, refs, link, at));
          return recorded(unit, 200, draft);
        },
      };
    }),
  ],
  ['revert', parseRevert],
]);

/** The record and the link of an item that makes or removes one link. */
function parseItemLink(session: Session, type: ObjectType, id: SentId, sent: SentLink, at: string) {
  const record = parseId(type, id, `${at}/id`);
  const [link = { associationType: '', target: '' }] = parseLinks(session, type, [sent], () => at);
  return { record, link, lookups: { type, ...idLookups(record), links: linkLookup(link, record) } };
}

function externalNames(
  { id: typeId }: ObjectType,
  given: readonly { readonly source: string; readonly id: string }[] = [],
): readonly ExternalName[] {
  return given.map(({ source, id }) => ({ typeId, source, externalId: id }));
}

function recorded(unit: Unit, status: 200 | 201, draft: Draft): ItemResult {
  const { id, version } = draft;
  return { status, id, version: String(version), key: takeKeyMade(unit, draft) };
}

function invalid(pointer: string, detail: string): Problem {
  return problemOf('invalid_request', [{ pointer, reason: 'invalid_member', detail }]);
}

function unknownOperation(name: unknown, at: string): Problem {
  const allowed = [...kinds.keys()];
  const near = typeof name === 'string' ? nearest(name, allowed) : undefined;
  const got = typeof name === 'string' ? JSON.stringify(shorten(name)) : describe(name);
  const detail = `Expected one of ${allowed.join(', ')}; got ${got}.`;
  const hint = near === undefined ? { allowed } : { nearest: near };
  return problemOf('invalid_request', [{ pointer: `${at}/operation`, reason: 'invalid_member', detail, ...hint }]);
}
