// What an operator watches of the whole database: its size, and when it was last saved. For the service itself, never in a
// request.
import { sql } from '../../base/sql.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';

export interface DatabaseFigures {
  readonly bytes: number;
  /** The moment that the last backup shows, as ISO 8601; undefined if none is known. */
  readonly savedAt: string | undefined;
}

/** A backup is a job of every org, so the last jobs of the first org have it. */
export async function readFigures(transaction: Transaction, jobs: number): Promise<DatabaseFigures> {
  const [row] = await transaction.query<{ bytes: number; orgId: number | null }>(sql`
    select pg_database_size(current_database())::float8 as bytes,
      (select org_id from orrery.org order by org_id limit 1) as "orgId"`);
  if (row === undefined) throw new TypeError('The figures are one row.');
  const { bytes, orgId } = row;
  return { bytes, savedAt: orgId === null ? undefined : await findSaved(transaction, orgId, jobs) };
}

async function findSaved(transaction: Transaction, orgId: number, jobs: number): Promise<string | undefined> {
  const [row] = await transaction.query<{ savedAt: string | null }>(sql`
    select max(j.properties ->> 'svc_started_at') as "savedAt" from (
      select r.properties from orrery.record as r
      where r.org_id = ${orgId} and r.type_id = ${platformTypes.job} order by r.id desc limit ${jobs}) as j
    where j.properties ->> 'svc_kind' = 'backup' and j.properties ->> 'svc_state' = 'done'`);
  return row?.savedAt ?? undefined;
}
