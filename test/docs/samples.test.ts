// Every example of the reference runs as its page prints it, in every language, and sends exactly the request of the
// example. The examples in JavaScript also compile against the client.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientCall } from '../../scripts/site/reference/client-calls.ts';
import { sampleLanguages } from '../../scripts/site/reference/samples.ts';
import { operations } from '../../src/operations/all.ts';
import type { Example, Operation } from '../../src/operations/operation.ts';
import { compile } from '../support/client/compile.ts';
import { textOf } from '../support/docs/page-text.ts';
import {
  hasPython,
  type Noted,
  type NotingServer,
  runners,
  type Sample,
  startNotingServer,
} from '../support/docs/run-samples.ts';
import { createWorld, textIn, type World } from '../support/openapi/examples.ts';
import { startService, type TestService } from '../support/service.ts';

type Language = (typeof sampleLanguages)[number]['language'];

const examples = operations.flatMap((operation) =>
  Object.entries(operation.examples).map(([name, example]) => ({
    title: `${operation.id}_${name}`,
    operation,
    example,
  })),
);

let service: TestService;
/** For examples that change no records; each of the others has a world of its own. */
let shared: World;
beforeAll(async () => {
  service = await startService();
  shared = await createWorld(service);
});
afterAll(() => service.stop());

test('Python is installed if the check is required', async () => {
  const required = process.env['PYTHON_CHECK'] === 'required';
  expect(required && !(await hasPython()), 'Install it: apt-get install python3').toBe(false);
});

test.each(sampleLanguages.map(({ language }) => language))(
  'every example runs as it is printed: %s',
  async (language) => {
    if (language === 'python' && !(await hasPython())) {
      process.stderr.write('The examples in Python are not run: there is no python3 on this machine.\n');
      return;
    }
    const server = await startNotingServer(service.url);
    try {
      const printed = await printedSamples(server, language);
      const prepared = await Promise.all(examples.map((each) => prepare(each, printed)));
      await runners[language](prepared.map(({ sample }) => sample));
      expect(server.noted).toHaveLength(prepared.length);
      for (const [index, { sample, operation, example }] of prepared.entries()) {
        const noted = server.noted[index] as Noted;
        const stated = example.answer !== undefined && 'data' in example.answer ? example.answer.status : undefined;
        expect({ title: sample.title, ...sentIn(noted, example) }).toEqual({
          title: sample.title,
          ...requestOf(operation, example, sample.key),
          status: stated ?? operation.answer.status,
        });
      }
    } finally {
      await server.stop();
    }
  },
);

test('every example in JavaScript compiles against the client', async () => {
  const server = await startNotingServer(service.url);
  const printed = await printedSamples(server, 'js');
  await server.stop();
  const files = Object.fromEntries([...printed].map(([title, code]) => [`${title}.ts`, code]));
  const globals = { 'node.d.ts': 'declare const process: { readonly env: { readonly ORRERY_KEY: string } };\n' };
  // A wrong name among them is found.
  const right = [...printed.values()].find((code) => code.includes('.getSelf('));
  const wrong = { 'wrong.ts': right?.replace('.getSelf(', '.getMyself(') ?? '' };
  const messages = (await compile({ ...files, ...globals, ...wrong })).trim().split('\n');
  expect(messages.map((line) => /[a-zA-Z_]+\.ts\b/.exec(line)?.[0])).toEqual(['wrong.ts']);
});

test('an operation that the client does not call is found', () => {
  expect(() => clientCall('mergeOrgs', { summary: 'Merge' })).toThrow('mergeOrgs');
});

/** The code of each example in the pages that the service serves, which name the address that they are read at. */
async function printedSamples(server: NotingServer, language: Language): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  for (const operation of operations) {
    const html = await (await fetch(`${server.url}/docs/reference/${operation.id}/`)).text();
    const blocks = html.split(`data-language="${language}"`).slice(1);
    const codes = blocks.map((block) => textOf(/<code[^>]*>([\s\S]*?)<\/code>/.exec(block)?.[1] ?? ''));
    const names = Object.keys(operation.examples);
    expect(codes, operation.id).toHaveLength(names.length);
    for (const [index, name] of names.entries()) titles.set(`${operation.id}_${name}`, codes[index] ?? '');
    for (const code of codes) expect(code).toContain(server.url);
  }
  return titles;
}

/** The example with ids and cursors of a world. */
async function prepare(
  { title, operation, example }: (typeof examples)[number],
  printed: ReadonlyMap<string, string>,
): Promise<{ readonly sample: Sample; readonly operation: Operation; readonly example: Example }> {
  const isRead = operation.method === 'GET' || ['queryRecords', 'aggregateRecords'].includes(operation.id);
  const world = isRead ? shared : await createWorld(service);
  // Both at once, because two cursors of one place differ.
  const text = await textIn(world, operation, example, JSON.stringify({ code: printed.get(title), example }));
  const own = JSON.parse(text) as { readonly code: string; readonly example: Example };
  return { sample: { title, code: own.code, key: world.client.key ?? '' }, operation, example: own.example };
}

/** What came, without what the client adds: an Idempotency-Key of its own, and that it does not wait for changes. */
function sentIn({ method, url, headers, body, status }: Noted, example: Example) {
  const names = ['authorization', ...Object.keys(example.headers ?? {}).map((name) => name.toLowerCase())];
  return {
    method,
    path: decodeURIComponent(url.pathname),
    query: Object.fromEntries([...url.searchParams].filter(([name, value]) => name !== 'wait' || value !== '0')),
    headers: Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
    body,
    status,
  };
}

function requestOf(
  { method, path, access }: Operation,
  { path: places = {}, query = {}, headers = {}, body }: Example,
  key: string,
) {
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => places[name] ?? '');
  const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    method,
    path: `/rest/v1${filled}`,
    query,
    headers: { ...(access === 'key' ? { authorization: `Bearer ${key}` } : {}), ...Object.fromEntries(sent) },
    body,
  };
}
