// Reads a backup from its first byte to its last and checks everything against its trailer. Rows are passed on as they
// come, so memory use does not depend on size; only at the end is it known whether they were intact.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import {
  type BackupHeader,
  type BackupTrailer,
  damaged,
  endOfTable,
  notABackup,
  parseHeader,
  parseTrailer,
  type TableSum,
  Tally,
} from './format.ts';
import { Unsealing } from './seal.ts';

export interface Backup {
  readonly header: BackupHeader;
  readonly trailer: BackupTrailer;
}

/** Takes the rows of one table, or some of them. */
type TakeTable = (name: string, rows: AsyncIterable<Buffer>) => Promise<void>;

/** Throws early if the file is not a backup, and at the end if it is not exactly as it was made. */
export async function readBackup(file: string, take: TakeTable): Promise<Backup> {
  const input = createReadStream(file);
  const unsealing = new Unsealing();
  const gunzip = createGunzip();
  let backup: Backup | undefined;
  try {
    await pipeline(
      input,
      (chunks) => unsealing.remove(chunks),
      gunzip,
      async (source: AsyncIterable<Buffer>) => {
        backup = await readContent(new Lines(source, file), file, take);
      },
    );
  } catch (error) {
    throw readFailure(error, file);
  }
  // gunzip ignores bytes behind the end of the compressed text. They were not there when the file was made.
  if (backup === undefined || gunzip.bytesWritten !== unsealing.bytes) throw damaged(file);
  if (unsealing.isSealed !== (backup.header.sealed === true)) throw damaged(file);
  return backup;
}

/** Reads the file only to check that it is intact. */
export function verifyBackup(file: string): Promise<Backup> {
  return readBackup(file, async () => {});
}

async function readContent(lines: Lines, file: string, take: TakeTable): Promise<Backup> {
  const header = parseHeader(await lines.next(), file);
  const sums: [name: string, sum: TableSum][] = [];
  for (const { name } of header.tables) {
    const tally = new Tally();
    const rows = tallied(lines.table(), tally);
    await take(name, rows);
    await skip(rows);
    sums.push([name, tally.sum()]);
  }
  const sha256 = lines.digest();
  const trailer = parseTrailer(await lines.next(), file);
  await lines.end();
  const isWhole =
    trailer.sha256 === sha256 &&
    sums.every(([name, { rows, sha256: digest }]) => {
      const listed = trailer.tables[name];
      return listed?.rows === rows && listed.sha256 === digest;
    });
  if (!isWhole) throw damaged(file);
  return { header, trailer };
}

/** Counts the rows as they pass. A reader that stops early leaves the rest to the next reader of the same rows. */
function tallied(rows: AsyncIterator<Buffer>, tally: Tally): AsyncIterable<Buffer> {
  const next = async (): Promise<IteratorResult<Buffer>> => {
    const result = await rows.next();
    if (result.done !== true) tally.add(result.value);
    return result;
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

async function skip(rows: AsyncIterable<Buffer>): Promise<void> {
  const rest = rows[Symbol.asyncIterator]();
  while ((await rest.next()).done !== true);
}

/** Turns chunks of any size into lines and tables. */
class Lines {
  readonly #source: AsyncIterator<Buffer>;
  readonly #file: string;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>, file: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#file = file;
  }

  /** The next line, without its line break. */
  async next(): Promise<string> {
    let end = this.#rest.indexOf('\n');
    while (end < 0) {
      if (this.#rest.length > bounds.store.backupLineBytes) throw notABackup(this.#file);
      if (!(await this.#more())) throw notABackup(this.#file);
      end = this.#rest.indexOf('\n');
    }
    return this.#take(end + 1).toString('utf8', 0, end);
  }

  /** The rows up to the line that ends the table, in chunks of any size. */
  async *table(): AsyncGenerator<Buffer, void> {
    const inside = Buffer.concat([Buffer.from('\n'), endOfTable]);
    for (let isFirst = true; ; isFirst = false) {
      while (this.#rest.length <= inside.length) if (!(await this.#more())) break;
      if (isFirst && this.#rest.subarray(0, endOfTable.length).equals(endOfTable)) break;
      const end = this.#rest.indexOf(inside);
      if (end >= 0) {
        yield this.#take(end + 1);
        break;
      }
      // The last bytes may be the beginning of the end of the table.
      if (this.#rest.length <= inside.length) throw damaged(this.#file);
      yield this.#take(this.#rest.length - inside.length);
    }
    this.#take(endOfTable.length);
  }

  /** The digest of everything read so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  async end(): Promise<void> {
    if (this.#rest.length > 0 || (await this.#more())) throw damaged(this.#file);
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#hash.update(taken);
    return taken;
  }

  async #more(): Promise<boolean> {
    const result = await this.#source.next();
    if (result.done === true) return false;
    this.#rest = this.#rest.length === 0 ? result.value : Buffer.concat([this.#rest, result.value]);
    return true;
  }
}

function readFailure(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // A file that does not even begin as gzip was never a backup; any other was one, and is damaged.
  if (code === 'Z_DATA_ERROR' && error instanceof Error && error.message === 'incorrect header check')
    return notABackup(file, error);
  if (/^(Z_|ERR_STREAM_PREMATURE_CLOSE)/.test(code)) return damaged(file, error);
  if (/^(ENOENT|EACCES|EISDIR|EPERM)$/.test(code)) {
    return new Failure(
      'invalid_file',
      `The file ${file} cannot be read.`,
      'Check its name and its permissions.',
      error,
    );
  }
  return error;
}
