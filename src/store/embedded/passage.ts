// How a child that runs as another user gets to a folder: by its path, or, where that user may not pass through the
// folders above it (a data folder below root's home or a private temporary folder), by a handle that root has opened.
// On Linux /proc/self/fd/N leads straight to the folder, whatever lies above; nobody's rights are changed for it.
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Account } from './account.ts';

export interface Passage {
  /** What the child calls the folder. */
  readonly name: string;
  /** For the child's list of streams, at the position that the name speaks of. */
  readonly descriptor: number | 'ignore';
  close(): Promise<void>;
}

/** `position` is the number that the handle will have in the child: 3 is the first after the standard streams. */
export async function openPassage(path: string, account: Account | undefined, position: number): Promise<Passage> {
  if (process.platform !== 'linux' || (await canReach(path, account))) {
    return { name: path, descriptor: 'ignore', close: async () => {} };
  }
  const handle = await open(path, 'r');
  return { name: `/proc/self/fd/${position}`, descriptor: handle.fd, close: () => handle.close() };
}

/** Whether the user may pass through every folder above the path. Without an account it is our own. */
export async function canReach(path: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const searchBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & searchBit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
