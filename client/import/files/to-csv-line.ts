// A line of a CSV file (RFC 4180): cells separated by commas or another delimiter, ended by CRLF.

/** Cells that must be quoted, and cells that could mislead a program that guesses the delimiter or trims spaces. */
const quoted = /[",;|\t\r\n]|^\s|\s$/;

export function toCsvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => (quoted.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}\r\n`;
}
