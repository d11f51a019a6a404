// Erases again what was erased since a backup was made, inside the transaction that restores it: by the same rules as before, so
// that the feed, the stages and the last activities of the restored records are right as well.
import { bounds } from '../../base/limits.ts';
import type { OwnConnection, WorkDatabase } from '../../store/database.ts';
import { findOrgsWithErasures, findUnfinished, noteFinished } from '../../store/erase/erased.ts';
import type { Redact } from '../../store/erase/steps.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import { systemCall } from '../process/call.ts';
import { readDatabaseClock } from '../process/database-clock.ts';
import { type KnownOrg, openDirectory } from '../process/directory.ts';
import { eraseHistory, eraseRowsAgain, lockAnywhere } from '../rules/erase.ts';
import { Unit } from '../unit/unit.ts';

/** Nobody reads the tables meanwhile, so all of it is done at once. */
export async function repeatErasures(connection: OwnConnection, redact: Redact): Promise<void> {
  const clock = await readDatabaseClock(connection);
  for (const orgId of await findOrgsWithErasures(connection)) {
    const known = await openDirectory(connection, clock).find(orgId);
    if (known === undefined) throw new TypeError(`Org ${orgId} is listed, and cannot be found.`);
    const call = systemCall(engineOf(known, clock), known);
    // Ends, because each round finishes some of them.
    for (let records = await next(connection, orgId); records.length > 0; records = await next(connection, orgId)) {
      for (const ref of records) await eraseAgain(new Unit(call, connection, 'looked_up'), ref);
      await eraseHistory(connection, { orgId, records, redact }, Number.POSITIVE_INFINITY);
      await noteFinished(connection, orgId, records);
    }
  }
}

function next(connection: OwnConnection, orgId: number): Promise<readonly RecordRef[]> {
  return findUnfinished(connection, orgId, bounds.engine.erasedTogether);
}

/** The backup may have the record live or in the trash, or nothing but its history. Its type may be younger than the backup. */
async function eraseAgain(unit: Unit, { typeId, id }: RecordRef): Promise<void> {
  const type = unit.call.session.orgTypes.get(typeId);
  const draft = type && (await lockAnywhere(unit, type, id));
  if (draft === undefined) return;
  await eraseRowsAgain(unit, draft);
  await unit.finish();
}

/** The org is as it was restored: nobody changes it, and nobody waits for its feed. */
function engineOf(known: KnownOrg, clock: Awaited<ReturnType<typeof readDatabaseClock>>) {
  return {
    clock,
    database: unasked,
    directory: {
      find: () => known,
      findNewest: () => Promise.resolve(known),
      forget: () => {},
      isAlive: () => true,
    },
    signal: { note: () => {} },
    storage: { grew: () => {}, requireRoom: () => undefined },
    words: { wrote: () => {} },
  };
}

const unasked = new Proxy({} as WorkDatabase, {
  get: () => {
    throw new TypeError('Erasures are repeated in the transaction that restores the database.');
  },
});
