// Shared by tests of records: paths, helpers to make and read one, and the links as the database has them.
import assert from 'node:assert/strict';
import { sql } from '../../src/base/sql.ts';
import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import type { TestService } from './service.ts';

export interface RecordData {
  readonly id: string;
  readonly object_type: string;
  readonly version: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface LinkData {
  readonly association_type: string;
  readonly target_id: string;
}

interface Fault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly property?: string;
  readonly reason: string;
  readonly nearest?: string;
}

export const contacts = recordsPath('svc_contact');
export const companies = recordsPath('svc_company');

export function recordsPath(type: string): string {
  return `/objects/${type}/records/`;
}

export function pathOfRecord({ object_type, id }: Pick<RecordData, 'object_type' | 'id'>): string {
  return `${recordsPath(object_type)}${id}/`;
}

/** Makes a record; fails if that is refused. */
export async function make(
  client: Client,
  type: string,
  properties: Readonly<Record<string, unknown>> = {},
  associations?: readonly LinkData[],
): Promise<RecordData> {
  const answer = await client.post(recordsPath(type), { properties, ...(associations && { associations }) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

/** The record as a read gives it. */
export async function read(client: Client, record: Pick<RecordData, 'object_type' | 'id'>): Promise<RecordData> {
  const answer = await client.get(pathOfRecord(record));
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** The values that were sent, without the dates that the service adds. */
export function sentValues({ properties }: RecordData): Readonly<Record<string, unknown>> {
  const { svc_created_at: _, svc_updated_at: __, ...sent } = properties;
  return sent;
}

/** All ids of the type, in the order of the list. */
export async function listedIds(client: Client, type: string): Promise<readonly string[]> {
  const answer = await client.get(`${recordsPath(type)}?limit=500&properties=svc_created_at`);
  assert.equal(answer.body.pagination?.next_cursor, null, 'more records than a test should have');
  return answer.body.data.map((record: RecordData) => record.id);
}

/** Pointer, property, reason and nearest of each error, by which a client decides. */
export function faultsOf({ body }: Answer): readonly Fault[] {
  return (body.errors ?? []).map(({ pointer, parameter, property, reason, nearest }) => ({
    ...(pointer === undefined ? {} : { pointer }),
    ...(parameter === undefined ? {} : { parameter }),
    ...(property === undefined ? {} : { property }),
    reason,
    ...(nearest === undefined ? {} : { nearest }),
  }));
}

/** The ids of the live records that the live record is linked to, in the order of their creation. */
export async function targetsOf({ database }: TestService, sourceId: string): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(sql`
    select t.id from orrery.association as a
    join orrery.record as s on s.org_id = a.org_id and s.id = a.source_id
    join orrery.record as t on t.org_id = a.org_id and t.id = a.target_id
    where a.source_id = ${sourceId} order by t.id`);
  return rows.map((row) => row.id);
}

/** A key without a user and reach of the whole org, on an org with this schema. */
export async function clientWithSchema(service: TestService, schema: unknown): Promise<Client> {
  const orgId = await service.createOrg();
  await service.applySchema(orgId, schema);
  return service.client((await service.createKey(orgId)).key);
}
