// The folder that holds everything of one embedded database: the cluster, its log, its socket, and if needed a copy of
// the programs. Prepares it for the user that PostgreSQL runs as, and turns errors of the file system into a Failure.
// Knows nothing of PostgreSQL itself.
import { access, chmod, chown, constants, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { type Account, isRoot, namedAccount, preferredAccount } from './account.ts';
import { isPartial } from './atomic-folder.ts';

export interface DataFolder {
  /** The real path, so that two spellings of one folder lead to the same server. */
  readonly path: string;
  /** PostgreSQL's own folder. It exists complete or not at all. */
  readonly cluster: string;
  readonly log: string;
  readonly account: Account | undefined;
}

export async function prepareDataFolder(dataDir: string): Promise<DataFolder> {
  const given = resolve(dataDir);
  try {
    // Before anything is made: without a user for it there would be an empty folder.
    const account = isRoot() ? await accountFor(given) : undefined;
    await makeFolder(given);
    const path = await realpath(given);
    const cluster = join(path, 'postgres');
    if (account !== undefined) await handOver(path, account);
    else await requireOwn(path, cluster);
    return { path, cluster, log: join(path, 'postgres.log'), account };
  } catch (error) {
    throw toFailure(given, error);
  }
}

/** Fails as opening would, and changes nothing. */
export async function inspectDataFolder(dataDir: string): Promise<void> {
  const given = resolve(dataDir);
  try {
    const path = await realpath(given);
    await readdir(path);
    if (isRoot()) await accountFor(path);
    else await requireOwn(path, join(path, 'postgres'));
  } catch (error) {
    throw toFailure(given, error);
  }
}

/** An error of the file system in the data folder, as a sentence and a fix. Any other error is returned as it is. */
export function toFailure(path: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error;
  const another = 'Give another folder with --data-dir or ORRERY_DATA_DIR.';
  if (code === 'EPERM' && isRoot()) {
    // A container or a service unit can deny root the right to change owners.
    const sentence = `PostgreSQL refuses to run as root, and root may not give the data folder ${path} to another user here.`;
    return new Failure('data_folder', sentence, 'Start Orrery as an ordinary user who owns the folder.', error);
  }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new Failure(
        'data_folder',
        `The data folder ${path} cannot be written by this user.`,
        'Give a folder of your own with --data-dir or ORRERY_DATA_DIR, or change the owner of this one.',
        error,
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new Failure('data_folder', `The data folder ${path} is not a folder.`, another, error);
    case 'ENOSPC':
    case 'EDQUOT':
      return new Failure(
        'data_folder',
        `The disk of the data folder ${path} is full.`,
        'Free some space on it.',
        error,
      );
    case 'EROFS':
      return new Failure('data_folder', `The data folder ${path} is on a read-only disk.`, another, error);
    default:
      return new Failure('data_folder', `The data folder ${path} cannot be used: ${message}.`, another, error);
  }
}

async function makeFolder(path: string): Promise<void> {
  const made = await makeFolders(path);
  // Root often has a narrow umask; PostgreSQL's user must still be able to pass through the folders made on the way.
  if (isRoot()) for (const folder of made) await chmod(folder, 0o755);
  if (made.includes(path)) await chmod(path, 0o700);
  else if (!(await stat(path)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

/** Makes folders and returns them. Not mkdir's `recursive`: where the kernel refuses, as in /proc, it never ends. */
async function makeFolders(path: string): Promise<string[]> {
  const made: string[] = [];
  const make = async () => {
    await mkdir(path, { mode: 0o700 });
    made.push(path);
  };
  try {
    await make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return [];
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    made.push(...(await makeFolders(dirname(path))));
    await make();
  }
  return made;
}

/**
 * For root: the user that owns the cluster, else the one that owns the folder if it has a name, else a preferred one. The
 * folder need not exist.
 */
async function accountFor(path: string): Promise<Account> {
  const cluster = join(path, 'postgres');
  const existing = await stat(cluster).catch(() => undefined);
  if (existing?.uid === 0) {
    throw new Failure(
      'data_folder',
      `The database in ${cluster} belongs to root, and PostgreSQL refuses to run as root.`,
      `Give it to an ordinary user, for example with "chown -R orrery ${path}".`,
    );
  }
  if (existing !== undefined) return { uid: existing.uid, gid: existing.gid };
  const folder = await stat(path).catch(() => undefined);
  const owner = folder === undefined || folder.uid === 0 ? undefined : await namedAccount(folder.uid);
  return owner ?? (await preferredAccount());
}

/**
 * Only an empty folder gets a new owner. Taking a folder with other files from its owner, such as /tmp or a home, would
 * do harm, and is not needed: everything we make inside it has its own owner and mode.
 */
async function handOver(path: string, account: Account): Promise<void> {
  const names = await readdir(path);
  if (!names.every(isPartial)) return;
  await chown(path, account.uid, account.gid);
  await chmod(path, 0o700);
}

async function requireOwn(path: string, cluster: string): Promise<void> {
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  const existing = await stat(cluster).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (existing === undefined || existing.uid === process.geteuid?.()) return;
  throw new Failure(
    'data_folder',
    `The database in ${cluster} belongs to another user (uid ${existing.uid}).`,
    'Start Orrery as that user or as root, or give another folder with --data-dir or ORRERY_DATA_DIR.',
  );
}
