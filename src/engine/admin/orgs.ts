// Creates orgs and their users, for the command line.
import { type Clock, systemClock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { newId } from '../../base/id.ts';
import type { Database, Transaction } from '../../store/database.ts';
import { findOrg, insertOrg, insertUser, type Org, type User } from '../../store/org/orgs.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import { writeDefaults } from './org-defaults.ts';

export async function createOrg(
  database: Database,
  org: Pick<Org, 'name' | 'currency' | 'rateQuota' | 'rateWindowSeconds'>,
  clock: Clock = systemClock,
): Promise<number> {
  return database.transaction(async (transaction) => {
    const orgId = await insertOrg(transaction, org);
    await writeDefaults(transaction, { ...org, orgId }, clock);
    await raiseRevision(transaction, orgId);
    return orgId;
  });
}

export async function createUser(database: Database, user: Pick<User, 'orgId' | 'name' | 'email'>): Promise<string> {
  const userId = newId();
  await database.transaction(async (transaction) => {
    await requireOrg(transaction, user.orgId);
    await insertUser(transaction, { ...user, userId });
  });
  return userId;
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
