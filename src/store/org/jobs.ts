// Jobs that are under way: the processes that do them say so again and again, and a job whose process is silent has died.

import type { Json } from '../../base/json.ts';
import { sql } from '../../base/sql.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Reads, Transaction } from '../database.ts';
import { ids } from '../row-parameters.ts';

export async function noteRunning(transaction: Transaction, orgId: number, jobId: string): Promise<void> {
  await transaction.query(sql`
    insert into orrery.running_job (org_id, job_id, seen_at) values (${orgId}, ${jobId}, now())
    on conflict (org_id, job_id) do update set seen_at = excluded.seen_at`);
}

export async function noteEnded(transaction: Transaction, orgId: number, jobId: string): Promise<void> {
  await transaction.query(sql`delete from orrery.running_job where org_id = ${orgId} and job_id = ${jobId}`);
}

/** Says that these jobs of the org are still being done. */
export async function keepRunning(transaction: Transaction, orgId: number, jobIds: readonly string[]): Promise<void> {
  await transaction.query(sql`
    update orrery.running_job set seen_at = now() where org_id = ${orgId} and job_id = any (${ids(jobIds)}::uuid[])`);
}

/** Takes the jobs of the org whose process has been silent for so long off the list, and returns them. */
export async function takeSilent(
  transaction: Transaction,
  orgId: number,
  silentMs: number,
): Promise<readonly string[]> {
  const rows = await transaction.query<{ id: string }>(sql`
    delete from orrery.running_job as j
    where j.org_id = ${orgId} and j.seen_at < now() - make_interval(secs => ${silentMs / 1_000})
    returning j.job_id as id`);
  return rows.map(({ id }) => id);
}

/** The orgs that have jobs under way: for the service itself, never in a request. */
export async function findOrgsWithJobs(transaction: Transaction): Promise<readonly number[]> {
  const rows = await transaction.query<{ orgId: number }>(
    sql`select o.org_id as "orgId" from orrery.org as o
      where exists (select from orrery.running_job as j where j.org_id = o.org_id) order by o.org_id`,
  );
  return rows.map(({ orgId }) => orgId);
}

export interface ListedJob {
  readonly id: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** The last jobs come first. */
export async function listJobs(transaction: Transaction, orgId: number, limit: number): Promise<readonly ListedJob[]> {
  return transaction.query<ListedJob>(sql`
    select r.id, r.properties as values from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${platformTypes.job} order by r.id desc limit ${limit}`);
}

export async function isJob(database: Reads, orgId: number, id: string): Promise<boolean> {
  const rows = await database.query(sql`
    select 1 as found from orrery.record as r
    where r.org_id = ${orgId} and r.type_id = ${platformTypes.job} and r.id = ${id}`);
  return rows.length > 0;
}
