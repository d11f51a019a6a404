// The rule of external ids: an id of one source names one record of a type. They are names, not values: a record that gets one
// has no new version for it, and no entry in the feed. A record in the trash keeps its ids until another record is given one.
import { type Fault, Problem } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { ExternalName } from '../../store/records/external-ids.ts';
import type { Unit } from '../unit/unit.ts';

export type { ExternalName };

/**
 * Throws a conflict when one of the ids names another live record. `recordId` is the record that gets them, undefined while
 * it is not made; `at` is the place of the record in the request.
 */
export async function refuseTakenIds(
  unit: Unit,
  type: ObjectType,
  given: readonly ExternalName[],
  recordId: string | undefined,
  at: string,
): Promise<void> {
  if (given.length === 0) return;
  await unit.externalIds.loadClaims(given);
  const fresh = given.filter((name) => recordId === undefined || unit.externalIds.recordOf(name) !== recordId);
  if (fresh.length === 0) return;
  const taken = given.flatMap((name, index) => {
    const holder = unit.externalIds.liveRecordOf(name);
    return holder === undefined || holder === recordId
      ? []
      : [{ holder, fault: takenFault(type, `${at}/external_ids/${index}`) }];
  });
  const [first] = taken;
  if (first === undefined) {
    const room = unit.requireRoom();
    if (room !== undefined) await room;
    return;
  }
  const isSeen = (await unit.records.typeOfLive([type.id], first.holder)) !== undefined;
  throw new Problem('conflict', 'unique_value_taken', first.fault.detail, {
    errors: taken.map(({ fault }) => fault),
    conflict: { objectType: type.name, ...(isSeen ? { existingId: first.holder } : {}) },
  });
}

/** Gives the ids to the record. `refuseTakenIds` has made sure that they are free. */
export function giveIds(unit: Unit, given: readonly ExternalName[], recordId: string): void {
  for (const name of given) unit.externalIds.claim(name, recordId);
}

/** The refusal of a record whose only external id names another record, which the caller sees. */
export function takenIdProblem(type: ObjectType, holder: string): Problem {
  const fault = takenFault(type, '/external_ids/0');
  return new Problem('conflict', 'unique_value_taken', fault.detail, {
    errors: [fault],
    conflict: { objectType: type.name, existingId: holder },
  });
}

function takenFault({ name }: ObjectType, pointer: string): Fault {
  const detail = `Another record of ${name} has this external id already. Send it to that record, or leave it out.`;
  return { pointer, reason: 'unique_value_taken', detail };
}
