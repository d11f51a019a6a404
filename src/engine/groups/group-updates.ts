// Groups updates of single records of one type: their records are locked and read in one round trip, and what changes is
// written and committed in another. Each update stays by itself: one that is refused leaves no trace in the others, and one
// that needs more than its record, or whose record is locked by somebody else, runs alone.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded, Problem } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { OpenTransaction } from '../../store/database.ts';
import { isLockMissed } from '../../store/pg-error.ts';
import { type LockedWithTotals, lockFree } from '../../store/records/records.ts';
import { mergeSets, setLockTime, type WriteSet, writeStatements } from '../../store/records/write-records.ts';
import type { Connections } from '../shares/connections.ts';
import { Groups, type Member } from './groups.ts';
import { isLostRace } from './lost-race.ts';

/** What an update changes; undefined if it cannot be told without asking the database. */
type Change = (record: LockedWithTotals) => Promise<WriteSet | undefined>;

/** `alone` if nothing was done. */
type Outcome = 'done' | 'alone';

export interface GroupUpdates {
  /** Resolves when the change of the record is committed. Rejects as the change does. The type is the org's whole one. */
  update(orgId: number, type: ObjectType, id: string, change: Change): Promise<Outcome>;
}

const tooBusy =
  'Too many updates of the org are waiting for the database; send fewer at once, or combine them in batches.';

/** How long the record will be is not known before it is read. */
const oneRecord = { records: 1, bytes: 0 };

interface Update {
  readonly type: ObjectType;
  readonly id: string;
  readonly change: Change;
}

type Waiting = Member<Update, Outcome>;

export function openGroupUpdates(connections: Connections, clock: Clock): GroupUpdates {
  const run = async (orgId: number, group: readonly Waiting[]): Promise<void> => {
    try {
      if (group.some((each) => groups.isLate(each))) throw overloaded(tooBusy);
      const { changed, refused } = await connections
        .of(orgId)
        .transaction((transaction) => updateTogether(transaction, orgId, group, clock));
      for (const each of group) {
        if (refused.has(each)) each.failed(refused.get(each));
        else each.done(changed.has(each) ? 'done' : 'alone');
      }
    } catch (error) {
      for (const each of group) {
        if (isOfOne(error, group)) each.done('alone');
        else each.failed(error);
      }
    }
  };
  const groups = new Groups<Update, Outcome>({ clock, tooBusy, run });
  return {
    update: (orgId, type, id, change) => groups.add(orgId, `update ${type.id}`, { type, id, change }, oneRecord),
  };
}

/** Whether the error may be that of one update, and nothing was written: then each of them finds out for itself. */
function isOfOne(error: unknown, group: readonly Waiting[]): boolean {
  if (isLostRace(error) || isLockMissed(error)) return true;
  return group.length > 1 && (!(error instanceof Problem) || error.reason === 'statement_timeout');
}

interface Updated {
  readonly changed: ReadonlySet<Waiting>;
  /** The errors of those that were refused. */
  readonly refused: ReadonlyMap<Waiting, unknown>;
}

/** The transaction may run again until it is committed, so no answer is given before. */
async function updateTogether(
  transaction: OpenTransaction,
  orgId: number,
  group: readonly Waiting[],
  clock: Clock,
): Promise<Updated> {
  const changed = new Map<Waiting, WriteSet>();
  const refused = new Map<Waiting, unknown>();
  const [first] = group;
  if (first === undefined) return { changed: new Set(), refused };
  const { type } = first.work;
  const ids = group.map(({ work }) => work.id);
  const locked = await lockFree(transaction, { orgId, typeId: type.id }, ids, type.groups.totals);
  const records = new Map(locked.map((record) => [record.id, record]));
  let bytes = 0;
  for (const each of group) {
    const record = records.get(each.work.id);
    if (record === undefined || bytes > bounds.engine.groupedBytes) continue;
    // A second update of the record would begin with what the first has changed.
    records.delete(each.work.id);
    try {
      const set = await each.work.change(record);
      if (set === undefined) continue;
      changed.set(each, set);
      for (const { properties } of set.written.updated) bytes += properties.length;
    } catch (error) {
      refused.set(each, error);
    }
  }
  const sets = [...changed.values()];
  const statements = sets.length === 0 ? [] : writeStatements(orgId, mergeSets(sets), clock.nowMs());
  await transaction.end(statements.length === 0 || group.length === 1 ? statements : [setLockTime, ...statements]);
  return { changed: new Set(changed.keys()), refused };
}
