// Removes entries of the audit and ended jobs that have been kept for long enough. They never were in the trash: nobody can
// delete them, so there is nothing to restore.
import { firstIdAt } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { raw, sql } from '../../base/sql.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../database.ts';
import { rowBytes } from '../row-bytes.ts';
import { ids } from '../row-parameters.ts';
import type { Purged } from './purge.ts';

export async function purgeHistory(transaction: Transaction, orgId: number, keptSeconds: number): Promise<Purged> {
  const [clock] = await transaction.query<{ atMs: number }>(
    sql`select (extract(epoch from now()) * 1000)::float8 as "atMs"`,
  );
  // Entries are dated by their ids.
  const before = firstIdAt(Math.floor((clock?.atMs ?? 0) - keptSeconds * 1_000));
  let bytes = 0;
  let more = false;
  for (const typeId of [platformTypes.auditEntry, platformTypes.job]) {
    const purged = await purgeType(transaction, orgId, typeId, before);
    bytes += purged.bytes;
    more ||= purged.more;
  }
  return { bytes, more };
}

async function purgeType(transaction: Transaction, orgId: number, typeId: number, before: string): Promise<Purged> {
  const gone = await transaction.query<{ id: string; bytes: number }>(sql`
    select o.id, ${rowBytes.record}::integer + 2 * pg_column_size(o.properties) as bytes from orrery.record as o
    where o.org_id = ${orgId} and o.type_id = ${typeId} and o.id < ${before}
      and o.properties ->> 'svc_state' is distinct from 'running'
    order by o.id limit ${bounds.store.purgedRecordsAtOnce} for update of o`);
  if (gone.length === 0) return { bytes: 0, more: false };
  const goneIds = sql`any (${ids(gone.map(({ id }) => id))}::uuid[])`;
  await transaction.query(sql`
    delete from orrery.record as r where r.org_id = ${orgId} and r.type_id = ${typeId} and r.id = ${goneIds}`);
  for (const table of ['index_text', 'index_number', 'index_time', 'search', 'record_user']) {
    await transaction.query(sql`
      delete from ${raw(`orrery.${table}`)} as i
      where i.org_id = ${orgId} and i.type_id = ${typeId} and i.record_id = ${goneIds}`);
  }
  await transaction.query(sql`
    delete from orrery.fact as f where f.org_id = ${orgId} and f.type_id = ${typeId} and f.id = ${goneIds}`);
  return {
    bytes: gone.reduce((sum, row) => sum + row.bytes, 0),
    more: gone.length >= bounds.store.purgedRecordsAtOnce,
  };
}
