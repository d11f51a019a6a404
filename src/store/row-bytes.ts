// What rows take on disk, as an estimate: a number for each kind of row, plus the bytes of its values. An org's storage is
// added up by it, in the program as rows are written and in SQL as they are counted.

/** A row in its table and indexes, without its values. Measured: see test/fair-shares/storage.test.ts. */
export const rowBytes = {
  /** A live record with its index rows, unique values and words. */
  record: 1_000,
  trash: 200,
  entry: 250,
  formerValue: 150,
  answer: 300,
  link: 200,
  user: 200,
  externalId: 250,
} as const;

/** The values of a live record are also in its lower-cased texts, index rows and words. */
export const liveFactor = 2;

export function liveBytes(valueBytes: number): number {
  return rowBytes.record + liveFactor * valueBytes;
}
