// The bounds of what is read of a CSV file, for the service and for pages.

export const fileBounds = {
  /** Enough of a file to recognize its encoding and delimiter. */
  headBytes: 65_536,
  /** Rows that are compared to recognize the delimiter. */
  rowsExamined: 50,
  /** A record of the largest size with every character doubled. */
  rowCharacters: 2_097_152,
  columns: 2_000,
  /** Rows by which the columns of a file are guessed, the bytes read for them, and the characters of a cell that count. */
  rowsSampled: 200,
  bytesSampled: 1_048_576,
  cellSampled: 200,
  /** Records that one cell names. */
  linksPerCell: 1_000,
} as const;
