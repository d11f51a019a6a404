// The ids that records have in other systems. An id names one record for a type and a source, live or in the trash; the
// table's key decides which of two writers gets it.
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Reads, Transaction } from '../database.ts';
import { insertion } from '../insert-rows.ts';
import type { RecordRef } from '../record-ref.ts';
import { type Column, rowSource } from '../row-parameters.ts';

/** An id in another system, without the record that it names. */
export interface ExternalName {
  readonly typeId: number;
  /** The other system. */
  readonly source: string;
  readonly externalId: string;
}

export interface ExternalId extends ExternalName {
  readonly recordId: string;
}

/** An external id that is known, and whether its record is live or in the trash. */
interface ExternalHolder extends ExternalId {
  readonly place: 'live' | 'trash';
}

/** An external id that no longer names its record. */
export interface FreedId extends ExternalId {
  /** Whether the transaction holds the record's lock, and so knows what became of it. */
  readonly isHeld: boolean;
}

/** Ids to look up. */
export const externalNameSource = rowSource<ExternalName>(
  ['type_id', 'integer', (name) => name.typeId],
  ['source', 'text', (name) => name.source],
  ['external_id', 'text', (name) => name.externalId],
);
const externalIdColumns: readonly Column<ExternalId>[] = [
  ['type_id', 'integer', (row) => row.typeId],
  ['source', 'text', (row) => row.source],
  ['external_id', 'text', (row) => row.externalId],
  ['record_id', 'uuid', (row) => row.recordId],
];
export const externalIdSource = rowSource(...externalIdColumns);
const insertIds = insertion('external_id', ...externalIdColumns);

const freed = rowSource<FreedId>(
  ['type_id', 'integer', (row) => row.typeId],
  ['source', 'text', (row) => row.source],
  ['external_id', 'text', (row) => row.externalId],
  ['record_id', 'uuid', (row) => row.recordId],
  ['held', 'boolean', (row) => row.isHeld],
);

/**
 * Those of the external ids that the org knows, each with its record. Each is looked up separately: a plan made while there
 * were few would keep reading all of them.
 */
export async function findExternalIds(
  transaction: Pick<Transaction, 'query'>,
  orgId: number,
  names: readonly ExternalName[],
): Promise<readonly ExternalHolder[]> {
  if (names.length === 0) return [];
  return transaction.query<ExternalHolder>(sql`
    select k.type_id as "typeId", k.source, k.external_id as "externalId", e.record_id as "recordId", e.place
    from ${externalNameSource(names)}
    cross join lateral (
      select e.record_id, case when exists (
          select 1 from orrery.record as r where r.org_id = ${orgId} and r.type_id = e.type_id and r.id = e.record_id)
        then 'live' else 'trash' end as place
      from orrery.external_id as e
      where e.org_id = ${orgId} and e.type_id = k.type_id and e.source = k.source and e.external_id = k.external_id
      limit 1) as e`);
}

/** The part of a writing statement that adds rows, in the order of the key, so that two writers cannot wait for each other. */
export function insertExternalIds(orgId: number, made: readonly ExternalId[]): Sql {
  return insertIds(orgId, made, raw(' order by k.type_id, k.source collate "C", k.external_id collate "C"'));
}

/**
 * Frees external ids of records in the trash. A record that somebody else has restored meanwhile keeps its id, and whoever
 * wants the id then meets the key of the table.
 */
export function freeExternalIds(orgId: number, gone: readonly FreedId[]): Sql {
  return sql`delete from orrery.external_id as e using ${freed(gone)}
    where e.org_id = ${orgId} and e.type_id = k.type_id and e.source = k.source and e.external_id = k.external_id
      and e.record_id = k.record_id and (k.held or not exists (
        select 1 from orrery.record as r where r.org_id = ${orgId} and r.type_id = e.type_id and r.id = e.record_id))`;
}

/** The ids of a merged duplicate name the record that is kept. */
export async function moveExternalIds(
  transaction: Transaction,
  { orgId, typeId, keptId, duplicateId }: { orgId: number; typeId: number; keptId: string; duplicateId: string },
): Promise<void> {
  await transaction.query(sql`
    update orrery.external_id as e set record_id = ${keptId}
    where e.org_id = ${orgId} and e.type_id = ${typeId} and e.record_id = ${duplicateId}`);
}

/** The external ids of one record, the first `most` by source and id. */
export async function findExternalIdsOf(
  connection: Reads,
  orgId: number,
  { typeId, id }: RecordRef,
  most: number,
): Promise<readonly Pick<ExternalName, 'source' | 'externalId'>[]> {
  return connection.query<Pick<ExternalName, 'source' | 'externalId'>>(sql`
    select e.source, e.external_id as "externalId" from orrery.external_id as e
    where e.org_id = ${orgId} and e.type_id = ${typeId} and e.record_id = ${id}
    order by e.source, e.external_id limit ${most}`);
}
