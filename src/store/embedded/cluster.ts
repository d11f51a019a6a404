// Creates PostgreSQL's own folder with initdb, and refuses one that this release cannot run. The folder gets its name
// only when it is complete and on the disk.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { makeFolderAtomically } from './atomic-folder.ts';
import { complaintIn, openForChild, runToEnd } from './child.ts';
import type { DataFolder } from './data-folder.ts';
import { preparePrograms } from './programs.ts';

const postgresMajor = '18';
export const databaseUser = 'orrery';
/**
 * The database that initdb creates anyway. Another one would need a second step after initdb, which could be
 * interrupted and would have to be checked at every start.
 */
export const databaseName = 'postgres';

const initdbTimeoutMs = 120_000;

const initdbOptions = [
  `--username=${databaseUser}`,
  // Every client of the socket is trusted: it is in a folder with mode 0700, and there is no other way in.
  '--auth=trust',
  '--encoding=UTF8',
  // The same order and case rules on every machine, whatever its C library: an index built on one is valid on another.
  // --locale=C sets the categories that the provider leaves to the C library.
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--data-checksums',
  '--no-instructions',
  // initdb's own fsync is kept: it costs 50 to 100 ms of about 850 here, and syncs nothing but its own files.
] as const;

export async function clusterExists(folder: DataFolder): Promise<boolean> {
  return (await stat(folder.cluster).catch(() => undefined)) !== undefined;
}

/** Returns `found` if another process created the cluster first; both processes then use that one. */
export async function createCluster(folder: DataFolder, packageFolder: string): Promise<'made' | 'found'> {
  const programs = await preparePrograms(packageFolder, folder.path, folder.account);
  return makeFolderAtomically(folder.cluster, folder.account, async (partial) => {
    const inside = await openForChild(partial, folder.account, 3);
    try {
      const parameters = [...initdbOptions, '-D', inside.path];
      const ending = await runToEnd(programs.initdb, parameters, folder.account, initdbTimeoutMs, [inside.descriptor]);
      if (!ending.succeeded) throw creationFailure(folder, ending.output);
    } finally {
      await inside.close();
    }
  });
}

export async function checkCluster(folder: DataFolder): Promise<void> {
  const text = await readFile(join(folder.cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new Failure(
      'data_folder',
      `The folder ${folder.cluster} is not a PostgreSQL database: its file PG_VERSION cannot be read.`,
      'Restore the whole folder from a backup, or give another folder with --data-dir or ORRERY_DATA_DIR.',
    );
  }
  const major = text.trim();
  if (major === postgresMajor) return;
  throw new Failure(
    'database_unsuitable',
    `The database in ${folder.path} was made by PostgreSQL ${major}, and this release runs PostgreSQL ${postgresMajor}.`,
    'Run db backup with the release that made it, then db restore into a new folder with this one.',
  );
}

function creationFailure(folder: DataFolder, output: string): Failure {
  const sentence = `The database could not be created in ${folder.path}: ${complaintIn(output)}.`;
  return new Failure('data_folder', sentence, creationFix(folder, output));
}

function creationFix(folder: DataFolder, output: string): string {
  if (output.includes('No space left on device')) return 'Free about 60 MB on the disk, then start again.';
  if (output.includes('could not look up effective user')) {
    return 'Give the user a name in /etc/passwd, or start Orrery as a user that has one.';
  }
  if (output.includes('Permission denied')) {
    const user = folder.account === undefined ? 'this user' : `the user with uid ${folder.account.uid}`;
    return `Give a folder that ${user} can reach with --data-dir or ORRERY_DATA_DIR, such as /var/lib/orrery.`;
  }
  return 'Fix the cause, or give another folder with --data-dir or ORRERY_DATA_DIR.';
}
