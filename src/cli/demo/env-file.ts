// The file in the data folder that keeps the address and the keys of the demo: lines that a shell reads, for the eyes of
// their owner alone.
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoKeys } from '../../../demo/write/make-demo.ts';
import type { Place } from '../../store/driver/open.ts';
import { partialPathOf } from '../../store/embedded/atomic-folder.ts';
import { toFailure } from '../../store/embedded/data-folder.ts';

/** Undefined where the database is somewhere else, and there is no folder of ours. */
export function envFileOf(place: Place): string | undefined {
  return place.engine === 'embedded' ? join(place.dataDir, 'demo.env') : undefined;
}

/** The second key has a name that is no setting of the command line, which takes no ORRERY_ variable that it does not know. */
export async function keepKeys(file: string, url: string, { full, limited }: DemoKeys): Promise<void> {
  await write(file, `ORRERY_URL=${url}\nORRERY_KEY=${full}\nDEMO_LIMITED_KEY=${limited}\n`);
}

/** Brings the address up to date, and tells whether there is such a file: one that is not for us is as good as none. */
export async function keepAddress(file: string, url: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const renewed = text.replace(/^ORRERY_URL=.*$/m, () => `ORRERY_URL=${url}`);
  if (renewed !== text) await write(file, renewed);
  return true;
}

/**
 * Written whole under a name of its own, then renamed: it is never half there, also if two start at once. It is made anew,
 * and only if nothing is there: the folder may belong to another user, who could have laid a link.
 */
async function write(file: string, text: string): Promise<void> {
  const partial = partialPathOf(file);
  try {
    const handle = await open(partial, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      // The keys are nowhere else: a power cut must not take them.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw toFailure(join(file, '..'), error);
  }
}
