// Helpers for the links of a record: their paths, requests that must succeed, and a record of a type that no key can
// write, put directly into the database.
import { expect } from 'vitest';
import type { GrantOperation } from '../../src/access/grant.ts';
import { newId } from '../../src/base/id.ts';
import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import { rawQuery } from './database.ts';
import { make, pathOfRecord, type RecordData } from './records.ts';
import type { TestService } from './service.ts';

export type End = Pick<RecordData, 'object_type' | 'id'>;

interface AssociatedRecord extends RecordData {
  readonly associated_at: string;
  readonly title?: string;
}

/** The data of an answer to PUT and DELETE of a link. */
interface LinkAnswer {
  readonly association_type: string;
  readonly source: End;
  readonly target: End;
  readonly changed: boolean;
  readonly replaced_target_id?: string;
  readonly stage_timer_id?: string;
}

export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function linksPath(record: End, associationType: string): string {
  return `${pathOfRecord(record)}associations/${associationType}/`;
}

export function linkPath(source: End, associationType: string, targetId: string): string {
  return `${linksPath(source, associationType)}${targetId}/`;
}

export function putLink(client: Client, source: End, type: string, targetId: string, headers = {}): Promise<Answer> {
  return client.call('PUT', linkPath(source, type, targetId), { headers });
}

export function deleteLink(client: Client, source: End, type: string, targetId: string, headers = {}): Promise<Answer> {
  return client.delete(linkPath(source, type, targetId), headers);
}

/** Links; fails if that is refused. */
export async function link(client: Client, source: End, type: string, targetId: string): Promise<LinkAnswer> {
  const answer = await putLink(client, source, type, targetId);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

export async function unlink(client: Client, source: End, type: string, targetId: string): Promise<LinkAnswer> {
  const answer = await deleteLink(client, source, type, targetId);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** The first page of the linked records. `query` begins without a question mark. */
export async function associated(
  client: Client,
  record: End,
  type: string,
  query = '',
): Promise<readonly AssociatedRecord[]> {
  const answer = await client.get(`${linksPath(record, type)}${query === '' ? '' : `?${query}`}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** One record of each type, in this order. */
export async function makeAll<const Types extends readonly string[]>(client: Client, ...types: Types) {
  const made: RecordData[] = [];
  for (const type of types) made.push(await make(client, type));
  return made as { [Index in keyof Types]: RecordData };
}

/** A key of the org that may do one thing to each of these types. */
export async function keyWith(
  service: TestService,
  orgId: number,
  ...grants: readonly (readonly [string, GrantOperation])[]
): Promise<Client> {
  const listed = grants.map(([type, operation]) => ({ objectTypes: [type], operations: [operation] }));
  return service.client((await service.createKey(orgId, { grants: listed })).key);
}

export const endOf = ({ object_type, id }: End): End => ({ object_type, id });
export const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

/** The numbers of these types in tables. */
const typeIds = { svc_meeting: 11, svc_email_thread: 13, svc_file: 16 } as const;

/** A record of a type that is filled from a connected system. */
export async function plant(
  { databaseUrl }: TestService,
  orgId: number,
  object_type: keyof typeof typeIds,
): Promise<RecordData> {
  const id = newId();
  const at = new Date().toISOString();
  const properties = { svc_created_at: at, svc_updated_at: at, svc_subject: 'Planted' };
  await rawQuery(
    databaseUrl,
    `insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties)
     values ($1, $2, $3, 1, $4, true, $5)`,
    [orgId, typeIds[object_type], id, at, JSON.stringify(properties)],
  );
  return { id, object_type, version: '1', properties };
}
