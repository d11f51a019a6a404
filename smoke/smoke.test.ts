// Both packages as somebody installs them: the service with its own database and the client on every Node that is
// supported, the client's types in two versions of TypeScript, and the client bundled for a browser.
import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserPath, openPage, startBrowser } from '../test/support/browser/chromium.ts';
import { root } from '../test/support/repository.ts';
import { readSources } from '../test/support/sources.ts';
import { differences } from './expected-errors.ts';
import {
  findNodes,
  type InstalledService,
  installPackages,
  type Node,
  type Project,
  run,
  serveOn,
} from './installed.ts';

const nodes = await findNodes();
const [newest] = nodes.slice(-1) as [Node];
let project: Project;
let service: InstalledService;
/** The types of the service's org, which has the schema of the fixtures. */
let schema: string;
const fixtures = join(root, 'smoke/types');
/** The last one first, also if not everything could be opened. */
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  project = await installPackages();
  closers.unshift(() => project.remove());
  service = await serveOn(newest, project);
  closers.unshift(() => service.stop());
  await service.command('schema', 'apply', '--org', '1', join(fixtures, 'schema.json'));
  schema = await service.command('types', '--org', '1');
});
afterAll(async () => {
  for (const close of closers) await close();
});

test('npm pack makes both packages, and installing the client brings nothing else', async () => {
  const lock = await readFile(join(project.folder, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, unknown>> };
  expect(Object.keys(packages)).toEqual(['', 'node_modules/@orrery/client']);
  const files = await readdir(join(project.folder, 'node_modules/@orrery/client'));
  const sources = readSources('client').map(({ path }) => path.replace('client/', '').replace('.ts', '.d.ts'));
  const types = sources.filter((name) => !name.startsWith('import/'));
  expect(files.sort()).toEqual(['LICENSE', 'README.md', 'main.js', 'package.json', ...types].sort());
});

test.each(nodes)('the service, its commands and the installed client work on Node $version', async (node) => {
  const own = node === newest ? service : await serveOn(node, project);
  try {
    const env = { PATH: process.env['PATH'], ORRERY_URL: own.url, ORRERY_KEY: own.key };
    const { stdout, stderr } = await run(node.path, ['calls.mjs'], { cwd: project.folder, env });
    expect([stdout, stderr]).toEqual([node.version, '']);
    const rows = join(project.folder, 'leads.csv');
    await writeFile(
      rows,
      'First name,Last name,E-mail\nNadia,Berg,nadia@nordlys.example\nTom,Reyes,tom@reyes.example\n',
    );
    const file = ['--org', '1', '--type', 'svc_contact'];
    const told = await own.command('import', ...file, rows, '--match', 'svc_email', '--json');
    expect(JSON.parse(told)).toMatchObject({ created: 2, refused: 0 });
    expect(await own.command('export', ...file)).toContain('nadia@nordlys.example');
  } finally {
    if (own !== service) await own.stop();
  }
});

/** With the modules of programs for Node, and of those that are bundled. */
const compilers = [
  { folder: 'smoke/node_modules/typescript', module: 'nodenext' },
  { folder: 'node_modules/typescript', module: 'nodenext' },
  { folder: 'node_modules/typescript', module: 'preserve' },
].map(({ folder, module }) => {
  const { version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { version: string };
  return { version, module, program: join(root, folder, 'bin/tsc') };
});

test.each(compilers)('TypeScript $version, $module, refuses what an org does not have', async (compiler) => {
  const { version, module, program } = compiler;
  const folder = join(project.folder, `typescript-${version}-${module}`);
  await cp(fixtures, folder, { recursive: true });
  await writeFile(join(folder, 'schema.ts'), schema);
  // Without the types of Node, and with a look at those of the package itself.
  const scope = { target: 'es2022', lib: ['es2023', 'dom'], types: [], skipLibCheck: false };
  const compilerOptions = { ...scope, module, strict: true, noEmit: true, allowImportingTsExtensions: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const told = await run(process.execPath, [program, '-p', folder], { cwd: folder }).then(
    () => 'Everything compiles.',
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
  expect(differences(await readFile(join(fixtures, 'refused.ts'), 'utf8'), told)).toEqual([]);
});

test('a bundle of the installed client asks the service from a page', async () => {
  if (browserPath === undefined) throw new Error('There is no Chromium. Install it, or name its path in CHROMIUM.');
  const entry = join(project.folder, 'page.mjs');
  await writeFile(
    entry,
    `import { createClient } from '@orrery/client';
    export const titles = (url, key) => createClient({ url, key }).records('svc_deal_pipeline_stage').list().toArray(100);`,
  );
  const lib = { entry, formats: ['iife' as const], name: 'page' };
  const built = await build({
    root: project.folder,
    configFile: false,
    logLevel: 'warn',
    build: { write: false, lib },
  });
  const [bundle] = [built].flat();
  if (bundle === undefined || !('output' in bundle)) throw new Error('The bundler watches instead of building.');
  const [{ code }] = bundle.output;
  expect(code).not.toMatch(/\b(require|process|Buffer|__dirname)\b/);
  const browser = await startBrowser();
  try {
    const { page, faults } = await openPage(browser, service.url);
    await page.goto(`${service.url}/docs/`);
    const script = `${code}; page.titles(${JSON.stringify(service.url)}, ${JSON.stringify(service.key)})`;
    expect((await page.evaluate<readonly unknown[]>(script)).length).toBeGreaterThan(3);
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
  }
});
