// A line of a CSV file (RFC 4180): cells with commas, or another delimiter, between them and CRLF at its end.

/** A cell is quoted where it must be, and where a program that looks for a delimiter or for spaces could be misled. */
const quoted = /[",;|\t\r\n]|^\s|\s$/;

export function toCsvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => (quoted.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}\r\n`;
}
