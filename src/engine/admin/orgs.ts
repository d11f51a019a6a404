// Creates and changes orgs, for the command line.
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import type { Database, Transaction } from '../../store/database.ts';
import { countStorage } from '../../store/org/count-storage.ts';
import { findOrg, insertOrg, lockOrg, type Org, updateOrg } from '../../store/org/orgs.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import { findStorage, insertStorage } from '../../store/org/storage.ts';
import { noteInAudit } from '../platform/note-in-audit.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import { readDatabaseClock } from '../process/database-clock.ts';
import { writeDefaults } from './org-defaults.ts';

/** Its first records are dated by the clock; without one, by the database's. */
export async function createOrg(
  database: Database,
  org: Omit<Org, 'orgId' | 'createdAt'>,
  clock?: Clock,
): Promise<number> {
  return database.transaction(async (transaction) => {
    const orgId = await insertOrg(transaction, org);
    const bytes = await writeDefaults(transaction, { ...org, orgId }, clock ?? (await readDatabaseClock(transaction)));
    await insertStorage(transaction, orgId, bytes);
    await raiseRevision(transaction, orgId);
    return orgId;
  });
}

/** The settings of an org that can change. */
type OrgSettings = Pick<Org, 'name' | 'rateQuota' | 'rateWindowSeconds' | 'storageQuota'>;

/** Changes the given settings; they are in force on every process within a second. */
export async function changeOrg(database: Database, orgId: number, changes: Partial<OrgSettings>): Promise<Org> {
  const changed = await withCommandEngine(database, (engine) =>
    database.transaction(async (transaction) => {
      await requireOrg(transaction, orgId);
      await lockOrg(transaction, orgId);
      const org = { ...(await requireOrg(transaction, orgId)), ...changes };
      await updateOrg(transaction, org);
      const detail = Object.keys(changes).join(', ');
      await noteInAudit(engine, transaction, orgId, { action: 'org.changed', detail });
      await raiseRevision(transaction, orgId);
      return org;
    }),
  );
  // An org of an older release may not have been counted yet, and a quota needs to know what it stores.
  if (changed.storageQuota !== null && !(await findStorage(database, orgId))?.isCounted) {
    await countStorage(database, orgId);
  }
  return changed;
}

export async function requireOrg(transaction: Transaction, orgId: number): Promise<Org> {
  const org = await findOrg(transaction, orgId);
  if (org !== undefined) return org;
  throw new Failure(
    'not_found',
    `There is no org ${orgId}.`,
    'See "orrery org list", or create one with "orrery org create".',
  );
}
