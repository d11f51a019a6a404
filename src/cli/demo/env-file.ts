// The file in the data folder with the keys of the demo, and with its address while it runs. A shell that reads it with `.`
// passes them on to the programs that it starts. Only its owner may read it.
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoKeys } from '../../../demo/write/make-demo.ts';
import { answersAsOrrery } from '../../http/address.ts';
import type { Place } from '../../store/driver/open.ts';
import { partialPathOf } from '../../store/embedded/atomic-folder.ts';
import { toFailure } from '../../store/embedded/data-folder.ts';

/** Undefined for a database that is not embedded, which has no data folder. */
export function envFileOf(place: Place): string | undefined {
  return place.engine === 'embedded' ? join(place.dataDir, 'demo.env') : undefined;
}

/** The name of the second key does not begin with ORRERY_: the command line refuses unknown variables of that prefix. */
export async function keepKeys(file: string, { full, limited }: DemoKeys): Promise<void> {
  await write(file, `export ORRERY_KEY=${full}\nexport DEMO_LIMITED_KEY=${limited}\n`);
}

/** The address of a running demo in the file. */
export interface KeptAddress {
  /** Once the demo has ended: names one that ran before it and still runs, or none. Does nothing if a later one took over. */
  withdraw(): Promise<void>;
}

/** Writes the address; returns undefined if the file does not exist or cannot be read. */
export async function keepAddress(file: string, url: string): Promise<KeptAddress | undefined> {
  const text = await read(file);
  if (text === undefined) return undefined;
  const before = addressIn(text);
  await writeAddress(file, text, url);
  return {
    withdraw: async () => {
      const now = await read(file);
      if (now === undefined || addressIn(now) !== url) return;
      const stays = before !== undefined && before !== url && (await isServed(before));
      await writeAddress(file, now, stays ? before : undefined);
    },
  };
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

const addressLine = /^(?:export )?ORRERY_URL=(.*)\n/m;
/** As earlier releases wrote it: then curl has the variable, and a program that the shell starts has not. */
const unexported = /^(?=ORRERY_KEY=|DEMO_LIMITED_KEY=)/gm;

function addressIn(text: string): string | undefined {
  return addressLine.exec(text)?.[1];
}

async function writeAddress(file: string, text: string, url: string | undefined): Promise<void> {
  const line = url === undefined ? '' : `export ORRERY_URL=${url}\n`;
  const renewed = line + text.replace(addressLine, '').replace(unexported, 'export ');
  if (renewed !== text) await write(file, renewed);
}

async function isServed(url: string): Promise<boolean> {
  if (!URL.canParse(url)) return false;
  const { hostname, port } = new URL(url);
  return answersAsOrrery(hostname.replace(/^\[|\]$/g, ''), Number(port));
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
