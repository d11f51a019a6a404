// The file in the data folder with the address and the keys of the demo, as lines that a shell can read. Only its owner may
// read it.
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoKeys } from '../../../demo/write/make-demo.ts';
import type { Place } from '../../store/driver/open.ts';
import { partialPathOf } from '../../store/embedded/atomic-folder.ts';
import { toFailure } from '../../store/embedded/data-folder.ts';

/** Undefined for a database that is not embedded, which has no data folder. */
export function envFileOf(place: Place): string | undefined {
  return place.engine === 'embedded' ? join(place.dataDir, 'demo.env') : undefined;
}

/** The name of the second key does not begin with ORRERY_: the command line refuses unknown variables of that prefix. */
export async function keepKeys(file: string, url: string, { full, limited }: DemoKeys): Promise<void> {
  await write(file, `ORRERY_URL=${url}\nORRERY_KEY=${full}\nDEMO_LIMITED_KEY=${limited}\n`);
}

/** Updates the address; returns whether the file exists and can be read. */
export async function keepAddress(file: string, url: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const renewed = text.replace(/^ORRERY_URL=.*$/m, () => `ORRERY_URL=${url}`);
  if (renewed !== text) await write(file, renewed);
  return true;
}

/**
 * Writes a temporary file and renames it, so that the file is never incomplete, even if two processes start at once. The
 * temporary file must not exist before: the folder may belong to another user, who could have placed a link there.
 */
async function write(file: string, text: string): Promise<void> {
  const partial = partialPathOf(file);
  try {
    const handle = await open(partial, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      // The keys are stored nowhere else, so they must survive a power cut.
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
