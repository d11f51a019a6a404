// Runs the real program as a person does: bin/orrery in its own process, on an embedded database in a temporary folder, or
// on a database of the server in TEST_DATABASE_URL.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { createDatabase } from './database.ts';
import { root } from './repository.ts';

export interface Storage {
  /** The flags that choose the database. */
  readonly args: readonly string[];
  /** The same as environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The data folder of an embedded database. */
  readonly folder: string | undefined;
  remove(): Promise<void>;
}

export async function createStorage(): Promise<Storage> {
  if (process.env['TEST_DATABASE_URL']) {
    const own = await createDatabase();
    const { url } = own;
    return { args: ['--database-url', url], env: { DATABASE_URL: url }, folder: undefined, remove: () => own.drop() };
  }
  const folder = await createFolder();
  return {
    args: ['--data-dir', folder],
    env: { ORRERY_DATA_DIR: folder },
    folder,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A temporary folder that every user can enter, as /var/lib can be. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-cli-'));
  await chmod(folder, 0o755);
  return folder;
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Another Node. */
  readonly node?: string;
  /** Another copy of bin/orrery. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly execArgv?: readonly string[];
  /** The content of standard input. */
  readonly input?: string | Buffer;
}

/** The environment of a person who has set nothing. */
const cleanEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(ORRERY_|DATABASE_URL$|TEST_DATABASE_URL$|NODE_OPTIONS$)/.test(name),
  ),
);

export function spawnOrrery(args: readonly string[], options: RunOptions = {}): ChildProcess {
  const { node = process.execPath, program = join(root, 'bin/orrery'), execArgv = [] } = options;
  const child = spawn(node, [...execArgv, program, ...args], {
    cwd: options.cwd ?? root,
    env: { ...cleanEnvironment, ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // A command that fails immediately does not read it.
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input);
  return child;
}

export async function runOrrery(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return ended(spawnOrrery(args, options));
}

/**
 * The JSON that a command prints with --json; throws when it fails or prints anything else. It runs in this process, because
 * most tests use it to set up what they are about.
 */
export async function orreryJson<T>(args: readonly string[], { env = {} }: Pick<RunOptions, 'env'> = {}): Promise<T> {
  const { status, stdout, stderr } = await runHere([...args, '--json'], env);
  if (status !== 0) throw new Error(`orrery ${args.join(' ')}: ${status} ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** As `runOrrery`, but in this process, which takes a tenth of the time. One command runs after the other. */
export function runHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const run = last.then(() => captured([process.execPath, 'orrery', ...args], { ...cleanEnvironment, ...env }));
  last = run.catch(() => {});
  return run;
}

let last: Promise<unknown> = Promise.resolve();

/** A command and what it prints. */
async function captured(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk: string | Uint8Array, ...more: readonly unknown[]) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      const done = more.find((each): each is () => void => typeof each === 'function');
      if (done !== undefined) queueMicrotask(done);
      return true;
    }),
  );
  try {
    return { status: await runProgram(argv, env), ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

export function ended(child: ChildProcess): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (status) => {
      resolve({ status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}

/** Standard error without the lines of progress, which appear only where a command takes longer than five seconds. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^([0-9]+ %, )?[0-9,]+ (rows|records), [0-9,]+\/s(, [0-9:]+ left)?(, .*)?\n/gm, '');
}

export interface ServeProcess {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts `serve`, or another command that serves, on a free port and waits until it says so. */
export async function startServe(
  args: readonly string[],
  options: RunOptions = {},
  command = 'serve',
): Promise<ServeProcess> {
  const child = spawnOrrery([command, '--port', '0', '--log-level', 'info', ...args], options);
  const end = ended(child);
  const url = await new Promise<string>((resolve, reject) => {
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const serving = log.split('\n').find((line) => line.includes('"msg":"serving"'));
      if (serving !== undefined) resolve((JSON.parse(serving) as { url: string }).url);
    });
    child.once('exit', (status) => reject(new Error(`exit ${status}: ${log}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    child,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return end;
    },
  };
}
