// Entries of the change feed about some records: their own, and those of links that others have to them.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Reads } from '../database.ts';
import { entryKinds } from '../feed/entries.ts';
import { leftOutValues } from '../feed/former-values.ts';
import type { EntryRow } from '../feed/pages.ts';
import { ids } from '../row-parameters.ts';

/** The next entries after a number, in their order; the page ends with its bytes. */
export async function findEntriesAbout(
  connection: Reads,
  orgId: number,
  recordIds: readonly string[],
  after: string,
): Promise<readonly EntryRow[]> {
  const about = ids(recordIds);
  return connection.query<EntryRow>(sql`
    select c.seq, c.kind, c.type_id as "typeId", c.record_id as "recordId", c.version, c.changed,
      ${leftOutValues(orgId)} as "leftOut", c.association_type_id as "associationTypeId",
      c.target_type_id as "targetTypeId", c.target_id as "targetId", c.at, c.principal_id as "principalId",
      c.request_id as "requestId", null as "readsAs", null as "currentVersion", null as current,
      c.total >= ${bounds.store.changesPageBytes} as full
    from (
      select c.*, sum(c.bytes) over (order by c.seq) as total from (
        select c.*, coalesce(octet_length(c.changed), 0) + coalesce(c.left_out_bytes, 0) as bytes
        from orrery.change as c
        where c.org_id = ${orgId} and c.seq > ${after}::bigint and c.kind < ${entryKinds['visibility.lost']}
          and (c.record_id = any (${about}::uuid[]) or c.target_id = any (${about}::uuid[]))
        order by c.seq limit ${bounds.engine.exportedAtOnce}) as c) as c
    where c.total - c.bytes < ${bounds.store.changesPageBytes} order by c.seq`);
}
