// Writes a whole org into a new folder: one file after the other, and last the manifest, which says what belongs to it. The files
// contain personal data, so only their owner may read them. A folder without a manifest is not an export, and if this process
// fails it removes what it has written.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Failure } from '../../base/failure.ts';
import { release } from '../../config.ts';
import { type ExportedFile, exportedAt, exportOrg } from '../../engine/migrate/export-org.ts';
import {
  type FolderFile,
  folderFormat,
  folderVersion,
  type Manifest,
  manifestName,
} from '../../engine/migrate/folder.ts';
import type { CommandEngine } from '../../engine/process/call.ts';

interface WrittenFolder {
  readonly files: readonly FolderFile[];
  readonly rows: number;
}

/** `progressed` is told how many more lines were written. */
export async function writeFolder(
  engine: CommandEngine,
  orgId: number,
  folder: string,
  progressed: (rows: number) => void,
): Promise<WrittenFolder> {
  const made = await makeFolder(folder);
  try {
    const files: FolderFile[] = [];
    await exportOrg(engine, orgId, async (org, exported) => {
      for (const file of exported) files.push(...(await writeFile(folder, file, progressed)));
      const head = {
        format: folderFormat,
        format_version: folderVersion,
        release,
        exported_at: exportedAt(engine.clock),
      };
      await writeManifest(folder, { ...head, org, files } as Manifest);
    });
    return { files, rows: files.reduce((sum, { rows }) => sum + rows, 0) };
  } catch (error) {
    await removeWritten(folder, made);
    throw folderFailure(error, folder);
  }
}

/** Whether the folder was made, or was there and empty. */
async function makeFolder(folder: string): Promise<'made' | 'there'> {
  if (folder === '') {
    throw new Failure(
      'usage',
      'The folder name is empty.',
      'For example: orrery export --org 1 --all acme-2027-01-31.',
    );
  }
  try {
    await mkdir(folder, { mode: 0o700 });
    return 'made';
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw folderFailure(error, folder);
  }
  const present = await readdir(folder).catch((error: unknown) => {
    throw folderFailure(error, folder);
  });
  if (present.length > 0) {
    const sentence = `The folder ${folder} is not empty.`;
    throw new Failure(
      'invalid_file',
      sentence,
      'Give a new or empty folder; remove what an interrupted export has left.',
    );
  }
  await chmod(folder, 0o700);
  return 'there';
}

/** A file without lines is not made. */
async function writeFile(
  folder: string,
  { name, lines }: ExportedFile,
  progressed: (rows: number) => void,
): Promise<readonly FolderFile[]> {
  const path = join(folder, name);
  const hash = createHash('sha256');
  let stream: ReturnType<typeof createWriteStream> | undefined;
  let rows = 0;
  try {
    for await (const part of lines) {
      if (stream === undefined) {
        if (dirname(path) !== folder) await mkdir(dirname(path), { mode: 0o700, recursive: true });
        stream = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
        // The error is thrown by what waits for the stream.
        stream.on('error', () => {});
      }
      hash.update(part.text);
      if (!stream.write(part.text)) await once(stream, 'drain');
      if (stream.errored !== null) throw stream.errored;
      rows += part.rows;
      progressed(part.rows);
    }
    if (stream === undefined) return [];
    stream.end();
    await finished(stream);
  } finally {
    stream?.destroy();
  }
  return [{ file: name, rows, sha256: hash.digest('hex') }];
}

/** Under its name only when everything is on disk. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestName);
  const handle = await open(`${path}.part`, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, undefined, 1)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.part`, path);
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function removeWritten(folder: string, made: 'made' | 'there'): Promise<void> {
  // What cannot be removed has no manifest, and the first error is the one to report.
  const all = made === 'made' ? [folder] : (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  for (const path of all) await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

function folderFailure(error: unknown, folder: string): unknown {
  const fail = (sentence: string, fix: string) => new Failure('invalid_file', sentence, fix, error);
  switch (codeOf(error)) {
    case 'ENOENT':
      return fail(`The folder in which ${folder} is to be made does not exist.`, 'Create it, or choose another name.');
    case 'ENOTDIR':
      return fail(`${folder} is not a folder.`, 'Choose another name.');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fail(`This user may not write ${folder}.`, 'Choose a folder that you can write to.');
    case 'ENOSPC':
    case 'EDQUOT':
      return fail(`The disk is full, so ${folder} was not written.`, 'Free some space, or choose another disk.');
    default:
      return error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
