// Text for a terminal: tables, numbers, and texts of others, which must not control the terminal.
import { counted } from '../../base/counted.ts';

/** Replaces control characters, such as those of an escape sequence. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** Such as "1 row" or "12,345 rows". */
export function plural(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Such as 1.2 GB, in powers of 1,000. */
export function sized(bytes: number): string {
  // With one digit after the point, 999,950 bytes are 1,000 kB, which is 1 MB.
  const rounded = (power: number) => Math.round((bytes / 1_000 ** power) * 10) / 10;
  const power = sizes.findIndex((_, index) => rounded(index) < 1_000 || index === sizes.length - 1);
  return `${counted(rounded(power))} ${sizes[power]}`;
}

const sizes = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The values of a record under names without the prefix of built-in ones. */
export function unprefixed(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replace(/^svc_/, ''), value]));
}
