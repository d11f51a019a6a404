// The served document against the contract, against the table of operations, against an independent linter, and as an
// oracle: the checks that every test relies on must find every sort of wrong answer.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/operations/all.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { Contract } from '../support/contract.ts';
import { statuses } from '../support/expect-problem.ts';
import { exampleOf } from '../support/operation-examples.ts';
import { root } from '../support/repository.ts';
import { startService, type TestService } from '../support/service.ts';

/** Contract 1: operation id, method, path, statuses of success. */
const contractOperations = `
  getRoot              | GET    | /                                                                                  | 200
  getOpenapi           | GET    | /openapi.json                                                                      | 200
  getSelf              | GET    | /self/                                                                             | 200
  listObjectTypes      | GET    | /objects/                                                                          | 200
  getObjectType        | GET    | /objects/{object_type}/                                                            | 200
  listFieldTypes       | GET    | /field_types/                                                                      | 200
  listRecords          | GET    | /objects/{object_type}/records/                                                    | 200
  listAssociationTypes | GET    | /objects/{object_type}/associations/                                               | 200
  putAssociation       | PUT    | /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/   | 200
  deleteAssociation    | DELETE | /objects/{object_type}/records/{id}/associations/{association_type}/{target_id}/   | 200
  createRecord         | POST   | /objects/{object_type}/records/                                                    | 201
  getRecord            | GET    | /objects/{object_type}/records/{id}/                                               | 200
  updateRecord         | PATCH  | /objects/{object_type}/records/{id}/                                               | 200
  deleteRecord         | DELETE | /objects/{object_type}/records/{id}/                                               | 200
  queryRecords         | POST   | /objects/{object_type}/records/query/                                              | 200
  aggregateRecords     | POST   | /objects/{object_type}/records/aggregate/                                          | 200
  listAssociated       | GET    | /objects/{object_type}/records/{id}/associations/{association_type}/               | 200
  upsertRecord         | PUT    | /objects/{object_type}/records/                                                    | 200 201
  batch                | POST   | /batch/                                                                            | 200 207
  listChanges          | GET    | /changes/                                                                          | 200`
  .trim()
  .split(/\n\s*/)
  .map((line) => line.split('|').map((cell) => cell.trim()));

interface Served {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

let service: TestService;
let client: Client;
// biome-ignore lint/suspicious/noExplicitAny: the document is JSON, and these tests are what checks its shape.
let document: any;
let served: readonly { readonly method: string; readonly path: string; readonly operation: Served }[];
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
  document = JSON.parse((await client.raw('GET', '/rest/v1/openapi.json')).text);
  served = Object.entries<Record<string, Served>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
});
afterAll(() => service.stop());

test('the document is OpenAPI 3.1 and lists exactly the operations of the table', () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  const listed = served.map(({ method, path, operation }) => `${operation.operationId} ${method} ${path}`);
  expect(listed.sort()).toEqual(operations.map(({ id, method, path }) => `${id} ${method} ${path}`).sort());
});

test('the operations of the table are the twenty of the contract, each with its method, path and status', () => {
  expect(served).toHaveLength(20);
  expect(contractOperations).toHaveLength(20);
  for (const { method, path, operation } of served) {
    const row = contractOperations.find(([id]) => id === operation.operationId);
    expect(row?.slice(0, 3), operation.operationId).toEqual([operation.operationId, method, path]);
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    expect(successes.sort().join(' '), operation.operationId).toBe(row?.[3]);
  }
});

test('every operation has a summary, a description, a known tag, its path parameters and refusals', () => {
  const tags = document.tags.map((tag: { name: string }) => tag.name);
  for (const { path, operation } of served) {
    expect(operation.summary).toMatch(/\S/);
    expect(operation.description).toMatch(/\S.*\.$/s);
    expect(operation.tags).toHaveLength(1);
    expect(tags).toContain(operation.tags[0]);
    const named = operation.parameters.filter((each) => each.in === 'path').map((each) => `{${each.name}}`);
    expect(named).toEqual(path.match(/\{[a-z_]+\}/g) ?? []);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '406', '429', '500', '503']));
  }
});

/** What an operation can do, as the first word of its description. */
const deeds = ['Returns', 'Creates', 'Updates', 'Sets', 'Moves', 'Links', 'Removes', 'Runs'];

test('a description says first what the operation does, and then at least one thing more', () => {
  for (const { operation } of served) {
    const [first = '', ...others] = operation.description.split(/(?<=\.) (?=[A-Z`])/);
    expect(deeds, `${operation.operationId}: ${first}`).toContain(first.split(' ')[0]);
    expect(others.length, operation.operationId).toBeGreaterThan(0);
  }
});

test('a refusal is listed under the status that the contract gives its code', () => {
  for (const { operation } of served) {
    for (const [status, { $ref }] of Object.entries(operation.responses)) {
      const code = $ref?.split('/').at(-1) ?? '';
      if ($ref !== undefined) expect(statuses[code], `${operation.operationId} ${status}`).toBe(Number(status));
    }
  }
  for (const operation of operations) {
    const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
    expect('401' in responses, operation.id).toBe(operation.access === 'key');
    // A batch names types and records in its body, a reader of changes a type in its query.
    const names = operation.path.includes('{') || ['batch', 'listChanges'].includes(operation.id);
    expect('404' in responses, operation.id).toBe(names);
    const takesBody = operation.body !== undefined;
    expect(['413', '415'].map((status) => status in responses)).toEqual([takesBody, takesBody]);
  }
});

test('every route of the document answers with the status of success that it declares', async () => {
  for (const operation of operations) {
    const { method, path, body } = await exampleOf(operation, client);
    const { status } = body === undefined ? await client.call(method, path) : await client.send(method, path, body);
    expect(status, operation.id).toBe(operation.answer.status);
    const { responses } = document.paths[operation.path][method.toLowerCase()];
    expect(Object.keys(responses).filter((each) => each.startsWith('2'))).toContain(String(status));
  }
});

test('every operation that takes a body describes it, and every write the headers that it supports', () => {
  const heeded: Readonly<Record<string, readonly string[]>> = {
    createRecord: ['Idempotency-Key', 'Svc-Dry-Run'],
    updateRecord: ['Idempotency-Key', 'If-Match', 'Svc-Dry-Run'],
    deleteRecord: ['If-Match', 'Svc-Dry-Run'],
    upsertRecord: ['Idempotency-Key', 'If-None-Match', 'Svc-Dry-Run'],
    batch: ['Idempotency-Key', 'Svc-Dry-Run'],
    putAssociation: ['If-Match', 'Svc-Dry-Run'],
    deleteAssociation: ['If-Match', 'Svc-Dry-Run'],
  };
  for (const { method, operation } of served) {
    const named = operation.parameters.filter((each) => each.in === 'header').map((each) => each.name);
    expect(named.sort(), operation.operationId).toEqual(heeded[operation.operationId] ?? []);
    const content = operation.requestBody?.content ?? {};
    const takesBody = method === 'POST' || method === 'PATCH' || operation.operationId === 'upsertRecord';
    expect(Object.keys(content), operation.operationId).toEqual(takesBody ? ['application/json'] : []);
    if (takesBody) expect(operation.requestBody?.required).toBe(true);
  }
});

test('the codes of a problem are the closed list of the contract, with their statuses', () => {
  const { code, status } = document.components.schemas.Problem.properties;
  expect(new Set(code.enum)).toEqual(new Set(Object.keys(statuses)));
  expect(code.enum).toHaveLength(16);
  expect(new Set(status.enum)).toEqual(new Set(Object.values(statuses)));
});

test('every component is referenced, except the answer to a method that a path does not support', () => {
  const text = JSON.stringify(document);
  const unused = ['headers', 'responses', 'schemas'].flatMap((kind) =>
    Object.keys(document.components[kind])
      .map((name) => `#/components/${kind}/${name}`)
      .filter((reference) => !text.includes(`"${reference}"`)),
  );
  expect(unused).toEqual(['#/components/responses/method_not_allowed']);
});

test('every list in the document says what its elements are', () => {
  const lists = schemasIn(document, '#').filter(({ schema }) => [schema.type].flat().includes('array'));
  expect(lists.length).toBeGreaterThan(30);
  expect(lists.filter(({ schema }) => schema.items === undefined).map(({ at }) => at)).toEqual([]);
});

test('lists of values and constants name their type, and maps have additionalProperties: generators read nothing else', () => {
  const schemas = schemasIn(document, '#');
  const values = schemas.filter(({ schema }) => 'enum' in schema || 'const' in schema);
  expect(values.length).toBeGreaterThan(50);
  expect(values.filter(({ schema }) => schema.type === undefined).map(({ at }) => at)).toEqual([]);
  const objects = schemas.filter(({ schema }) => schema.type === 'object');
  expect(objects.filter(({ schema }) => schema.properties === undefined).length).toBeGreaterThan(20);
  const unsaid = objects.filter(({ schema }) => (schema.properties ?? schema.additionalProperties) === undefined);
  expect(unsaid.map(({ at }) => at)).toEqual([]);
});

test('every page that the document leads to is served', async () => {
  const links = [...JSON.stringify(document).matchAll(/\]\((\/[^)]*)\)/g)].map((match) => match[1] ?? '');
  expect(links.length).toBeGreaterThan(2);
  for (const link of links) expect((await client.raw('GET', link)).status, link).toBe(200);
});

test('the document is one text, kept, and of a size that tools load at once', async () => {
  const ask = async () => {
    const { text, body } = await client.raw('GET', '/rest/v1/openapi.json');
    return text.replace((body as unknown as Record<string, string>)['x-request-id'] ?? '', '');
  };
  const text = await ask();
  expect(await ask()).toBe(text);
  expect(Buffer.byteLength(text)).toBeLessThan(300_000);
});

test('the document passes the linter without errors and without warnings', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const linter = join(root, 'node_modules', '.bin', 'redocly');
    const { stdout } = await promisify(execFile)(
      linter,
      ['lint', file, '--config', join(root, 'redocly.yaml'), '--format', 'json', '--lint-config', 'error'],
      { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' } },
    ).catch((error: { stdout: string; stderr: string }) => {
      if (error.stdout.startsWith('{')) return error;
      throw new Error(error.stderr);
    });
    const { totals, problems } = JSON.parse(stdout);
    expect(problems).toEqual([]);
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('the oracle of the test client', () => {
  /** Answers as they were served, successes and refusals, to plant errors in. */
  const recorded = new Map<string, Answer>();
  let contract: Contract;
  beforeAll(async () => {
    contract = new Contract(JSON.stringify(document));
    recorded.set('/self/', await client.raw('GET', '/rest/v1/self/'));
    recorded.set('/objects/svc_deal/', await client.raw('GET', '/rest/v1/objects/svc_deal/'));
    recorded.set('/objects/nope/', await client.raw('GET', '/rest/v1/objects/nope/'));
    recorded.set('/objects/', await service.client().raw('GET', '/rest/v1/objects/'));
  });

  test('accepts answers as they were served', () => {
    for (const [path, answer] of recorded) expect(() => contract.check('GET', path, answer)).not.toThrow();
  });

  // biome-ignore lint/suspicious/noExplicitAny: an error is planted in JSON of any shape.
  type Plant = (body: any, headers: Headers) => Partial<Answer> | undefined;

  test.each<[fault: string, path: string, plant: Plant]>([
    ['a member of the wrong type', '/self/', (body) => set(() => (body.data.org_id = '1'))],
    ['a missing member of the envelope', '/self/', (body) => set(() => delete body.request_id)],
    ['a missing member of the data', '/self/', (body) => set(() => delete body.data.limits.groups)],
    ['an extra member of the envelope', '/self/', (body) => set(() => (body.extra = 1))],
    ['an extra member deep in the data', '/objects/svc_deal/', (body) => set(() => (body.data.properties[0].id = 1))],
    ['a value outside a closed list', '/self/', (body) => set(() => (body.data.reach = 'world'))],
    ['null where there is none', '/self/', (body) => set(() => (body.data.credential.expires_at = null))],
    ['a date in another format', '/self/', (body) => set(() => (body.data.credential.expires_at = 'tomorrow'))],
    ['an object where a list belongs', '/objects/svc_deal/', (body) => set(() => (body.data.properties = {}))],
    ['a code outside the closed list', '/objects/nope/', (body) => set(() => (body.code = 'lost'))],
    ['a code of another status', '/objects/nope/', (body) => set(() => (body.code = 'conflict'))],
    ['an extra member of a problem', '/objects/nope/', (body) => set(() => (body.stack = 'at line 1'))],
    ['an extra member of a fault', '/objects/nope/', (body) => set(() => (body.errors = [fault()]))],
    ['a missing header', '/self/', (_, headers) => set(() => headers.delete('ratelimit'))],
    ['a missing header of one refusal', '/objects/', (_, headers) => set(() => headers.delete('www-authenticate'))],
    ['a header with the wrong value', '/self/', (_, headers) => set(() => headers.set('cache-control', 'private'))],
    ['a header of the wrong form', '/self/', (_, headers) => set(() => headers.set('ratelimit-policy', 'org;q=1'))],
    ['the wrong media type', '/self/', (_, headers) => set(() => headers.set('content-type', 'text/html'))],
    ['a problem as plain JSON', '/objects/nope/', (_, headers) => set(() => headers.set('content-type', json))],
    ['a status that is not declared', '/self/', () => ({ status: 201 })],
    ['a success with the status of a refusal', '/self/', () => ({ status: 400 })],
    ['a refusal with the status of a success', '/objects/nope/', () => ({ status: 200 })],
  ])('finds %s', (_, path, plant) => {
    const answer = recorded.get(path) as Answer;
    const body = structuredClone(answer.body);
    const headers = new Headers(answer.headers);
    const planted = { ...answer, body, headers, ...plant(body, headers) };
    expect(() => contract.check('GET', path, planted)).toThrow();
  });

  test('finds a body in an answer to HEAD, and an answer to a path that does not exist', () => {
    const answer = recorded.get('/self/') as Answer;
    expect(() => contract.check('HEAD', '/self/', answer)).toThrow();
    expect(() => contract.check('GET', '/selves/', answer)).toThrow();
    expect(() => contract.check('POST', '/self/', answer)).toThrow();
  });
});

const json = 'application/json; charset=utf-8';

interface FoundSchema {
  readonly at: string;
  readonly schema: {
    readonly type?: string | readonly string[];
    readonly items?: unknown;
    readonly properties?: unknown;
    readonly additionalProperties?: unknown;
  };
}

/** Every schema in the document that says something of its values. In examples, which are data, any name can be a member. */
function schemasIn(node: unknown, at: string): readonly FoundSchema[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, enum: values, const: value } = node as { readonly type?: unknown; enum?: unknown; const?: unknown };
  const isConstant = value !== undefined && typeof value !== 'object';
  const typed = typeof type === 'string' || Array.isArray(type) || Array.isArray(values) || isConstant;
  const below = Object.entries(node).filter(([name]) => name !== 'example' && name !== 'examples');
  return [
    ...(typed ? [{ at, schema: node as FoundSchema['schema'] }] : []),
    ...below.flatMap(([name, each]) => schemasIn(each, `${at}/${name}`)),
  ];
}

/** Runs a change and ignores its result. */
function set(change: () => unknown): undefined {
  change();
  return undefined;
}

function fault(): Record<string, string> {
  return { parameter: 'limit', reason: 'unknown_parameter', detail: 'There is none.', line: '1' };
}
