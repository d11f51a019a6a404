// The user that PostgreSQL runs as. PostgreSQL refuses root, so a service started by root runs it as a user made for that;
// any other user runs it as themselves. Nothing here knows folders or processes.
import { readFile } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';

/** A user that a child process is switched to. `undefined` in its place means our own user. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

interface NamedAccount extends Account {
  readonly name: string;
}

/**
 * In this order: a user made for Orrery, a user made for PostgreSQL. Not `nobody`: other programs run as that user too, and
 * could read and change the data.
 */
const preferredNames = ['orrery', 'postgres'];

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** The id of the user that owns the files of PostgreSQL. */
export function ownerOf(account: Account | undefined): number {
  return account?.uid ?? process.geteuid?.() ?? -1;
}

export async function preferredAccount(): Promise<Account> {
  const accounts = await readAccounts();
  for (const name of preferredNames) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (account !== undefined) return { uid: account.uid, gid: account.gid };
  }
  throw new Failure(
    'data_folder',
    'PostgreSQL refuses to run as root, and there is no user "orrery" to run it as and to own the data.',
    'Create that user with "useradd --system orrery" and start again, or start Orrery as an ordinary user.',
  );
}

/** initdb looks its user up by id, so an id without a name cannot create a database, although it can run one. */
export async function namedAccount(uid: number): Promise<Account | undefined> {
  const account = (await readAccounts()).find((candidate) => candidate.uid === uid);
  return account === undefined ? undefined : { uid: account.uid, gid: account.gid };
}

async function readAccounts(): Promise<NamedAccount[]> {
  // A container image may lack the file; then no user is known, and the callers say so.
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const accounts: NamedAccount[] = [];
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && /^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? '')) {
      accounts.push({ name, uid: Number(uid), gid: Number(gid) });
    }
  }
  return accounts;
}
