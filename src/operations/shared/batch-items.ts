// Turns each item of a batch into work on the unit that all items share. An item is parsed once, before the transaction,
// and follows the same rules as a single operation.
import type { Static, TSchema } from 'typebox';
import { isId } from '../../base/id.ts';
import { describe, isObject, shorten } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { nearest } from '../../base/nearest.ts';
import { type Fault, Problem, problemOf } from '../../base/problem.ts';
import { takeKeyMade } from '../../engine/platform/administration.ts';
import type { Session } from '../../engine/process/session.ts';
import { recordUnknown } from '../../engine/read/records.ts';
import { mergeRecords } from '../../engine/rules/merge.ts';
import type { LinkLookup, Lookups } from '../../engine/rules/preload.ts';
import { resolveLink, resolveLinks } from '../../engine/rules/resolve-links.ts';
import {
  createRecord,
  deleteRecord,
  linkRecord,
  restoreRecord,
  unlinkRecord,
  updateRecord,
} from '../../engine/rules/write.ts';
import type { Draft } from '../../engine/unit/draft.ts';
import type { PlacedLink } from '../../engine/unit/link-effect.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import { isGoverned, type ObjectType } from '../../schema/object-type.ts';
import { itemShapes } from '../shapes/batch.ts';
import {
  type ItemResult,
  type ParsedItem,
  type ParseItem,
  type Refs,
  type UnpreparedItem,
  withShape,
} from './batch-item.ts';
import { runErase } from './erase-item.ts';
import { grantsOf, requireErase, requireGrant, requireObjectType } from './permit.ts';
import { linksOf, parseChanges, parseNewValues } from './record-write.ts';
import { parseRevert } from './revert-item.ts';
import { matchFaults, parseUpsert, runUpsert } from './upsert.ts';

type IdOrRef = string | { readonly ref: string };
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
    kind(itemShapes.create, (type, { properties, associations = [] }, at, most) => {
      requireGrant(type, 'create', ...grantsOf(associations));
      const changes = parseNewValues(type, { properties }, at, most);
      return {
        lookups: { type, claims: changes, links: associations.flatMap((link) => linkLookup(link)) },
        run: async (unit, refs) => {
          const links =
            associations.length === 0 ? [] : await resolveLinks(unit, type, withIds(refs, associations, at));
          return recorded(unit, 201, await createRecord(unit, type, changes, links, at));
        },
      };
    }),
  ],
  [
    'update',
    kind(itemShapes.update, (type, { id, properties }, at, most) => {
      requireGrant(type, 'update');
      const changes = parseChanges(type, { properties }, at, most);
      return {
        lookups: { type, records: [id].filter(isText), claims: changes },
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, id, `${at}/id`);
          await updateRecord(unit, draft, changes, [], at);
          return recorded(unit, 200, draft);
        },
      };
    }),
  ],
  [
    'upsert',
    kind(itemShapes.upsert, (type, { match, properties, associations = [] }, at, most) => {
      requireGrant(type, 'create', 'update', ...grantsOf(associations));
      const faults = matchFaults(type, match, { pointer: `${at}/match` });
      if (faults.length > 0) throw problemOf('invalid_request', faults);
      const upsert = parseUpsert(type, match, { properties }, at, most);
      return {
        lookups: {
          type,
          matches: upsert.keys,
          claims: upsert.changes,
          links: associations.flatMap((link) => linkLookup(link)),
        },
        run: async (unit, refs) => {
          const { status, draft } = await runUpsert(unit, type, upsert, withIds(refs, associations, at), at);
          return recorded(unit, status, draft);
        },
      };
    }),
  ],
  [
    'delete',
    kind(itemShapes.delete, (type, { id }, at) => {
      requireGrant(type, 'delete');
      return {
        lookups: { type, records: [id].filter(isText), stages: true },
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, id, `${at}/id`);
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
      return {
        lookups: { type, trashed: [id].filter(isText), stages: true },
        run: async (unit, refs) => {
          const asked = idFrom(refs, id, `${at}/id`);
          const draft = isId(asked) ? await unit.records.lockTrashed(type, asked) : undefined;
          // A live record needs no restore; one that is neither live nor in the trash is unknown.
          if (draft === undefined) return recorded(unit, 200, await liveRecord(unit, type, refs, id, `${at}/id`));
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
      return {
        lookups: { type, trashed: [id].filter(isText), stages: true },
        run: (unit, refs) => runErase(unit, type, idFrom(refs, id, `${at}/id`), `${at}/id`),
      };
    }),
  ],
  [
    'merge',
    kind(itemShapes.merge, (type, { id, duplicate_id }, at) => {
      requireGrant(type, 'update', 'delete');
      if (isGoverned(type))
        throw new Problem('forbidden', 'type_is_read_only', `Records of ${type.name} cannot be merged.`);
      return {
        lookups: { type, records: [id, duplicate_id].filter(isText) },
        run: async (unit, refs) => {
          const kept = await liveRecord(unit, type, refs, id, `${at}/id`);
          const duplicate = await liveRecord(unit, type, refs, duplicate_id, `${at}/duplicate_id`);
          if (kept === duplicate) throw invalid(`${at}/duplicate_id`, 'A record cannot be a duplicate of itself.');
          await mergeRecords(unit, kept, duplicate, at);
          return recorded(unit, 200, kept);
        },
      };
    }),
  ],
  [
    'associate',
    kind(itemShapes.associate, (type, { id, ...link }, at) => {
      requireGrant(type, 'associate');
      return {
        lookups: { type, records: [id].filter(isText), links: linkLookup(link, id) },
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, id, `${at}/id`);
          await linkRecord(unit, draft, await linkFrom(unit, type, refs, link, at), at);
          return recorded(unit, 200, draft);
        },
      };
    }),
  ],
  [
    'dissociate',
    kind(itemShapes.dissociate, (type, { id, ...link }, at) => {
      requireGrant(type, 'associate');
      return {
        lookups: { type, records: [id].filter(isText), links: linkLookup(link, id) },
        run: async (unit, refs) => {
          const draft = await liveRecord(unit, type, refs, id, `${at}/id`);
          await unlinkRecord(unit, draft, await linkFrom(unit, type, refs, link, at));
          return recorded(unit, 200, draft);
        },
      };
    }),
  ],
  ['revert', parseRevert],
]);

interface ItemLink {
  readonly association_type: string;
  readonly target_id: IdOrRef;
}

function isText(value: IdOrRef): value is string {
  return typeof value === 'string';
}

/** A link to a record that the batch itself creates need not be loaded. */
function linkLookup({ association_type, target_id }: ItemLink, source?: IdOrRef): readonly LinkLookup[] {
  if (!isText(target_id)) return [];
  return [
    {
      associationType: association_type,
      targetId: target_id,
      ...(typeof source === 'string' ? { sourceId: source } : {}),
    },
  ];
}

function idFrom(refs: Refs, id: IdOrRef, pointer: string): string {
  const faults = refFaults(refs, id, pointer);
  if (faults.length > 0) throw problemOf('validation_failed', faults);
  return isText(id) ? id : (refs.get(id.ref) ?? '');
}

function refFaults(refs: Refs, id: IdOrRef, pointer: string): readonly Fault[] {
  if (isText(id) || refs.has(id.ref)) return [];
  const detail = `No earlier item with the ref ${JSON.stringify(id.ref)} succeeded.`;
  return [{ pointer, reason: 'unknown_ref', detail }];
}

function withIds(refs: Refs, links: readonly ItemLink[], at: string): readonly PlacedLink[] {
  const pointerOf = (index: number) => `${at}/associations/${index}/target_id`;
  const faults = links.flatMap(({ target_id }, index) => refFaults(refs, target_id, pointerOf(index)));
  if (faults.length > 0) throw problemOf('validation_failed', faults);
  const named = links.map(({ association_type, target_id }, index) => ({
    association_type,
    target_id: idFrom(refs, target_id, pointerOf(index)),
  }));
  return linksOf(named, at);
}

function linkFrom(unit: Unit, type: ObjectType, refs: Refs, link: ItemLink, at: string) {
  const request = {
    associationType: link.association_type,
    targetId: idFrom(refs, link.target_id, `${at}/target_id`),
  };
  const pointers = { link: at, associationType: `${at}/association_type`, target: `${at}/target_id` };
  return resolveLink(unit, type, request, pointers);
}

async function liveRecord(unit: Unit, type: ObjectType, refs: Refs, id: IdOrRef, pointer: string): Promise<Draft> {
  const asked = idFrom(refs, id, pointer);
  const draft = isId(asked) ? await unit.records.lock(type, asked) : undefined;
  if (draft === undefined) throw recordUnknown(type, asked, pointer);
  return draft;
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
