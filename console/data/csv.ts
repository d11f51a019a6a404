// The view as CSV, in the form that `orrery export` writes and `orrery import` reads back. Only what is shown is read, and it
// leaves the browser for nowhere but the reader's own disk.
import { guard } from '../../client/import/cells/read-cell.ts';
import type { AnySchema, Query } from '../../client/main.ts';
import { api } from './api.ts';
import { type TypeDetail, titleProperties } from './schema.ts';
import type { Column } from './view.ts';

/** The most rows of one file: larger ones are for the command line. */
export const rowsMost = 100_000;

/** A cell of a file that a spreadsheet opens. */
export function cellOf(value: unknown, isNumber: boolean): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = isNumber ? text : guard(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns how many rows it has, and whether there were more. */
export async function downloadCsv(
  type: TypeDetail,
  columns: readonly Column[],
  question: Query<AnySchema, string>,
  onProgress: (rows: number) => void,
): Promise<{ readonly rows: number; readonly hasMore: boolean }> {
  const shown = columns.flatMap((column) => (column.kind === 'property' ? [column.property.name] : []));
  const names = [...titleProperties(type), ...shown];
  const numbers = new Set(
    type.properties.filter(({ field_type: field }) => field === 'number').map(({ name }) => name),
  );
  const parts: string[] = [`${['id', ...names].join()}\r\n`];
  const { include: _, cursor: __, ...asked } = question;
  let rows = 0;
  let hasMore = false;
  for await (const page of api
    .records(type.name)
    .query({ ...asked, properties: names, limit: 500 })
    .pages()) {
    const lines = page.data.map((record) =>
      [record.id, ...names.map((name) => cellOf(record.properties[name], numbers.has(name)))].join(),
    );
    if (lines.length > 0) parts.push(`${lines.join('\r\n')}\r\n`);
    rows += lines.length;
    onProgress(rows);
    hasMore = page.nextCursor !== null;
    if (rows >= rowsMost) break;
  }
  save(parts, `${type.name}.csv`);
  return { rows, hasMore };
}

export function saveCsv(text: string, name: string): void {
  save([text], name);
}

function save(parts: readonly string[], name: string): void {
  saveFile(new Blob([...parts], { type: 'text/csv;charset=utf-8' }), name);
}

export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser reads it at once; a moment later nobody needs it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
