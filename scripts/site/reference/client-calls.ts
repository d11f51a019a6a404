// How each operation is called with `@orrery/client`: the method, and where the parts of a request go in its arguments.
import type { Json } from '../../../src/base/json.ts';
import type { Example } from '../../../src/operations/operation.ts';

export interface ClientCall {
  /** The object type, if the method is one of `client.records(…)`. */
  readonly records?: string | undefined;
  readonly method: string;
  readonly arguments: readonly Json[];
  /** The method returns pages, of which the example takes the first. */
  readonly isPaged?: true;
}

type Values = Readonly<Record<string, Json>>;
type Call = (sent: Sent) => Omit<ClientCall, 'records'>;

interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Values;
  /** Options that follow from headers. */
  readonly options: Values;
}

const onClient: Readonly<Record<string, Call>> = {
  getRoot: () => ({ method: 'getRoot', arguments: [] }),
  getOpenapi: () => ({ method: 'getOpenapi', arguments: [] }),
  getSelf: () => ({ method: 'getSelf', arguments: [] }),
  listObjectTypes: () => ({ method: 'listObjectTypes', arguments: [] }),
  getObjectType: ({ path }) => ({ method: 'getObjectType', arguments: [path['object_type'] ?? ''] }),
  listFieldTypes: () => ({ method: 'listFieldTypes', arguments: [] }),
  listAssociationTypes: ({ path }) => ({ method: 'listAssociationTypes', arguments: [path['object_type'] ?? ''] }),
  batch: ({ body: { operations = [], ...rest }, options }) => ({
    method: 'batch',
    arguments: [operations, ...optional({ ...rest, ...options })],
  }),
  listChanges: ({ query }) => ({ method: 'listChanges', arguments: optional(queryOptions(query)), isPaged: true }),
};

const onRecords: Readonly<Record<string, Call>> = {
  listRecords: ({ query }) => ({ method: 'list', arguments: optional(queryOptions(query)), isPaged: true }),
  queryRecords: ({ body }) => ({ method: 'query', arguments: [body], isPaged: true }),
  aggregateRecords: ({ body }) => ({ method: 'aggregate', arguments: [body], isPaged: true }),
  getRecord: ({ path, query }) => ({ method: 'get', arguments: [id(path), ...optional(queryOptions(query))] }),
  createRecord: ({ body: { properties = {}, ...rest }, options }) => ({
    method: 'create',
    arguments: [properties, ...optional({ ...rest, ...options })],
  }),
  upsertRecord: ({ query, body: { properties = {}, ...rest }, options }) => ({
    method: 'upsert',
    arguments: [query['match'] ?? '', properties, ...optional({ ...rest, ...options })],
  }),
  updateRecord: ({ path, body, options }) => ({
    method: 'update',
    arguments: [id(path), body['properties'] ?? {}, ...optional(options)],
  }),
  deleteRecord: ({ path, options }) => ({ method: 'delete', arguments: [id(path), ...optional(options)] }),
  putAssociation: (sent) => ({ method: 'putAssociation', arguments: linkArguments(sent) }),
  deleteAssociation: (sent) => ({ method: 'deleteAssociation', arguments: linkArguments(sent) }),
  listAssociated: ({ path, query }) => ({
    method: 'listAssociated',
    arguments: [id(path), path['association_type'] ?? '', ...optional(queryOptions(query))],
    isPaged: true,
  }),
};

export function clientCall(operationId: string, example: Example): ClientCall {
  const { path = {}, query = {}, headers = {}, body = {} } = example;
  const sent = { path, query, body: body as Values, options: headerOptions(headers) };
  const direct = onClient[operationId];
  if (direct !== undefined) return direct(sent);
  const call = onRecords[operationId];
  if (call === undefined) throw new Error(`No call of the client is known for ${operationId}.`);
  return { records: path['object_type'], ...call(sent) };
}

function id(path: Sent['path']): string {
  return path['id'] ?? '';
}

function linkArguments({ path, options }: Sent): readonly Json[] {
  return [id(path), path['association_type'] ?? '', path['target_id'] ?? '', ...optional(options)];
}

/** Options that are empty are left out. */
function optional(options: Values): readonly Json[] {
  return Object.keys(options).length === 0 ? [] : [options];
}

function queryOptions(query: Sent['query']): Values {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [camelCase(name), optionOf(name, value)]));
}

function optionOf(name: string, value: string): Json {
  if (name === 'properties' || name === 'include') return value.split(',');
  return /^[0-9]+$|^(true|false)$/.test(value) ? (JSON.parse(value) as Json) : value;
}

function headerOptions(headers: Readonly<Record<string, string | undefined>>): Values {
  const options: Record<string, Json> = {};
  for (const [name, value = ''] of Object.entries(headers)) {
    if (name === 'Svc-Dry-Run') options['dryRun'] = true;
    // The client takes a version, and a key without quotes.
    else options[camelCase(name.replaceAll('-', '_').toLowerCase())] = value.replaceAll('"', '');
  }
  return options;
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
