// The revision: a counter by which processes learn that something they have cached has changed. Every change of an org,
// a credential or a schema raises it; the lock on its one row makes revisions appear in the order of commits, so none
// is missed. Its table is called orrery.epoch for historical reasons.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { lockOrg } from './orgs.ts';

/**
 * At least the time in milliseconds: after a fail-over that lost the last revisions, none of their numbers comes back.
 */
export async function raiseRevision(transaction: Transaction, orgId: number): Promise<void> {
  // The org is locked before the revision, as in a change of its schema: two orders of these locks would be a deadlock.
  await lockOrg(transaction, orgId);
  await transaction.query(sql`
    with raised as (
      update orrery.epoch set version = greatest(version + 1, (extract(epoch from now()) * 1000)::bigint) returning version)
    insert into orrery.changed_org as c (org_id, changed_in) select ${orgId}, r.version from raised as r
    on conflict (org_id) do update set changed_in = excluded.changed_in where c.org_id = ${orgId}`);
}

export interface Revision {
  readonly number: bigint;
  /**
   * A database that was restored or recovered has another life: nothing cached before is valid then, whatever the number.
   */
  readonly life: string | null;
  /** The database's time when it was read, in milliseconds since 1970. */
  readonly atMs: number;
}

interface RevisionRow {
  readonly version: string;
  readonly life: string | null;
  readonly at: number;
}

export async function readRevision(transaction: Transaction): Promise<Revision> {
  const [row] = await transaction.query<RevisionRow>(sql`
    select e.version, (select m.life from orrery.change_mark as m) as life,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as at
    from orrery.epoch as e`);
  if (row === undefined) throw new TypeError('The revision is one row.');
  return { number: BigInt(row.version), life: row.life, atMs: row.at };
}

/** The orgs that changed after a revision: asked only when the counter has moved. */
export async function orgsChangedAfter(transaction: Transaction, revision: bigint): Promise<readonly number[]> {
  const rows = await transaction.query<{ org_id: number }>(
    sql`select org_id from orrery.changed_org where changed_in > ${revision.toString()}`,
  );
  return rows.map((row) => row.org_id);
}
