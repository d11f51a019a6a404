// What the database is asked for, each bound with its reason. They are part of the table in `limits`; `store` applies them.

export const store = {
  /** Connections of one process; on a small machine more would only queue inside PostgreSQL. */
  poolConnections: 10,
  /** Connections for short statements that every request needs, so that long statements do not delay them. */
  urgentConnections: 2,
  /** The last defence behind the shares of orgs: requests that may wait for a connection, and how long each of them waits. */
  poolWaiting: 500,
  poolWaitMs: 5_000,
  /** How long an unused connection stays open: a new one knows no statement yet, and its first ones take longest. */
  poolIdleMs: 600_000,
  /** How long a connection may take to close. */
  poolCloseMs: 5_000,
  /** How long a request waits for a connection in all, even if the embedded PostgreSQL has to be restarted for it. */
  connectMs: 10_000,
  /** Hosts that the address of a database may name. */
  hosts: 8,
  /** Longer than PostgreSQL lets a statement run: after this time its connection is assumed to be dead. */
  statementWaitMs: 12_000,
  /** How often everything that waits for the database is checked. */
  sweepMs: 250,
  /** Bytes that are read at once: the thread reads up to 32 times from one connection before it turns to others. */
  readBytes: 32_768,
  /** If nothing has been heard for so long while something waits, the server is asked for a new connection. */
  quietMs: 1_000,
  /**
   * If it does not answer that for so long, it counts as silent. Together with the time above this is less than any wait in
   * line, so that requests in line fail for the right reason.
   */
  silentMs: 3_000,
  /** How long one such question waits for its answer; then it is asked again. */
  askMs: 2_000,
  /** Once a host takes writes, how long it is waited whether another one does so too: an answer takes a few milliseconds. */
  rivalMs: 200,
  /** How long a pooler may take to show that it keeps sessions: less than it takes to call the server silent. */
  poolerMs: 3_000,
  /** How long a notification may take meanwhile; it usually takes a millisecond. */
  notificationMs: 1_000,
  /** Statement texts whose names are kept. */
  statementForms: 5_000,
  /** Prepared statements of a connection. */
  namedStatements: 500,
  /** Prepared queries among them: a plan takes 100 to 300 kB on each connection that has used it. */
  namedQueries: 80,
  /** Statements are compared with others that wait if their values have no more characters: more would take milliseconds. */
  comparedCharacters: 20_000,
  /** How many sets of columns facts are written by; beyond, all columns are sent. */
  factForms: 12,
  /** How many records a statement of the migration of facts reads. */
  filledFacts: 1_000,
  /** Forms of queries that are kept until they come a second time, because only then are they prepared. */
  queryForms: 1_000,
  /** Longer queries are not prepared: they hardly ever come again. */
  queryCharacters: 32_768,
  /**
   * A transaction is repeated after a deadlock or a serialization failure. Before the first repetition it waits so long,
   * and twice as long before each further one: the other transaction must go on first, or they meet again.
   */
  transactionAttempts: 5,
  repeatWaitMs: 50,
  /** A page ends early rather than grow beyond this: long enough for 500 records of 8 KiB. */
  pageBytes: 4_194_304,
  /** The same for a page of the change feed, which many readers get at the same moment. */
  changesPageBytes: 1_048_576,
  /** What a long value counts there, for a caller from whom others are hidden: eight fill a page, with 16 MiB at most. */
  leftOutValueBytes: 131_072,
  /** Values that are hidden from the caller are read with an entry of the feed that has no more bytes: to print it anew costs more. */
  hiddenTextBytes: 2_048,
  /** Texts of so many bytes, which are only passed on, stay outside the heap: less would not pay for the object of each. */
  longTextBytes: 2_048,
  /** Records whose links a merge moves with one statement. */
  movedSourcesAtOnce: 1_000,
  /** How long sessions of a service that has just stopped may take to end. */
  stoppedMs: 2_000,
  /**
   * How often the workers of a cluster are looked at and how many at the same time, how long the first server waits for one to take a
   * connection, and how long for the answer of one that has taken it.
   */
  workersLookedAtMs: 1_000,
  workersAskedAtOnce: 4,
  workerConnectMs: 2_000,
  workerAnswerMs: 3_000,
  /** Rows that stand in a statement, each value a parameter, of which a statement can have 65,535. */
  standingRows: 2_000,
  /** No statement of a request returns so much. It ends an error of the program, not of the process. */
  resultBytes: 33_554_432,
  /** Of records that are locked together, the values of only so many are read at once. */
  lockedBytes: 524_288,
  /** Grouped writes give up soon when they wait for a lock, so that one of them does not delay the others. */
  groupLockMs: 100,
  /** Longer records are not updated in a group: reading and writing one would delay all others. */
  groupedRecordBytes: 65_536,
  /** Records that one statement purges: short statements do not hold their locks for long. */
  purgedRecordsAtOnce: 500,
  /** Records from which one statement erases a value. */
  erasedRecordsAtOnce: 200,
  /** Kept answers that one statement of an erasure examines, their bytes, and the bytes of those that are redacted at once. */
  answersExamined: 5_000,
  answerBytesExamined: 16_777_216,
  redactedBytes: 4_194_304,
  /** Other rows that one statement purges. */
  purgedRowsAtOnce: 5_000,
  /** Bytes of values that one statement purges: removing so many takes less than a second. */
  purgedBytesAtOnce: 16_777_216,
  /** A type with more records is read as a whole only if no other way to a page is found. */
  largeType: 20_000,
  /** A set of fewer records is read at once, without a search for a better way. */
  smallSet: 1_000,
  /** A set of at least so many records of a large type costs more to read than the facts about all records. */
  scannedSet: 10_000,
  /** How many records an ordered walk examines before another way is tried. */
  examinedRows: 2_000,
  /** Links that a page of linked records examines before it has to wait for its lane. */
  examinedLinks: 20_000,
  /** How long a search by words may take before it has to wait for its lane. */
  searchTryMs: 100,
  /** How long filling an index waits for a lock, while writers wait behind it. */
  indexLockMs: 200,
  /** Records that one step of filling an index reads. */
  indexedAtOnce: 1_000,
  /** Automatic indexes of a type: each of them makes every write slower. */
  indexesPerType: 30,
  /** Feed entries that one statement examines, whether the caller sees them or not. */
  feedEntriesExamined: 5_000,
  /** How long an export waits for its reader: it keeps PostgreSQL from cleaning up. */
  exportIdleMs: 3_600_000,
  /** How long a batch of an import waits for a lock. */
  importLockMs: 2_000,
  /** A batch of large records may take longer than a statement of a request. */
  importStatementMs: 120_000,
  /** How long an interrupted import can be continued: 30 days. */
  importKeptSeconds: 2_592_000,
  /** How long after the time in its id a record may be written: its transaction takes that long, and no import has dated it. */
  createdWithinSeconds: 120,
  /** Interrupted imports that are kept for an org. */
  importsKept: 100,
  /**
   * New words that may wait for their index: every search reads them, and the write that brings more indexes all of them,
   * which takes ten milliseconds. A service indexes them before, in the background (`engine/process/indexed-words`), and an
   * import itself, at half of it, so that it is never others who wait for its words.
   */
  waitingWordsKilobytes: 256,
  importedWordsKilobytes: 128,
  /** How long a process that starts tries again while a restore ends its sessions: longer than the tables are locked. */
  openingMs: 60_000,
  /** The pause between two tries. */
  openingPauseMs: 100,
  /** The longest line of a backup that is not a row. */
  backupLineBytes: 1_048_576,
  /** How long a backup waits for a running migration or restore. */
  backupLockMs: 60_000,
  /** How long a restore waits for the lock of one that has failed: PostgreSQL frees it once it has noticed the end of the session. */
  restoreAloneMs: 3_000,
  /** Attempts of a restore to lock the tables. Each waits twice as long; the last, longer than any statement runs. */
  restoreLockAttempts: 8,
  /** How long the first attempt waits. */
  restoreLockMs: 100,
  /** Added to the time for which caches are trusted, for slow processes. */
  restoreGraceMs: 300,
  /** How long the embedded PostgreSQL runs on after its process was killed: long enough for a restart by a supervisor. */
  abandonedServerSeconds: 30,
  /** Twice the size of a file of PostgreSQL's log, without which it cannot continue. */
  diskSpareBytes: 33_554_432,
  /** How long a disk counts as full after PostgreSQL has said so: on a busy service the next write says it again sooner. */
  diskFullKnownMs: 30_000,
  /** When a write that found the disk full should be tried again: somebody has to free space first. */
  diskRetrySeconds: 10,
} as const;
