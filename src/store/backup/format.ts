// The format of a backup: lines of text, compressed with gzip and sealed (see `seal`). The first line is a header in
// JSON. Each table's rows follow as COPY writes them, ended by a line of a backslash and a dot. The last line is a
// trailer with the row counts and digests.
import { createHash } from 'node:crypto';
import { Failure } from '../../base/failure.ts';
import type { Applied } from '../migrate.ts';

export interface BackupHeader {
  readonly format: typeof backupFormat;
  readonly format_version: number;
  /** The file ends with a seal. Backups made before there were seals lack this member. */
  readonly sealed?: true;
  /** The release of Orrery that made it. */
  readonly release: string;
  /** The version of PostgreSQL that it was made from. */
  readonly postgres: string;
  readonly made_at: string;
  readonly migrations: readonly Applied[];
  /** The last number that each sequence has issued, or "0". */
  readonly sequences: Readonly<Record<string, string>>;
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

export interface BackupTrailer {
  readonly tables: Readonly<Record<string, TableSum>>;
  /** The digest of everything before the trailer. */
  readonly sha256: string;
}

export interface TableSum {
  readonly rows: number;
  readonly sha256: string;
}

export const backupFormat = 'orrery-backup';
export const formatVersion = 1;

/** The line that ends a table. No row looks like it: a backslash in a value is written as two. */
export const endOfTable = Buffer.from('\\.\n');
const newline = 10;

/** Counts and digests a table's rows as they pass. */
export class Tally {
  readonly #hash = createHash('sha256');
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.#rows++;
  }

  sum(): TableSum {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}

export function toLine(value: BackupHeader | BackupTrailer): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** The header, if its format is one that this program knows. */
export function parseHeader(line: string, file: string): BackupHeader {
  const value = parseObject(line);
  if (value?.['format'] !== backupFormat) throw notABackup(file);
  if (value['format_version'] !== formatVersion) {
    throw new Failure(
      'schema_newer',
      `The file ${file} has another backup format (${String(value['format_version'])}) than this program reads (${formatVersion}).`,
      'Restore it with the release of Orrery that made it, or a later one.',
    );
  }
  const whole =
    isListOf(value['migrations'], { number: 'number', name: 'string', checksum: 'string' }) &&
    isListOf(value['tables'], { name: 'string', columns: 'object' }) &&
    typeof value['sequences'] === 'object';
  if (!whole) throw damaged(file);
  return value as unknown as BackupHeader;
}

export function parseTrailer(line: string, file: string): BackupTrailer {
  const value = parseObject(line);
  if (typeof value?.['tables'] !== 'object' || typeof value['sha256'] !== 'string') throw damaged(file);
  return value as unknown as BackupTrailer;
}

export function notABackup(file: string, cause?: unknown): Failure {
  const fix = 'Give a file that "orrery db backup" wrote.';
  return new Failure('invalid_file', `The file ${file} is not a backup of Orrery.`, fix, cause);
}

export function damaged(file: string, cause?: unknown): Failure {
  return new Failure(
    'invalid_file',
    `The backup ${file} is damaged: it was cut off or changed after it was made. Nothing was restored.`,
    'Use another copy of it, or an earlier backup.',
    cause,
  );
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isListOf(value: unknown, members: Readonly<Record<string, string>>): boolean {
  return (
    Array.isArray(value) &&
    value.every((each: Readonly<Record<string, unknown>> | null) =>
      Object.entries(members).every(([name, type]) => typeof each?.[name] === type),
    )
  );
}
