// The ids that records have in connected systems. The table's key decides which of two writers makes the record.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { rowSource } from '../row-parameters.ts';

export interface ExternalId {
  readonly externalId: string;
  readonly recordId: string;
}

const wanted = rowSource<string>(['external_id', 'text', (externalId) => externalId]);
const rows = rowSource<ExternalId>(
  ['external_id', 'text', (row) => row.externalId],
  ['record_id', 'uuid', (row) => row.recordId],
);

/**
 * Those of the external ids that the org knows for records of the type. Each is looked up separately: a plan made while
 * there were few would keep reading all of them.
 */
export async function findExternalIds(
  transaction: Transaction,
  orgId: number,
  typeId: number,
  externalIds: readonly string[],
): Promise<readonly ExternalId[]> {
  return transaction.query<ExternalId>(sql`
    select e.external_id as "externalId", e.record_id as "recordId" from ${wanted(externalIds)}
    cross join lateral (
      select e.external_id, e.record_id from orrery.external_id as e
      where e.org_id = ${orgId} and e.type_id = ${typeId} and e.external_id = k.external_id limit 1) as e`);
}

/** In the order of the table's key, so that two writers cannot wait for each other. */
export async function insertExternalIds(
  transaction: Transaction,
  orgId: number,
  typeId: number,
  made: readonly ExternalId[],
): Promise<void> {
  await transaction.query(sql`
    insert into orrery.external_id (org_id, type_id, external_id, record_id)
    select ${orgId}::integer, ${typeId}::integer, k.external_id, k.record_id
    from ${rows(made)} order by k.external_id collate "C"`);
}

/** Only while they still name the same records. */
export async function deleteExternalIds(
  transaction: Transaction,
  orgId: number,
  typeId: number,
  gone: readonly ExternalId[],
): Promise<void> {
  await transaction.query(sql`
    delete from orrery.external_id as e using ${rows(gone)}
    where e.org_id = ${orgId} and e.type_id = ${typeId} and e.external_id = k.external_id
      and e.record_id = k.record_id`);
}
