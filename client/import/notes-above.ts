// Some programs write notes above the names of the columns: a few lines that are not split into cells.

/** Rows that are looked at: notes are short. */
const rowsExamined = 20;

/**
 * How many rows come before the one with the names of the columns: rows of one cell, before two rows that have equally many.
 * `rows` are the first rows of the file.
 */
export function notesAbove(rows: readonly (readonly string[])[]): number {
  const examined = rows.slice(0, rowsExamined);
  const isNote = (cells: readonly string[]) => cells.filter((cell) => cell.trim() !== '').length === 1;
  const header = examined.findIndex((cells) => !isNote(cells));
  if (header < 1) return 0;
  const [names = [], next = []] = examined.slice(header);
  const isHeader = names.length > 2 && names.length === next.length && names.every((cell) => cell.trim() !== '');
  return isHeader ? header : 0;
}
