// The files that install the service: everything they name exists and suffices for a build, and their settings fit the
// program. No image is made here, where there may be no Docker.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { exitStatuses } from '../../src/base/failure.ts';
import { bounds } from '../../src/base/limits.ts';
import { commands } from '../../src/cli/all.ts';
import { globalFlags, readConfig, release, serveFlags } from '../../src/config.ts';
import { root } from '../support/repository.ts';

function text(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

/** The instructions, each on one line, without comments. */
const instructions = text('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => line.trim().replaceAll(/\s+/g, ' '));
const settings = readConfig({}, {}).settings;

/** Expects the words to be a command line that the program accepts. */
function expectCommandLine(words: readonly string[]): void {
  const [name = '', ...rest] = words;
  expect(commands.map((command) => command.name)).toContain(name);
  const flags = [...globalFlags, ...serveFlags].map((each) => each.flags.split(' ')[0]);
  expect(rest.filter((word) => word.startsWith('--') && !flags.includes(word))).toEqual([]);
}

test('every file that the image is made of exists, and is sent to the builder', async () => {
  const ignored = text('.dockerignore').split('\n');
  expect(ignored).toContain('*');
  const copied = instructions
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(1, -1));
  expect(copied.length).toBeGreaterThan(10);
  for (const source of copied) {
    await access(join(root, source));
    expect(ignored, source).toContain(`!${source.split('/')[0]}`);
  }
  // Files that are not copied need not be sent to the builder.
  const given = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  expect(given.filter((name) => !copied.some((source) => source.split('/')[0] === name))).toEqual([]);
});

test('the program can be built from what its stage of the image is given', async () => {
  const stage = instructions.slice(1, instructions.indexOf('RUN npm run build'));
  const copied = stage.filter((line) => line.startsWith('COPY ')).flatMap((line) => line.split(' ').slice(1, -1));
  const folder = await mkdtemp(join(tmpdir(), 'orrery-image-'));
  try {
    const filter = (path: string) => !path.endsWith('.test.ts');
    for (const source of copied) await cp(join(root, source), join(folder, source), { recursive: true, filter });
    const packages = join(folder, 'node_modules');
    await mkdir(packages);
    for (const name of await readdir(join(root, 'node_modules'))) {
      await symlink(join(root, 'node_modules', name), join(packages, name));
    }
    await promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: folder });
    const { stdout } = await promisify(execFile)(process.execPath, ['bin/orrery', 'version'], { cwd: folder });
    expect(stdout).toContain(release);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);

test('a start uses what this Node compiled at the build, and compiles anew what V8 refuses', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-start-'));
  try {
    const program = join(root, 'dist/main.cjs');
    const steps = `import { start } from ${JSON.stringify(pathToFileURL(join(root, 'bin/start.js')))};
      const { cachedDataRejected } = start(process.argv[1]);
      process.stderr.write(String(cachedDataRejected));`;
    const copy = join(folder, 'main.cjs');
    const cache = `${process.version}-${process.platform}-${process.arch}.cache`;
    const started = async (compiled: Uint8Array) => {
      await writeFile(`${copy}.${cache}`, compiled);
      const words = ['--input-type=module', '--eval', steps, '--', copy, '--version'];
      return promisify(execFile)(process.execPath, words);
    };
    await cp(program, copy);
    const compiled = await readFile(`${program}.${cache}`);
    expect(await started(compiled)).toEqual({ stdout: `${release}\n`, stderr: 'false' });
    const ofAnotherVersion = Uint8Array.from(compiled, (byte, index) => (index < 16 ? byte ^ 0xff : byte));
    expect(await started(ofAnotherVersion)).toEqual({ stdout: `${release}\n`, stderr: 'true' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the image is built in stages of one pinned base, and the last one has nothing but what runs', () => {
  const bases = instructions.filter((line) => line.startsWith('FROM '));
  const [, node = '', ...digest] =
    /^FROM node:([0-9.]+)-bookworm-slim@sha256:([0-9a-f]{64}) AS base$/.exec(bases[0] ?? '') ?? [];
  expect(digest).toHaveLength(1);
  expect(bases.slice(1).map((line) => line.split(' ')[1])).toEqual(['base', 'base', 'base']);
  // The smoke tests run this Node and the oldest one that is supported, on every platform of the image.
  const { engines } = JSON.parse(text('package.json')) as { readonly engines: { readonly node: string } };
  const { optionalDependencies } = JSON.parse(text('smoke/package.json')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const tried = Object.values(optionalDependencies);
  for (const version of [node, `${engines.node.replace('>=', '')}.0`]) {
    for (const platform of ['linux-x64', 'linux-arm64']) expect(tried).toContain(`npm:node-${platform}@${version}`);
  }
  const stages = bases.flatMap((line) => / AS (\w+)$/.exec(line)?.[1] ?? []);
  const last = instructions.slice(instructions.lastIndexOf(bases.at(-1) ?? ''));
  const from = last.flatMap((line) => /^COPY --from=(\w+) (\S+) (\S+)$/.exec(line)?.slice(1) ?? []);
  expect(from).toEqual(['packages', '/app/node_modules', 'node_modules', 'program', '/app/dist', 'dist']);
  expect(stages).toEqual(['base', 'program', 'packages']);
  expect(last.filter((line) => line.startsWith('RUN ') && /npm|apt|curl/.test(line))).toEqual([]);
  expect(last.indexOf('USER orrery')).toBeGreaterThan(0);
});

test('the container runs the program as its own process, with flags, variables and paths that exist', () => {
  const list = (name: string) => {
    const line = instructions.find((each) => each.startsWith(`${name} `)) ?? '';
    return JSON.parse(line.slice(line.indexOf('['))) as readonly string[];
  };
  expect(list('ENTRYPOINT')).toEqual(['node', 'bin/orrery']);
  expectCommandLine(list('CMD'));
  expect(list('HEALTHCHECK').slice(0, 2)).toEqual(['node', '-e']);
  const port = list('CMD')[list('CMD').indexOf('--port') + 1];
  expect(list('HEALTHCHECK')[2]).toContain(`127.0.0.1:${port}/healthz`);
  expect(instructions).toContain(`EXPOSE ${port}`);
  expect(instructions).toContain('STOPSIGNAL SIGTERM');
  const variables = [...text('Dockerfile').matchAll(/\b(ORRERY_\w+|DATABASE_URL)=/g)].map((match) => match[1]);
  expect(variables).toEqual(['ORRERY_DATA_DIR']);
  expect(settings.map(({ variable }) => variable)).toContain('ORRERY_DATA_DIR');
});

test('the compose file has no password of its own, opens one port to this machine, and waits for the database', () => {
  const compose = text('compose.yaml');
  const passwords = [...compose.matchAll(/PASSWORD: (.+)/g)].map((match) => match[1] ?? '');
  expect(passwords).toHaveLength(2);
  expect(passwords.filter((value) => !/^"\$\{POSTGRES_PASSWORD:\?[^}]+\}"$/.test(value))).toEqual([]);
  expect([...compose.matchAll(/ports:\n((?: +- .+\n)+)/g)].map((match) => match[1]?.trim())).toEqual([
    '- "127.0.0.1:4610:4610"',
  ]);
  expect(compose).toMatch(/depends_on:\n +database:\n +condition: service_healthy\n/);
  expect(compose).toMatch(/image: postgres:1[5-9]\.[0-9]+-bookworm@sha256:[0-9a-f]{64}\n/);
  expect(compose).toMatch(/DATABASE_URL: "postgres:\/\/orrery@database:5432\/orrery"/);
  const [, seconds] = /image: orrery\n[\s\S]*?stop_grace_period: (\d+)s/.exec(compose) ?? [];
  expect(Number(seconds) * 1_000).toBeGreaterThan(bounds.http.drainTimeoutMs + bounds.store.poolCloseMs);
  // Plain YAML: two spaces a level, no tabs, nothing twice in one place.
  expect(compose).not.toMatch(/\t|^( {2})* \S/m);
  for (const [, line] of compose.matchAll(/docker compose exec orrery node bin\/orrery (.+)/g)) {
    expect(commands.map(({ name }) => name)).toContain(line?.split(' ').slice(0, 2).join(' '));
  }
});

test('the compose file of a cluster has its servers in a network that leads nowhere, joins them, and distributes before it serves', () => {
  const compose = text('deploy/citus/compose.yaml');
  expect(compose).toMatch(/\nnetworks:\n {2}servers:\n {4}internal: true\n/);
  expect([...compose.matchAll(/ports:\n((?: +- .+\n)+)/g)].map((match) => match[1]?.trim())).toEqual([
    '- "127.0.0.1:4610:4610"',
  ]);
  expect([...compose.matchAll(/DATABASE_URL: "(.+)"/g)].map((match) => match[1])).toEqual([
    'postgres://orrery@coordinator:5432/orrery',
    'postgres://orrery@coordinator:5432/orrery',
  ]);
  for (const [before, after] of [
    ['join', 'distribute'],
    ['distribute', 'orrery'],
  ]) {
    const service = new RegExp(`\\n {2}${after}:\\n(?: {4}.*\\n)+`).exec(compose)?.[0];
    expect(service).toMatch(new RegExp(`depends_on:\\n +${before}:\\n +condition: service_completed_successfully\\n`));
  }
  const [, words = ''] = /image: orrery\n[\s\S]*?command: \[(.+)\]/.exec(compose) ?? [];
  expect(commands.map(({ name }) => name)).toContain(words.replaceAll('"', '').replace(', ', ' '));
  expect([...new Set([...compose.matchAll(/image: (citus\S+)/g)].map((match) => match[1]))]).toHaveLength(1);
  for (const server of ['coordinator', 'worker1', 'worker2']) {
    expect(compose).toMatch(new RegExp(`\\n {2}${server}:\\n {4}<<: \\*server\\n {4}volumes:\\n {6}- ${server}:`));
    expect(compose).toMatch(new RegExp(`\\n {6}${server}:\\n {8}condition: service_healthy\\n`));
  }
  expect(compose).not.toMatch(/\t|^( {2})* \S/m);
});

test('the systemd unit names what exists, restarts after failures that a restart can fix, and leaves time to stop', () => {
  const unit = text('deploy/orrery.service');
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  expect(value('ExecStart')).toMatch(/^\/usr\/bin\/env node bin\/orrery /);
  expectCommandLine(value('ExecStart').split(' ').slice(3));
  const hopeless = value('RestartPreventExitStatus').split(' ').map(Number);
  const { usage, invalid_configuration, database_unsuitable, data_folder, ...others } = exitStatuses;
  const { engine_missing, schema_newer, node_too_old } = others;
  expect(hopeless).toEqual([
    ...[usage, invalid_configuration, database_unsuitable, data_folder],
    ...[engine_missing, schema_newer, node_too_old],
  ]);
  // Requests, connections, and 30 seconds for PostgreSQL (see `store/embedded/postmaster`).
  expect(Number(value('TimeoutStopSec')) * 1_000).toBeGreaterThan(
    bounds.http.drainTimeoutMs + bounds.store.poolCloseMs + 30_000,
  );
  const variables = [...unit.matchAll(/\b(ORRERY_\w+)=(\S+)/g)].map((match) => match.slice(1));
  expect(variables).toEqual([['ORRERY_DATA_DIR', `/var/lib/${value('StateDirectory')}`]]);
  for (const name of ['NoNewPrivileges', 'ProtectHome', 'PrivateTmp', 'PrivateDevices', 'RestrictNamespaces']) {
    expect([name, value(name)]).toEqual([name, 'yes']);
  }
  expect(value('ProtectSystem')).toBe('strict');
});
