// Notifications between processes that an org has changed.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

export const feedChannel = 'orrery_changes';

/** A longer list would not fit into a notification: an empty one means every org. */
const orgsMax = 500;

export async function notifyFeed(database: Transaction, orgIds: readonly number[]): Promise<void> {
  const payload = orgIds.length > orgsMax ? '' : orgIds.join(',');
  await database.query(sql`select pg_notify(${feedChannel}, ${payload})`);
}

/** The orgs that a notification is about; undefined means all. */
export function orgsOf(payload: string): readonly number[] | undefined {
  return payload === '' ? undefined : payload.split(',').map(Number);
}
