// The bounds of an import in the browser: memory, requests and waits do not grow with the file.

export const importBounds = {
  /** The file is read in pieces of this size. */
  pieceBytes: 262_144,
  /** Rows that are shown of an opened file, different cells of a column, and characters of a shown cell. */
  rowsShown: 20,
  samplesShown: 3,
  cellShown: 200,
  /** Rows, characters and links of one batch; far below what the service takes. */
  batchRows: 500,
  batchCharacters: 2_097_152,
  batchLinks: 5_000,
  /** Links that may need an operation of their own: with the rows, at most 1,000 operations, which is what a batch can have. */
  batchLinksApart: 400,
  /** Values of one look-up: a filter can name so many. */
  lookUpValues: 1_000,
  /** Links that one operation can make with its record: contract 5. */
  linksPerRow: 100,
  /** Names of linked records that are remembered. */
  targetsRemembered: 20_000,
  /** Pages of records with the same names that are read for one column of one batch. */
  pagesPerLookUp: 20,
  /** Look-ups that are under way at once. */
  lookUpsAtOnce: 6,
  /** Values that a dry run remembers, to find those that two rows claim. */
  claimsRemembered: 500_000,
  /** Faults of one row that its reason names. */
  faultsNamed: 20,
  /** A lost connection is waited out with pauses from the first to the longest. */
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
  requestMs: 120_000,
  /** For so long the service surely knows an Idempotency-Key; it keeps them for 24 hours. */
  keyKeptMs: 82_800_000,
  /** How much earlier than it was sent a batch may seem to be written, because clocks differ. */
  doubtBeforeMs: 10_000,
  /** Batches whose times tell the speed. */
  batchesMeasured: 10,
} as const;
