// Reads the file given with --map, which says what to do with columns, and writes the one given with --map-out.
import { open, writeFile } from 'node:fs/promises';
import { repeatedMember } from '../../../client/import/cells/repeated-member.ts';
import { shorten } from '../../../client/import/described.ts';
import { counted } from '../../base/counted.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import { type FileOptions, type ImportMap, mapForm, parseMap } from '../../engine/import/column-map.ts';

/** `given` are the options of the command line. */
export async function readMap(path: string | undefined, given: FileOptions = {}): Promise<ImportMap> {
  if (path === undefined) return parseMap({}, given);
  const text = await readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('invalid_file', `The map ${path} is not JSON.`, mapForm, error);
  }
  const repeated = repeatedMember(text, value);
  if (repeated !== undefined) {
    const sentence = `The map ${path} names the column ${JSON.stringify(shorten(repeated, 64))} twice.`;
    throw new Failure('invalid_file', sentence, 'Remove one of them.');
  }
  return parseMap(value, given);
}

/** The map may come from a pipe, such as that of --map <(…). */
async function readText(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    const input = path === '-' ? process.stdin : (await open(path)).createReadStream();
    for await (const chunk of input as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > bounds.cli.columnMapBytes) break;
    }
  } catch (error) {
    throw new Failure('invalid_file', `The map ${path} cannot be read.`, 'Check its name and permissions.', error);
  }
  if (length <= bounds.cli.columnMapBytes)
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\ufeff/, '');
  const sentence = `The map ${path} is larger than ${counted(bounds.cli.columnMapBytes)} bytes.`;
  throw new Failure('invalid_file', sentence, mapForm);
}

/** Never replaces a file: somebody may have corrected it. */
export async function writeMap(path: string, map: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(map, null, 2)}\n`, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const isThere = error.code === 'EEXIST';
    const sentence = isThere
      ? `The file for the map, ${path}, already exists.`
      : `The map cannot be written to ${path}.`;
    throw new Failure('invalid_file', sentence, 'Name another file with --map-out.', error);
  });
}
