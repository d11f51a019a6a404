// Finds records that a request names by a unique value instead of an id. A hidden record is not found. What was looked up may
// have changed when the record is locked: then the unit runs again, so a value that moved leads to its new holder.
import { Problem } from '../../base/problem.ts';
import type { Named, NamedByValue } from '../../query/match.ts';
import { uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { LostRace } from '../groups/lost-race.ts';
import type { Draft } from '../unit/draft.ts';
import type { HolderBook } from '../unit/holder-book.ts';
import type { Unit } from '../unit/unit.ts';

/** The ids of the records that are named, as far as their values were looked up. */
export function idsNamed(named: Named | undefined, holders: HolderBook | undefined): readonly string[] {
  if (named === undefined) return [];
  if (typeof named === 'string') return [named];
  return holders?.loaded(named.values).map(({ id }) => id) ?? [];
}

/** The live record that has the value, locked. */
export async function lockByValue(unit: Unit, type: ObjectType, { values }: NamedByValue): Promise<Draft | undefined> {
  await unit.holders.load(values);
  const [holder] = unit.holders.loaded(values);
  if (holder === undefined) return undefined;
  const draft = await unit.records.lock(type, holder.id);
  if (draft === undefined) await requireSameHolder(unit, values, holder);
  else if (!hasValue(draft, values)) throw new LostRace();
  return draft;
}

/** The id of the live record that has the value. It cannot be deleted until the transaction ends. */
export async function findByValue(unit: Unit, { property, values }: NamedByValue): Promise<string | undefined> {
  await unit.holders.load(values);
  const found: string[] = [];
  for (const holder of unit.holders.loaded(values)) {
    const typeId = await unit.records.typeOfLive([holder.typeId], holder.id);
    if (typeId === undefined) await requireSameHolder(unit, values, holder);
    else found.push(holder.id);
  }
  if (found.length < 2) return found[0];
  const detail = `${found.length} records of different types have this ${property}. Use the id of one of them.`;
  throw new Problem('conflict', 'multiple_matches', detail);
}

/** A holder that is not found is hidden from the caller, or was deleted while its lock was waited for. */
async function requireSameHolder(unit: Unit, values: NamedByValue['values'], holder: RecordRef): Promise<void> {
  // A record that the unit has locked stays as it is.
  if (unit.records.placeOf(holder) === 'live') return;
  const { orgId } = unit.call.session.caller;
  const now = await unit.reads.findHolders(unit.transaction, orgId, values);
  if (!now.some(({ recordId }) => recordId === holder.id)) throw new LostRace();
}

function hasValue({ type, properties }: Draft, values: NamedByValue['values']): boolean {
  const own = uniqueKeys(type, properties);
  return values.some((wanted) =>
    own.some(({ propertyId, value }) => propertyId === wanted.propertyId && value === wanted.value),
  );
}
