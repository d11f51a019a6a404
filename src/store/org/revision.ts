// The counter by which processes learn that something they have cached has changed. Whoever changes an org, a credential
// or a schema raises it; the lock on its one row makes versions appear in the order of commits, so none is missed.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

/** At least the time in milliseconds: after a fail-over that lost the last versions, none of them comes a second time. */
export async function raiseEpoch(transaction: Transaction, orgId: number): Promise<void> {
  // The org before the epoch, as in a change of its schema: two orders of these two locks would be a deadlock.
  await transaction.query(sql`select 1 as locked from orrery.org where org_id = ${orgId} for no key update`);
  const [epoch] = await transaction.query<{ version: string }>(
    sql`update orrery.epoch set version = greatest(version + 1, (extract(epoch from now()) * 1000)::bigint)
      returning version`,
  );
  await transaction.query(sql`update orrery.org set changed_in = ${epoch?.version} where org_id = ${orgId}`);
}

export interface Epoch {
  readonly version: bigint;
  /** Another one after a restore: nothing that was known before holds then, whatever the version. */
  readonly life: string;
}

export async function readEpoch(transaction: Transaction): Promise<Epoch> {
  const [row] = await transaction.query<{ version: string; life: string }>(
    sql`select e.version, c.epoch::text as life from orrery.epoch as e cross join orrery.change_epoch as c`,
  );
  return { version: BigInt(row?.version ?? 0), life: row?.life ?? '' };
}

/** The orgs that changed after a version: asked only when the counter has moved. */
export async function orgsChangedAfter(transaction: Transaction, version: bigint): Promise<readonly number[]> {
  const rows = await transaction.query<{ org_id: number }>(
    sql`select org_id from orrery.org where changed_in > ${version.toString()}`,
  );
  return rows.map((row) => row.org_id);
}
