// Keeps what a dry run of an import would have written so far in temporary tables of its connection. Later rows find it
// there as they would in the real tables, and nobody else sees it or waits for it.
import type { Json } from '../../base/json.ts';
import { sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';
import type { StoredRecord } from '../records/records.ts';
import type { Holder, UniqueValue } from '../records/unique-values.ts';
import { recordSource, type WriteSet } from '../records/write-records.ts';
import { ids, rowSource } from '../row-parameters.ts';

export async function beginDryRun(connection: OwnConnection): Promise<void> {
  await connection.script(`
    create temporary table dry_run_record (
      type_id integer not null, id uuid primary key, version bigint not null, updated_at timestamptz not null,
      org_visible boolean not null, properties jsonb not null);
    create temporary table dry_run_value (
      type_id integer not null, property_id integer not null, value text collate "C" not null, record_id uuid,
      primary key (type_id, property_id, value))`);
}

/** A unique value that the dry run has given to a record, or taken from one. */
interface DryRunValue {
  readonly typeId: number;
  readonly propertyId: number;
  readonly value: string;
  readonly recordId: string | null;
}

export async function findDryRunValues(
  connection: OwnConnection,
  values: readonly UniqueValue[],
): Promise<readonly DryRunValue[]> {
  if (values.length === 0) return [];
  return connection.query<DryRunValue>(sql`
    select v.type_id as "typeId", v.property_id as "propertyId", v.value, v.record_id as "recordId" from pg_temp.dry_run_value as v
    join ${wantedValues(values)} on v.type_id = k.type_id and v.property_id = k.property_id and v.value = k.value`);
}

/** Those of the records that the dry run has made or changed, as it left them. */
export async function findDryRunRecords(
  connection: OwnConnection,
  recordIds: readonly string[],
): Promise<readonly StoredRecord[]> {
  if (recordIds.length === 0) return [];
  const rows = await connection.query<DryRunRow>(sql`
    select type_id as "typeId", id, version, updated_at as "updatedAt", org_visible as "orgVisible", properties
    from pg_temp.dry_run_record where id = any (${ids(recordIds)}::uuid[])`);
  return rows.map(({ version, updatedAt, ...rest }) => ({
    ...rest,
    version: Number(version),
    updatedAtMs: updatedAt.getTime(),
  }));
}

interface DryRunRow {
  readonly typeId: number;
  readonly id: string;
  readonly version: string;
  readonly updatedAt: Date;
  readonly orgVisible: boolean;
  readonly properties: Readonly<Record<string, Json>>;
}

/** Adds what another batch would have written. */
export async function keepDryRun(connection: OwnConnection, { removed, written }: WriteSet): Promise<void> {
  const records = [...written.inserted, ...written.updated];
  if (records.length > 0) {
    await connection.query(sql`
      insert into pg_temp.dry_run_record (type_id, id, version, updated_at, org_visible, properties)
      select k.type_id, k.id, k.version, k.updated_at, k.org_visible, k.properties::jsonb from ${recordSource(records)}
      on conflict (id) do update set version = excluded.version, updated_at = excluded.updated_at,
        properties = excluded.properties`);
  }
  // Another record may have taken a value that one gave up.
  const taken = new Map(written.unique.map((holder) => [nameOf(holder), holder]));
  const given = removed.unique.filter((value) => !taken.has(nameOf(value)));
  const values: readonly DryRunValue[] = [
    ...taken.values(),
    ...given.map(({ typeId, propertyId, value }) => ({ typeId, propertyId, value, recordId: null })),
  ];
  if (values.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.dry_run_value (type_id, property_id, value, record_id)
    select k.type_id, k.property_id, k.value, k.record_id from ${valueSource(values)}
    on conflict (type_id, property_id, value) do update set record_id = excluded.record_id`);
}

function nameOf({ typeId, propertyId, value }: UniqueValue): string {
  return `${typeId}/${propertyId}/${value}`;
}

const wantedValues = rowSource<UniqueValue>(
  ['type_id', 'integer', (row) => row.typeId],
  ['property_id', 'integer', (row) => row.propertyId],
  ['value', 'text', (row) => row.value],
);

const valueSource = rowSource<DryRunValue | Holder>(
  ['type_id', 'integer', (row) => row.typeId],
  ['property_id', 'integer', (row) => row.propertyId],
  ['value', 'text', (row) => row.value],
  ['record_id', 'uuid', (row) => row.recordId],
);
