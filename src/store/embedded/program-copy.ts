// Copies the programs of PostgreSQL beside the data, in two cases: the package folder is read-only and lacks its
// library links, or the user that PostgreSQL runs as cannot reach it (a clone below a private home, started by root).
import { chmod, cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderAtomically, sync } from './atomic-folder.ts';

/** `addLinks` completes the copy before it gets its name. Returns `found` if there is one already. */
export function copyPrograms(
  packageFolder: string,
  target: string,
  addLinks: (folder: string) => Promise<boolean>,
): Promise<'made' | 'found'> {
  return makeFolderAtomically(target, undefined, async (partial) => {
    for (const part of ['native/bin', 'native/lib', 'native/share', 'native/pg-symlinks.json']) {
      await cp(join(packageFolder, part), join(partial, part), { recursive: true, verbatimSymlinks: true });
    }
    // In this order, because copied folders are read-only if those of the package are.
    await publish(partial);
    await addLinks(partial);
    await sync(join(partial, 'native/lib'));
  });
}

const copyName = /^engine-[0-9][0-9A-Za-z.+-]*$/;

/** The copies in the data folder that are of other versions. */
export async function staleCopies(dataPath: string, version: string): Promise<readonly string[]> {
  const names = await readdir(dataPath).catch(() => []);
  return names.filter((name) => copyName.test(name) && name !== copyNameOf(version));
}

export function copyNameOf(version: string): string {
  return `engine-${version}`;
}

/**
 * Only after starting the server of this folder: a server that was already running may use an older copy. Copies that
 * cannot be removed stay, and do no harm.
 */
export async function removeStaleCopies(dataPath: string, version: string): Promise<void> {
  for (const name of await staleCopies(dataPath, version)) {
    await rm(join(dataPath, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Makes everything readable for PostgreSQL's user, because a clone made under a narrow umask is not, and writes it to
 * the disk: a copy that lost the contents of a library in a power cut would still look complete.
 */
async function publish(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await publish(path);
    else if (entry.isFile()) {
      await chmod(path, 0o755);
      await sync(path);
    }
  }
  await chmod(folder, 0o755);
  await sync(folder);
}
