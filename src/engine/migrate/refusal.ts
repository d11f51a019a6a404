// Why a folder is not brought in, in one sentence: what is wrong with it, or what the database found when its rows were written.

import { shorten } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { errorCode, isLockMissed } from '../../store/pg-error.ts';

const messageCharacters = 400;

/** Nothing has changed in the database when this is thrown. */
export function wrongFolder(sentence: string, cause?: unknown): Failure {
  const told = shorten(sentence.replace(/\.$/, ''), messageCharacters);
  const fix = 'Export the org again with "orrery export --all", or correct the file and its digest in manifest.json.';
  return new Failure('invalid_file', `${told}. Nothing was brought in.`, fix, cause);
}

export function wrongLine(file: string, line: number, why: string): Failure {
  return wrongFolder(`${file}, line ${line}: ${why}`);
}

/** The error of a statement that wrote rows of a file. */
export function refusedRows(error: unknown, file: string, catalog: Catalog): unknown {
  if (error instanceof Failure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = errorCode(cause) ?? '';
  if (code === '23505') return wrongFolder(`${file}: ${repeated(cause, catalog)}`, error);
  // 22: a value that its column does not take; 23: a row that breaks a rule of its table.
  if (/^2[23]/.test(code)) return wrongFolder(`${file} has a value that the database does not take`, error);
  if (isLockMissed(error)) {
    const sentence = 'Somebody else is changing the org. Nothing was brought in.';
    return new Failure('database_unreachable', sentence, 'Try again when nobody uses it.', error);
  }
  return error;
}

/** PostgreSQL names the columns of the key and their values. */
function repeated(error: unknown, { objectTypes }: Catalog): string {
  const detail = error instanceof Error && 'detail' in error ? String(error.detail) : '';
  const unique = /property_id, value\)=\(\d+, (\d+), (\d+), (.*)\) already/s.exec(detail);
  if (unique === null) return 'two lines have the same id';
  const [, typeId, propertyId, value = ''] = unique;
  const type = [...objectTypes.values()].find(({ id }) => String(id) === typeId);
  const property = type?.groups.unique.find(({ id }) => String(id) === propertyId);
  return `two live records have ${JSON.stringify(shorten(value, 80))} as ${property?.name ?? 'a unique value'}`;
}
