// Finds the record that an upsert is about: the one that holds a value of the match property. The record is locked and
// checked again, because it may have given the value up while its lock was waited for.
import type { Json } from '../../base/json.ts';
import { pointerStep } from '../../base/json.ts';
import { Problem } from '../../base/problem.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { LostRace } from '../groups/lost-race.ts';
import type { Draft } from '../unit/draft.ts';
import type { Unit } from '../unit/unit.ts';
import { includesKey, takenFault, uniqueValueTaken } from './unique-values.ts';
import { wholeTypeOf } from './write.ts';

/** The live record that holds the value, or any element of it; undefined when there is none. */
export async function findMatch(
  unit: Unit,
  type: ObjectType,
  match: string,
  value: Json,
  at: string,
): Promise<Draft | undefined> {
  const keys = matchKeys(wholeTypeOf(unit, type), match, value);
  await unit.holders.load(keys.map((key) => ({ ...key, typeId: type.id })));
  const found = new Map<string, UniqueKey>();
  for (const key of keys) {
    const holder = await unit.holders.of(type, key);
    if (holder !== undefined && !found.has(holder)) found.set(holder, key);
  }
  const drafts: Draft[] = [];
  for (const [holder, key] of found) {
    const draft = await unit.records.lock(type, holder);
    if (draft === undefined) throw await refuseHidden(unit, type, key, holder, at);
    if (!includesKey(uniqueKeys(draft.type, draft.properties), key)) throw new LostRace();
    drafts.push(draft);
  }
  if (drafts.length > 1) throw multipleMatches(type, match, drafts.length, at);
  return drafts[0];
}

/** The keys of the value in the table of unique values. */
export function matchKeys(type: ObjectType, match: string, value: Json): readonly UniqueKey[] {
  return uniqueKeys(type, { [type.properties.get(match)?.key ?? match]: value });
}

/** The holder is hidden from the caller, or was deleted while its lock was waited for. */
async function refuseHidden(unit: Unit, type: ObjectType, key: UniqueKey, holder: string, at: string): Promise<Error> {
  const { orgId } = unit.call.session.caller;
  const [now] = await unit.reads.findHolders(unit.transaction, orgId, [{ ...key, typeId: type.id }]);
  if (now?.recordId !== holder) return new LostRace();
  const pointer = `${at}/properties${pointerStep(key.property)}`;
  return uniqueValueTaken(unit, type, { key, holder }, [takenFault(type, key, pointer)]);
}

function multipleMatches(type: ObjectType, match: string, count: number, at: string): Problem {
  const detail = `${count} records of ${type.name} match this ${match}. Merge them, or send only one of the values.`;
  return new Problem('conflict', 'multiple_matches', detail, {
    errors: [{ pointer: `${at}/properties${pointerStep(match)}`, property: match, reason: 'multiple_matches', detail }],
    conflict: { objectType: type.name, property: match },
  });
}
