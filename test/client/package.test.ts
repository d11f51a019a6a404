// The client as published: one file without imports for every platform, types that do not need Node, and a README that has
// every method, and in which every line works.
import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, MemoryStore, type SyncStore, sync } from '../../client/main.ts';
import { builtinCatalog } from '../../src/schema/custom/build-catalog.ts';
import { printTypes } from '../../src/schema/print-types.ts';
import { compile } from '../support/client/compile.ts';
import { forgetChanges } from '../support/client/harness.ts';
import { rawQuery } from '../support/database.ts';
import { root } from '../support/repository.ts';
import { startService, type TestService } from '../support/service.ts';
import { readSources } from '../support/sources.ts';

const readme = await readFile(join(root, 'client/README.md'), 'utf8');

function blocks(language: string): readonly string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');
}

interface Signature {
  readonly name: string;
  /** The name of an argument, or the members of one that is an object. */
  readonly args: readonly (string | readonly string[])[];
}

/** What the README shows as `name(argument, { member, member })`. */
function signatures(text: string): readonly Signature[] {
  return [...text.matchAll(/`(\w+)\(([\w, {}]*)\)`/g)].map(([, name = '', list = '']) => {
    const args = [...list.matchAll(/\{ ([\w, ]+) \}|(\w+)/g)];
    return { name, args: args.map(([, members, argument = '']) => members?.split(', ') ?? argument) };
  });
}

/** Compiles if each signature has as many arguments as the function, and their members, whatever they are called. */
function comparisons(told: readonly Signature[]): string {
  const lines = told.flatMap(({ name, args }) => {
    const parameters = `Parameters<Callable['${name}']>`;
    const members = args.flatMap((each, at) =>
      typeof each === 'string'
        ? []
        : `Same<Members<${parameters}[${at}]>, ${each.map((key) => `'${key}'`).join(' | ')}>`,
    );
    return [...members, `EndsAt<${parameters}, ${args.length}>`].map((each) => `all.push(true satisfies ${each});`);
  });
  return `import type { AnySchema, Client, createClient, Pages, Records, sync } from '@orrery/client';
    interface Functions { readonly createClient: typeof createClient; readonly sync: typeof sync; }
    type Callable = Client & Records<AnySchema, string> & Pages<unknown> & Functions;
    type Same<A, B> = [[A], [B]] extends [[B], [A]] ? true : false;
    type Members<A> = Exclude<keyof NonNullable<A>, 'signal'>;
    /** A last object that has only a signal need not be told. */
    type EndsAt<P extends readonly unknown[], N extends number> = Required<P>['length'] extends N
      ? true
      : Required<P> extends readonly [...infer Told extends readonly unknown[], infer Last]
        ? Same<[Told['length'], Exclude<keyof Last, 'signal'>], [N, never]>
        : false;
    export const all: true[] = [];
    ${lines.join('\n    ')}`;
}

test('the sources import nothing but each other, and stay small', () => {
  const sources = readSources('client').filter(({ path }) => !path.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThan(10);
  for (const { path, imports, lines } of sources) {
    // What pages and the service share about files is no part of the package.
    const own = path.startsWith('client/import/') ? /^client\/.+\.ts$/ : /^client\/[a-z-]+\.ts$/;
    expect(imports.filter(({ target }) => !own.test(target))).toEqual([]);
    expect(lines.length, path).toBeLessThanOrEqual(300);
    expect(lines[0], path).toMatch(/^\/\/ /);
  }
});

test('a bundle for browsers has no imports, nothing of Node, and about 20 kB', async () => {
  const bundle = await rolldown({ cwd: root, input: 'client/main.ts', platform: 'browser', external: /^(?![./])/ });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  const [chunk] = output;
  expect([chunk.imports, chunk.dynamicImports]).toEqual([[], []]);
  expect(chunk.code).not.toMatch(/\b(require|process|Buffer|__dirname|import)\b/);
  expect(chunk.exports.sort()).toEqual([
    'MemoryStore',
    'OrreryAnswerError',
    'OrreryError',
    'OrreryNetworkError',
    'OrreryProblem',
    'OrreryTimeoutError',
    'createClient',
    'sync',
  ]);
  expect(chunk.code.length).toBeLessThan(21_000);
});

test('the package of the service exports the client too, which has its version and depends on nothing', async () => {
  const script = `import { createClient, sync } from 'orrery/client'; console.log(typeof createClient, typeof sync);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
  expect(stdout).toBe('function function\n');
  const read = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8')) as Record<string, unknown>;
  const { version, license, engines } = await read('package.json');
  const told = await read('dist/client/package.json');
  expect(told).toMatchObject({ name: '@orrery/client', version, license, engines, type: 'module', sideEffects: false });
  expect(Object.keys(told).filter((member) => /dependencies|scripts|bin/i.test(member))).toEqual([]);
  const { '.': main } = told['exports'] as { readonly '.': { readonly types: string; readonly default: string } };
  for (const file of [main.types, main.default, 'README.md', 'LICENSE']) await access(join(root, 'dist/client', file));
});

/** Bundles code from the README as in a project that has the client and the driver. */
async function bundleReadme(folder: string, name: string, code: string): Promise<string> {
  const input = join(folder, `${name}.ts`);
  const file = join(folder, `${name}.mjs`);
  await writeFile(input, code);
  const alias = { '@orrery/client': join(root, 'client/main.ts'), pg: join(root, 'node_modules/pg/esm/index.mjs') };
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: 'pg-native',
    resolve: { alias },
    logLevel: 'silent',
  });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

describe('the README', () => {
  let service: TestService;
  let folder: string;
  let key: string;
  beforeAll(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'orrery-readme-'));
    ({ key } = await service.createKey(await service.createOrg()));
    for (const block of blocks('sql')) await rawQuery(service.databaseUrl, block);
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  test('compiles without the types of Node, and so does a project that installs the package', async () => {
    const schema = printTypes(builtinCatalog, 'The built-in vocabulary.');
    const environment = 'declare const process: { readonly env: Readonly<Record<string, string | undefined>> };';
    const code = `${environment}\n${blocks('ts').join('\n')}`;
    const installed = `import { createClient } from '${join(root, 'dist/client/main.js')}';
      export const name: string = (await createClient({ url: 'x' }).getRoot()).data.name;
      // @ts-expect-error an answer has no such member
      export const other = (await createClient({ url: 'x' }).getRoot()).date;`;
    expect(await compile({ 'readme.ts': code, 'schema.ts': schema, 'installed.ts': installed })).toBe('');
  });

  test('has every method and function with all its arguments', async () => {
    const client = createClient({ url: service.url });
    const methods = [client, client.records('x'), client.listChanges()].flatMap((each) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(each)).filter((name) => name !== 'constructor'),
    );
    const told = signatures(readme);
    expect(told.map(({ name }) => name).sort()).toEqual([...methods, createClient.name, sync.name].sort());
    // A member that the README would forget, one that it would invent, and a missing argument are noticed.
    const wrong = ['get(id, { properties })', 'getSelf({ dryRun })', 'toArray()', 'delete(id)', 'records(type, id)'];
    const others = wrong.map((each, at) => [`wrong-${at}.ts`, comparisons(signatures(`\`${each}\``))] as const);
    const errors = await compile({ 'readme.ts': comparisons(told), ...Object.fromEntries(others) });
    expect(errors.match(/[\w-]+\.ts(?=\()/g)?.sort(), errors).toEqual(others.map(([name]) => name));
  });

  test('does what it says', async () => {
    const code = blocks('ts').join('\n');
    expect(blocks('ts').length).toBeGreaterThan(4);
    const whole = [code, ...blocks('js')].join('\n').replaceAll('http://127.0.0.1:4610', service.url);
    const file = await bundleReadme(folder, 'readme', whole);
    const env = { ...process.env, ORRERY_KEY: key, DATABASE_URL: service.databaseUrl };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
    const id = '[0-9a-f-]{36}';
    const told = [
      `${id} Analyst`,
      '1 null',
      "1 { sum_svc_amount: \\[ { unit: 'GBP', amount: '1200.50' } \\] }",
      id,
      '1 went back, 0 were changed since.',
      'load 1 0',
      'load 0 0',
      'follow 0 0',
      'Analyst',
      '',
    ];
    expect(stdout).toMatch(new RegExp(`^${told.join('\n')}$`));
    const { rows } = await rawQuery(service.databaseUrl, `select properties ->> 'svc_job_title' as title from copy`);
    expect(rows).toEqual([{ title: 'Analyst' }]);
  });

  test('shows a store in SQL that has the same content as the one in memory', async () => {
    const [block = ''] = blocks('js');
    const store = block
      .slice(0, block.indexOf('for await'))
      .replace('process.env.DATABASE_URL', JSON.stringify(service.databaseUrl));
    const file = await bundleReadme(folder, 'store', `${store}\nexport { database, postgres };`);
    const { database, postgres } = (await import(file)) as { database: { end(): Promise<void> }; postgres: SyncStore };
    const memory = new MemoryStore();
    try {
      await rawQuery(service.databaseUrl, 'delete from copy; delete from copy_state');
      const client = createClient({ url: service.url, key });
      const contacts = client.records('svc_contact');
      const engines = (await client.records('svc_company').create({ svc_name: 'Engines' })).data.id;
      const works = [{ association_type: 'svc_contact_to_company', target_id: engines }];
      const [one = '', two = '', three = ''] = await Promise.all(
        ['one', 'two', 'three'].map(
          async (name) => (await contacts.create({ svc_last_name: name }, { associations: works })).data.id,
        ),
      );
      const copy = async () => {
        for (const each of [memory, postgres]) {
          const options = { objectTypes: ['svc_contact'], associations: ['svc_contact_to_company'], store: each };
          for await (const { isCaughtUp } of sync(client, options)) if (isCaughtUp) break;
        }
        const records = await rawQuery(
          service.databaseUrl,
          'select id, object_type, version, properties from copy order by id',
        );
        expect(records.rows).toEqual([...memory.records.values()].sort((left, right) => (left.id < right.id ? -1 : 1)));
        const links = await rawQuery(service.databaseUrl, 'select source_id, target_id from copy_link order by 1, 2');
        const held = [...memory.links].flatMap(([source_id, types]) =>
          [...types.values()].flat().map((target_id) => ({ source_id, target_id })),
        );
        expect(links.rows).toEqual(held.sort((left, right) => (left.source_id < right.source_id ? -1 : 1)));
        return [records.rows.length, links.rows.length];
      };
      expect(await copy()).toEqual([4, 3]);
      await contacts.deleteAssociation(one, 'svc_contact_to_company', engines);
      await contacts.delete(two);
      expect(await copy()).toEqual([3, 1]);
      await contacts.delete(three);
      await forgetChanges(service, key);
      expect(await copy()).toEqual([2, 0]);
    } finally {
      await database.end();
    }
  });
});
