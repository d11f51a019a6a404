// The bounds of the command line, each with its reason. They are part of the table in `limits`.

export const cli = {
  grantsPerKey: 100,
  /**
   * The heap of a serving process, with what its objects hold outside of it, may grow to this size before garbage is collected,
   * within the two bounds that follow.
   */
  heapBytes: 128 * 1_048_576,
  /** The same for all memory of the process: after large requests of every kind, half of it is not the heap's. */
  processBytes: 320 * 1_048_576,
  /** The least and the most by which it may grow, in percent of what is alive. V8 itself lets it grow by 300. */
  heapGrowthLeast: 50,
  heapGrowthMost: 300,
  /** How long the first process waits, before it stops its workers, until they have taken the connections that have come. */
  handoverMs: 2_000,
  schemaFileBytes: 4_194_304,
  /** Parts of a distributed table, unless somebody asks for more: each is a table of its own on its server. */
  shards: 32,
  shardsMax: 1_024,
  /** Definitions of a kind that are named when a schema was applied; with --json all are. */
  definitionsNamed: 20,
  /** Refused lines of ingest that are printed. */
  refusalsPrinted: 100,
  faultsPrintedPerLine: 3,
  /** A backup is compressed in chunks of this size. */
  backupChunkBytes: 65_536,
  /** The level of gzip: most of the gain, and fast. */
  backupCompression: 3,
  /** Keys that a restore names, of those that it keeps closed; with --json it names all. */
  closedKeysNamed: 10,
  /** The manifest of an exported org: a line for each of its files. */
  manifestBytes: 4_194_304,
  /** Entries of the audit that are listed. */
  auditEntries: 1_000,
  jobsListed: 100,
  trashListedDefault: 100,
  trashListed: 10_000,
  /** A file is read in chunks of this size. */
  importChunkBytes: 262_144,
  /** Refused rows that are printed; the errors file contains all of them. */
  importRefusalsPrinted: 10,
  faultsPrintedPerRow: 20,
  optionsPrinted: 10,
  /** Names that are tried for an errors file. */
  errorsFiles: 1_000,
  columnMapBytes: 1_048_576,
  /** How often the progress line is redrawn on a terminal, and printed elsewhere. */
  progressDrawnMs: 100,
  progressPrintedMs: 5_000,
} as const;
