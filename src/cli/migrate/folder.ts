// Reads a folder that "export --all" wrote. Before anything is brought in, every file is read once and compared with the
// manifest; when it is read again, it must still be the same.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCurrencyCode } from '../../../client/import/cells/amount-cell.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { FolderFiles } from '../../engine/migrate/bring-rows.ts';
import {
  type FolderFile,
  folderFormat,
  type Manifest,
  manifestName,
  manifestShape,
  parseJson,
} from '../../engine/migrate/folder.ts';
import { wrongFolder } from '../../engine/migrate/refusal.ts';

interface VerifiedFolder {
  readonly manifest: Manifest;
  readonly files: FolderFiles;
}

export async function openFolder(folder: string): Promise<VerifiedFolder> {
  const manifest = await readManifest(folder);
  const byName = new Map(manifest.files.map((each) => [each.file, each]));
  if (byName.size < manifest.files.length) throw wrongFolder(`${manifestName} lists a file twice`);
  for (const file of manifest.files) await readToEnd(verified(folder, file));
  return {
    manifest,
    files: {
      names: new Set(byName.keys()),
      open: (name) => {
        const file = byName.get(name);
        if (file === undefined) throw new TypeError(`The manifest does not list ${name}.`);
        return verified(folder, file);
      },
    },
  };
}

/** What is wrong with it shows at its end. */
async function readToEnd(content: AsyncGenerator<Buffer>): Promise<void> {
  let isOver = false;
  while (!isOver) isOver = (await content.next()).done === true;
}

async function readManifest(folder: string): Promise<Manifest> {
  const size = await sizeOf(folder, manifestName);
  if (size === undefined) {
    const sentence = `${folder} is not a whole export of an org: it has no ${manifestName}.`;
    throw new Failure('invalid_file', sentence, 'Give a folder that "orrery export --all" has finished.');
  }
  if (size > bounds.cli.manifestBytes) throw wrongFolder(`${manifestName} is too long`);
  const text = await readFile(join(folder, manifestName), 'utf8').catch((error: unknown) => {
    throw unreadable(manifestName, error);
  });
  const value = parseJson(text);
  refuseOtherVersion(value);
  if (!manifestShape.admits(value)) {
    const [fault] = manifestShape.check(value, 1);
    throw wrongFolder(`${manifestName}: ${fault?.pointer ?? ''} ${fault?.detail ?? 'it is not JSON'}`);
  }
  const { currency } = value.org;
  if (!isCurrencyCode(currency as string)) throw wrongFolder(`${manifestName}: the currency of the org does not exist`);
  return value;
}

function refuseOtherVersion(value: unknown): void {
  const { format, format_version: version } = (value ?? {}) as Partial<Record<keyof Manifest, unknown>>;
  if (format !== folderFormat || typeof version !== 'number' || version <= 1) return;
  const sentence = `The folder has another format (${version}) than this program reads (1).`;
  throw new Failure('schema_newer', sentence, 'Bring it in with the release of Orrery that made it, or a later one.');
}

/** Undefined if there is no such file. What is not a file has no end, or cannot be read. */
async function sizeOf(folder: string, name: string): Promise<number | undefined> {
  const stats = await stat(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw unreadable(name, error);
  });
  if (stats?.isFile() === false) throw wrongFolder(`${name} is not a file`);
  return stats?.size;
}

function unreadable(name: string, error: unknown): Failure {
  return new Failure(
    'invalid_file',
    `${name} cannot be read. Nothing was brought in.`,
    'Check its permissions.',
    error,
  );
}

/** The content of a file, which fails at its end if it is not what the manifest says. */
async function* verified(folder: string, { file, rows, sha256 }: FolderFile): AsyncGenerator<Buffer> {
  if ((await sizeOf(folder, file)) === undefined) throw wrongFolder(`${file} is missing`);
  const hash = createHash('sha256');
  let lines = 0;
  try {
    for await (const chunk of createReadStream(join(folder, file)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++;
      yield chunk;
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  if (hash.digest('hex') !== sha256)
    throw wrongFolder(`${file} was changed or cut off: it is not what ${manifestName} says`);
  const isLines = file.endsWith('.ndjson');
  if (isLines && lines !== rows) throw wrongFolder(`${file} has ${lines} lines, and ${manifestName} says ${rows}`);
}

const lineFeed = 0x0a;
