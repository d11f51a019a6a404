// Every example of the OpenAPI document is replayed against a real service: requests are sent and succeed as they say,
// answers are compared with the real ones, problems are provoked. An example that nothing replays fails, wherever it
// was added.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { operations } from '../../src/operations/all.ts';
import { problemExamples } from '../../src/operations/examples/problems.ts';
import { exampleCursor, exampleOrigin } from '../../src/operations/examples/records.ts';
import type { Example, Operation } from '../../src/operations/operation.ts';
import type { Answer } from '../support/answer.ts';
import { Comparison, createWorld, sendExample, type World } from '../support/openapi/examples.ts';
import { provocations } from '../support/openapi/problems.ts';
import { startService, type TestService } from '../support/service.ts';

interface MediaType {
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: Json }>>;
}

interface Served {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly example?: Json;
    readonly schema: { readonly type: string; readonly examples?: readonly Json[] };
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Served>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, MediaType>> }>>;
    readonly headers: Readonly<Record<string, { readonly example: Json }>>;
  };
}

const jsonType = 'application/json';
const problemType = 'application/problem+json';
const table = operations.flatMap((operation) =>
  Object.entries(operation.examples).map(
    ([name, example]) => [`${operation.id}: ${name}`, operation, example] as const,
  ),
);

let service: TestService;
/** For examples that change no records; every example that writes has its own world. */
let shared: World;
let document: Document;
/** The examples of the document that were used, by their places. */
const replayed = new Set<string>();
beforeAll(async () => {
  service = await startService({ settings: { release: '0.1.0', publicUrl: exampleOrigin } });
  shared = await createWorld(service);
  document = JSON.parse((await service.client().raw('GET', '/rest/v1/openapi.json')).text) as Document;
});
afterAll(() => service.stop());

/** What an example needs besides the records that all of them use. */
const before: Readonly<Record<string, (world: World) => Promise<World>>> = {
  'getSelf: caller': async (world) => {
    const { key } = await service.createKey(world.orgId, {
      name: 'CRM sync',
      expiresAt: new Date(Date.now() + 86_400_000),
      grants: [
        {
          objectTypes: ['svc_contact', 'svc_company'],
          operations: ['read', 'create', 'update', 'delete', 'associate'],
        },
        { objectTypes: ['*'], operations: ['read'] },
      ],
    });
    return { ...world, client: service.client(key) };
  },
  'listChanges: history': async (world) => {
    const operation = operationOf('batch');
    const { status } = await sendExample(operation, operation.examples['each_for_itself'] as Example, world);
    expect(status).toBe(207);
    return world;
  },
};

test.each(table)('%s', async (title, operation, example) => {
  const prepare = before[title] ?? ((world: World) => Promise.resolve(world));
  const isRead = operation.method === 'GET' || ['queryRecords', 'aggregateRecords'].includes(operation.id);
  const world = await prepare(isRead && before[title] === undefined ? shared : await createWorld(service));
  const answer = await sendExample(operation, example, world);
  const name = title.slice(operation.id.length + 2);
  const stated = example.answer !== undefined && 'data' in example.answer ? example.answer.status : undefined;
  const wanted = stated ?? operation.answer.status;
  expect(answer.status, answer.text).toBe(wanted);
  expect(answer.body.dry_run).toBe(example.headers?.['Svc-Dry-Run'] === undefined ? undefined : true);
  const at = `/paths${step(operation.path)}/${operation.method.toLowerCase()}`;
  const served = document.paths[operation.path]?.[operation.method.toLowerCase()] as Served;
  noteParameters(served, example, at);
  noteHeaders(answer);
  if (example.body !== undefined) {
    expect(served.requestBody?.content[jsonType]?.examples?.[name]?.value).toEqual(example.body);
    replayed.add(`${at}/requestBody/content${step(jsonType)}/examples/${name}`);
  }
  if (example.answer !== undefined) {
    const shown = served.responses[wanted]?.content?.[jsonType]?.examples?.[name]?.value ?? null;
    const comparison = new Comparison(world.ids, example.excerpt === true ? 'excerpt' : 'whole');
    expect(comparison.differences(shown, answer.body as unknown as Json)).toEqual([]);
    replayed.add(`${at}/responses/${wanted}/content${step(jsonType)}/examples/${name}`);
  }
  if (example.headers?.['Idempotency-Key'] !== undefined) {
    const again = await sendExample(operation, example, world);
    expect(again.body.data).toEqual(answer.body.data);
    expect(again.headers.get('svc-idempotent-replay')).toBe('true');
    noteHeaders(again);
  }
});

test.each(Object.entries(provocations))('the problem %s', async (title, provoke) => {
  const answer = await provoke(shared);
  const [code = '', name = ''] = title.split('/');
  const example = document.components.responses[code]?.content[problemType]?.examples?.[name];
  expect(example, `${title} is in the document`).toBeDefined();
  const comparison = new Comparison(shared.ids, 'whole');
  expect(comparison.differences(example?.value ?? null, answer.body as unknown as Json)).toEqual([]);
  noteHeaders(answer);
  replayed.add(`/components/responses/${code}/content${step(problemType)}/examples/${name}`);
});

test('the example of every field type is accepted as the value of a property, alone and in a list', async () => {
  const orgId = await service.createOrg();
  const { body } = await shared.client.get('/field_types/');
  const types: readonly { readonly name: string; readonly example: Json }[] = body.data;
  const values = types.flatMap(({ name, example }) => [[name, example] as const, [`${name}_list`, [example]] as const]);
  await service.applySchema(orgId, {
    object_types: [
      {
        name: 'sample',
        label: 'Sample',
        properties: types.flatMap(({ name, example }) => {
          const options = name === 'select' ? { options: [{ value: example, label: 'Chosen' }] } : {};
          const single = { name, label: name, field_type: name, ...options };
          return [single, { ...single, name: `${name}_list`, multi_valued: true }];
        }),
      },
    ],
  });
  const sent = { properties: Object.fromEntries(values) };
  const client = service.client((await service.createKey(orgId)).key);
  const created = await client.post('/objects/sample/records/', sent);
  expect(created.status, created.text).toBe(201);
  expect(created.body.data.properties).toMatchObject(sent.properties);
});

test('every example of the document was replayed', () => {
  const places = placesOf(document as unknown as Json, '');
  expect(places.length).toBeGreaterThan(150);
  // Two examples with one code and reason would share one place.
  expect(Object.keys(provocations)).toHaveLength(problemExamples.length);
  expect(places.filter((place) => !replayed.has(place))).toEqual([]);
  expect([...replayed].filter((place) => !places.includes(place))).toEqual([]);
});

test('every parameter, body, success and problem has an example', () => {
  const bare = placesOf(document as unknown as Json, '');
  const lacking: string[] = [];
  const need = (place: string) => {
    if (!bare.some((each) => each.startsWith(`${place}/`))) lacking.push(place);
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters, requestBody, responses }] of Object.entries(methods)) {
      const at = `/paths${step(path)}/${method}`;
      for (const index of parameters.keys()) need(`${at}/parameters/${index}`);
      if (requestBody !== undefined) need(`${at}/requestBody`);
      for (const status of Object.keys(responses)) if (status.startsWith('2')) need(`${at}/responses/${status}`);
    }
  }
  for (const code of Object.keys(document.components.responses)) need(`/components/responses/${code}`);
  for (const name of Object.keys(document.components.headers)) need(`/components/headers/${name}`);
  expect(lacking).toEqual([]);
});

test('every example fits its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document as unknown as object, 'document');
  for (const place of placesOf(document as unknown as Json, '')) {
    const isOfSchema = /\/examples\/\d+$/.test(place);
    const schema = isOfSchema
      ? place.replace(/\/examples\/\d+$/, '')
      : place.replace(/\/(example|examples\/\w+)$/, '/schema');
    const validate = ajv.getSchema(`document#${encodeURI(schema)}`);
    const found = valueAt(place) as Json;
    const value = isOfSchema || place.endsWith('/example') ? found : (found as { value: Json }).value;
    expect(validate?.(value), `${place}: ${JSON.stringify(validate?.errors)}`).toBe(true);
  }
});

test('what tools fill in for a first try names no record that the reader does not have', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { parameters } of Object.values(methods)) {
      for (const { name, in: place, example } of parameters) {
        const isOwn = /id$/.test(name);
        if (isOwn || place === 'header') expect(example, `${path} ${name}`).toBeUndefined();
        else if (place === 'path') expect(example, `${path} ${name}`).toBeDefined();
        expect(example, `${path} ${name}`).not.toBe(exampleCursor);
      }
    }
  }
});

test('an example that differs from the real answer is found', () => {
  const [shown, real] = ['019a8c2e-4f10-7a31-9b52-6d0e8f1c2a01', '019b0000-0000-7000-8000-000000000001'] as const;
  const ids = new Map([[shown, real]]);
  const body = { id: shown, list: [{ name: 'a' }, { name: 'b' }], at: '2026-11-16T09:30:00.000Z', next_cursor: 'x' };
  const came = { ...body, id: real, at: '2027-01-01T00:00:00.000Z', next_cursor: 'y' };
  const differ = (one: Json, other: Json, how: 'whole' | 'excerpt' = 'whole') =>
    new Comparison(ids, how).differences(one, other).length;
  expect(differ(body, came)).toBe(0);
  expect(differ(body, { ...came, id: '019b0000-0000-7000-8000-000000000002' })).toBe(1);
  expect(differ(body, { ...came, next_cursor: null })).toBe(1);
  expect(differ(body, { ...came, at: 'today' })).toBe(1);
  expect(differ(body, { ...came, more: 1 })).toBe(1);
  expect(differ(body, { ...came, list: [{ name: 'b' }, { name: 'a' }] })).toBe(2);
  expect(differ({ list: [{ name: 'b' }] }, came)).toBe(5);
  expect(differ({ list: [{ name: 'b' }] }, came, 'excerpt')).toBe(0);
  expect(differ({ list: [{ name: 'b' }, { name: 'a' }] }, came, 'excerpt')).toBe(1);
});

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}.`);
  return found;
}

/** A parameter's example was used where the request sent exactly that. */
function noteParameters({ parameters }: Served, { path, query, headers }: Example, at: string): void {
  const sent: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = { path, query, header: headers };
  for (const [index, { name, in: place, example, schema }] of parameters.entries()) {
    const value = sent[place]?.[name];
    if (value === undefined) continue;
    if (isSent(example, value)) replayed.add(`${at}/parameters/${index}/example`);
    for (const [which, each] of (schema.examples ?? []).entries()) {
      if (isSent(each, value)) replayed.add(`${at}/parameters/${index}/schema/examples/${which}`);
    }
  }
}

function isSent(example: Json | undefined, sent: string): boolean {
  return typeof example === 'string' ? example === sent : JSON.stringify(example) === sent;
}

/** The client has checked the header against the document; its example is a possible value. */
function noteHeaders({ headers }: Answer): void {
  for (const [name] of Object.entries(document.components.headers)) {
    if (headers.has(name)) replayed.add(`/components/headers/${name}/example`);
  }
  // The document has a component of its own for its tag.
  if (headers.get('etag')?.startsWith('W/') === true) replayed.add('/components/headers/Document-ETag/example');
}

/** The places of all examples. Below `properties` are names, which may be any word. */
function placesOf(node: Json, at: string): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((each, index) => placesOf(each, `${at}/${index}`));
  return Object.entries(node).flatMap(([name, part]): readonly string[] => {
    const place = `${at}${step(name)}`;
    const isName = at.endsWith('/properties');
    if (name === 'example' && !isName) return [place];
    if (name === 'examples' && !isName) return Object.keys(part as object).map((each) => `${place}/${each}`);
    return placesOf(part, place);
  });
}

function valueAt(place: string): unknown {
  return place
    .split('/')
    .slice(1)
    .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, name) => (node as Readonly<Record<string, unknown>>)[name], document);
}

function step(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`.replace('//', '/');
}
