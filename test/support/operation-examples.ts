// A request of each operation that succeeds, for tests that walk the table of operations. The records that it needs are made first,
// so that it can be sent again and again: a delete has a record of its own each time, an upsert a new address.
import { newId } from '../../src/base/id.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Client } from './client.ts';
import type { WireHeaders } from './raw-exchange.ts';

export interface Example {
  readonly method: string;
  /** Below /rest/v1, with the query that the operation needs. */
  readonly path: string;
  readonly body: string | undefined;
}

/** A record id that no record has. */
export const absentId = '01890a5d-ac96-774b-bcce-b302099a8057';

/** The path with an example for each of its parameters; a new path parameter needs its example here. */
export function pathOf(
  { path }: Operation,
  { type = 'svc_contact', id = absentId, association = 'svc_contact_to_company', target = absentId } = {},
): string {
  const examples: Readonly<Record<string, string>> = {
    object_type: type,
    id,
    association_type: association,
    target_id: target,
  };
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`There is no example for the path parameter ${name}.`);
    return example;
  });
}

/** The body and query of each operation that takes a body; a new one needs its example here. */
const bodies: Readonly<Record<string, () => { readonly query?: string; readonly body: unknown }>> = {
  createRecord: () => ({ body: { properties: { svc_first_name: 'Ada' } } }),
  updateRecord: () => ({ body: { properties: { svc_first_name: 'Grace' } } }),
  queryRecords: () => ({ body: { filter: { property: 'svc_first_name', operator: 'is_set' }, limit: 5 } }),
  aggregateRecords: () => ({ body: { aggregations: [{ function: 'count' }] } }),
  upsertRecord: () => ({ query: '?match=svc_email', body: { properties: { svc_email: [`${newId()}@example.com`] } } }),
  batch: () => ({ body: { operations: [{ operation: 'create', object_type: 'svc_contact', properties: {} }] } }),
};

export async function exampleOf(operation: Operation, client: Client): Promise<Example> {
  const { id, method, path } = operation;
  const record = path.includes('{id}') ? await newRecord(client, 'svc_contact') : absentId;
  const target = path.includes('{target_id}') ? await newRecord(client, 'svc_company') : absentId;
  const example = bodies[id]?.();
  if (operation.body !== undefined && example === undefined)
    throw new Error(`There is no example of a body for ${id}.`);
  return {
    method,
    path: `${pathOf(operation, { id: record, target })}${example?.query ?? ''}`,
    body: example && JSON.stringify(example.body),
  };
}

async function newRecord(client: Client, type: string): Promise<string> {
  return (await client.post(`/objects/${type}/records/`, { properties: {} })).body.data.id;
}

/** The headers of a body on the wire. */
export function bodyHeaders(body: string | undefined): WireHeaders {
  if (body === undefined) return [];
  return [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
  ];
}
