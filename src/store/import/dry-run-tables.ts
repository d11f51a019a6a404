// What a dry run of an import would have written so far, in temporary tables of its connection: later rows find it there,
// as they would find it in the tables, and nobody else ever sees or waits for any of it.
import type { Json } from '../../base/json.ts';
import { sql } from '../../base/sql.ts';
import type { OwnConnection } from '../database.ts';
import type { StoredRecord } from '../records/records.ts';
import type { Holder, UniqueValue } from '../records/unique-values.ts';
import { recordSource, type WriteSet } from '../records/write-records.ts';
import { ids, rowSource } from '../row-parameters.ts';

export async function beginTrial(connection: OwnConnection): Promise<void> {
  await connection.script(`
    create temporary table trial_record (
      type_id integer not null, id uuid primary key, version bigint not null, updated_at timestamptz not null,
      org_visible boolean not null, properties jsonb not null);
    create temporary table trial_value (
      property_id integer not null, value text collate "C" not null, record_id uuid,
      primary key (property_id, value))`);
}

/** A unique value that the trial has given to a record, or taken from one. */
interface TrialValue {
  readonly propertyId: number;
  readonly value: string;
  readonly recordId: string | null;
}

export async function findTrialValues(
  connection: OwnConnection,
  values: readonly UniqueValue[],
): Promise<readonly TrialValue[]> {
  if (values.length === 0) return [];
  return connection.query<TrialValue>(sql`
    select v.property_id as "propertyId", v.value, v.record_id as "recordId" from pg_temp.trial_value as v
    join ${wantedValues(values)} on v.property_id = k.property_id and v.value = k.value`);
}

/** Those of the records that the trial has made or changed, as it has left them. */
export async function findTrialRecords(
  connection: OwnConnection,
  recordIds: readonly string[],
): Promise<readonly StoredRecord[]> {
  if (recordIds.length === 0) return [];
  const rows = await connection.query<TrialRow>(sql`
    select type_id as "typeId", id, version, updated_at as "updatedAt", org_visible as "orgVisible", properties
    from pg_temp.trial_record where id = any (${ids(recordIds)}::uuid[])`);
  return rows.map(({ version, updatedAt, ...rest }) => ({
    ...rest,
    version: Number(version),
    updatedAtMs: updatedAt.getTime(),
  }));
}

interface TrialRow {
  readonly typeId: number;
  readonly id: string;
  readonly version: string;
  readonly updatedAt: Date;
  readonly orgVisible: boolean;
  readonly properties: Readonly<Record<string, Json>>;
}

/** Adds what another batch would have written. */
export async function keepTrial(connection: OwnConnection, { removed, written }: WriteSet): Promise<void> {
  const records = [...written.inserted, ...written.updated];
  if (records.length > 0) {
    await connection.query(sql`
      insert into pg_temp.trial_record (type_id, id, version, updated_at, org_visible, properties)
      select k.type_id, k.id, k.version, k.updated_at, k.org_visible, k.properties::jsonb from ${recordSource(records)}
      on conflict (id) do update set version = excluded.version, updated_at = excluded.updated_at,
        properties = excluded.properties`);
  }
  // What one record gives up another may have taken.
  const taken = new Map(written.unique.map((holder) => [`${holder.propertyId}/${holder.value}`, holder]));
  const given = removed.unique.filter(({ propertyId, value }) => !taken.has(`${propertyId}/${value}`));
  const values: readonly TrialValue[] = [
    ...taken.values(),
    ...given.map(({ propertyId, value }) => ({ propertyId, value, recordId: null })),
  ];
  if (values.length === 0) return;
  await connection.query(sql`
    insert into pg_temp.trial_value (property_id, value, record_id)
    select k.property_id, k.value, k.record_id from ${trialValues(values)}
    on conflict (property_id, value) do update set record_id = excluded.record_id`);
}

const wantedValues = rowSource<UniqueValue>(
  ['property_id', 'integer', (row) => row.propertyId],
  ['value', 'text', (row) => row.value],
);

const trialValues = rowSource<TrialValue | Holder>(
  ['property_id', 'integer', (row) => row.propertyId],
  ['value', 'text', (row) => row.value],
  ['record_id', 'uuid', (row) => row.recordId],
);
