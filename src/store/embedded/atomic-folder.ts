// Folders that appear complete or not at all: filled under a temporary name beside the target, then renamed. An
// interrupted attempt leaves a temporary folder with the id of its process in its name, and a later start removes it.
import { lchown, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { randomBase62 } from '../../base/id.ts';
import type { Account } from './account.ts';
import { isAlive } from './running-process.ts';

const partialName = /\.partial-(\d+)-[0-9A-Za-z]+$/;

/** Process ids are reused, in containers at once; after this time a living id proves nothing. */
const abandonedAfterMs = 3_600_000;

/**
 * The temporary folders of this process. Its id alone proves nothing: in a container every process may have the id 1.
 */
const ownPartials = new Set<string>();

export function isPartial(name: string): boolean {
  return partialName.test(name);
}

/** A temporary name for `target` that nobody else uses. */
export function partialPathOf(target: string): string {
  return join(dirname(target), `${basename(target)}.partial-${process.pid}-${randomBase62(8)}`);
}

/**
 * Makes the folder `target` from what `fill` puts into a temporary one. If another process makes the same target first,
 * its folder stays and ours is discarded.
 */
export async function makeFolderAtomically(
  target: string,
  account: Account | undefined,
  fill: (partial: string) => Promise<void>,
): Promise<'made' | 'found'> {
  const partial = partialPathOf(target);
  ownPartials.add(partial);
  try {
    await mkdir(partial, { mode: 0o700 });
    if (account !== undefined) await lchown(partial, account.uid, account.gid);
    await fill(partial);
    return await renameTo(target, partial);
  } finally {
    await rm(partial, { recursive: true, force: true });
    ownPartials.delete(partial);
  }
}

/**
 * Removes what dead processes left half-made, under names that begin so. What cannot be removed (it belongs to root,
 * say) stays: it is harmless.
 */
export async function removeAbandonedPartials(folder: string, beginning = ''): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(beginning))) {
    const path = join(folder, name);
    const pid = Number(partialName.exec(name)?.[1]);
    if (Number.isInteger(pid) && (await isAbandoned(path, pid))) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Writes a file, or the names in a folder, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isAbandoned(path: string, pid: number): Promise<boolean> {
  if (pid === process.pid) return !ownPartials.has(path);
  if (!isAlive(pid)) return true;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: systemClock.nowMs() }));
  return systemClock.nowMs() - mtimeMs > abandonedAfterMs;
}

async function renameTo(target: string, partial: string): Promise<'made' | 'found'> {
  try {
    await rename(partial, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return 'found';
    throw error;
  }
  // Without this a power cut could undo the rename, and lose rows that were acknowledged since.
  await sync(dirname(target));
  return 'made';
}
