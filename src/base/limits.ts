// Every limit of the service, once (contract 9). Those of shares, of HTTP and of the command line have files of their own.
import { cli } from './cli-bounds.ts';
import { http } from './http-bounds.ts';
import { shares } from './share-bounds.ts';

/** The limits that clients can run into. `GET /self/` reports them. */
export const limits = {
  bodyBytes: 1_048_576,
  batchBodyBytes: 8_388_608,
  batchOperations: 1_000,
  pageSizeDefault: 50,
  pageSize: 500,
  changesPageSize: 1_000,
  filterConditions: 50,
  filterDepth: 5,
  inValues: 1_000,
  sortKeys: 3,
  groupKeys: 3,
  aggregations: 10,
  groups: 1_000,
  valuesPerProperty: 100,
  propertiesPerType: 500,
  statementSeconds: 10,
} as const;

/** The other bounds: they keep a process healthy. They are grouped by the room that each of them binds. */
export const bounds = {
  base: {
    /** The most errors that a response lists: a body could contain a million. */
    faultsReported: 500,
    /** Names for which the nearest known name is searched: each is compared with all of them. */
    suggestionsPerRecord: 5,
    /** Enough of a file to recognize its encoding and delimiter. */
    csvHeadBytes: 65_536,
    /** Rows that are compared to recognize the delimiter. */
    csvRowsExamined: 50,
    /** A record of the largest size with every character doubled. */
    csvRowCharacters: 2_097_152,
  },
  schema: {
    /** Misspelt names of each type whose nearest name is kept. */
    suggestionsKept: 1_000,
    /** The next four: catalogs are held in memory as a whole. Association types between kinds expand to many pairs. */
    objectTypesPerOrg: 200,
    associationTypesPerOrg: 500,
    associationPairsPerOrg: 20_000,
    optionsPerProperty: 500,
  },
  query: {
    /** More than for a record, because a query can name more properties. */
    suggestionsPerQuery: 20,
    /** A condition counts once for each type that it tests: links to kinds multiply conditions. */
    conditionsCompiled: 2_000,
    /** The longest name of an aggregation: as long as the name of a property. */
    nameCharacters: 64,
    /** One for each aggregation. */
    havings: 10,
  },
  store: {
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
    /** Statement texts whose names are kept. */
    statementForms: 5_000,
    /** Prepared statements of a connection. */
    namedStatements: 500,
    /** Prepared queries among them: a plan takes 100 to 300 kB on each connection that has used it. */
    namedQueries: 80,
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
    /** Texts of so many bytes, which are only passed on, stay outside the heap: less would not pay for the object of each. */
    longTextBytes: 2_048,
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
    /** Other rows that one statement purges. */
    purgedRowsAtOnce: 5_000,
    /** Bytes of values that one statement purges: removing so many takes less than a second. */
    purgedBytesAtOnce: 16_777_216,
    /** A type with more records is read as a whole only if no other way to a page is found. */
    largeType: 20_000,
    /** A set of fewer records is read at once, without a search for a better way. */
    smallSet: 1_000,
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
    /** Interrupted imports that are kept for an org. */
    importsKept: 100,
    /**
     * New words that may wait for their index: every search reads them, and the write that brings more indexes all of them,
     * which takes three milliseconds. An import may leave more, which takes ten.
     */
    waitingWordsKilobytes: 64,
    importedWordsKilobytes: 256,
    /** How long a process that starts tries again while a restore ends its sessions: longer than the tables are locked. */
    openingMs: 60_000,
    /** The pause between two tries. */
    openingPauseMs: 100,
    /** The longest line of a backup that is not a row. */
    backupLineBytes: 1_048_576,
    /** How long a backup waits for a running migration or restore. */
    backupLockMs: 60_000,
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
  },
  engine: {
    /** How long a process uses its caches before it checks that they are still valid. */
    cacheTrustedMs: 900,
    /** How much the clocks of process and database may drift apart: twice the 500 ppm by which a clock is corrected at most. */
    clockDrift: 0.001,
    /**
     * How far the times of new ids may be ahead of the clock, to come after older ids: more than a wrong time zone or an hour
     * of daylight saving. Ids that are further ahead were made by a clock that was wrong, and are not followed.
     */
    idsAheadMs: 86_400_000,
    /** The next five: entries of caches and counters, so that no number of clients fills the memory. */
    cachedOrgs: 1_000,
    cachedCredentialsPerOrg: 10_000,
    /** Narrowed catalogs: one for each set of grants. */
    cachedCatalogsPerOrg: 100,
    /** Keys whose digest is kept. */
    knownKeys: 10_000,
    /** Keys and indexes whose last use is noted. */
    lastUses: 10_000,
    /** How long the measured size of a type is used. */
    typeSizeKnownMs: 60_000,
    /** Groups of writes that run at once. */
    groupsAtOnce: 2,
    /** Writes and bytes in a group, which is one statement. */
    groupedWrites: 100,
    groupedBytes: 1_048_576,
    /** How long a write waits for its group to begin. */
    groupWaitMs: 5_000,
    /** The time for all statements of a unit of work together: a batch makes many. */
    unitMs: 60_000,
    /** A batch whose records take more memory is written in parts, in one transaction; twice what is read at once. */
    unitBytes: 1_048_576,
    /** The same for its changes and links: writing so many takes the thread for some milliseconds. */
    unitEntries: 5_000,
    /** The words of longer texts of one record are found step by step: these take a fifth of a millisecond. */
    wordsAtOnceCharacters: 8_192,
    /** Values and links of a batch that are looked up together, for the same reason. */
    lookupsAtOnce: 2_000,
    /** Runs of a unit that loses races: of eight clients that write one value, one can lose ten times in a row. */
    lostRaceAttempts: 25,
    /** How long an answer is kept for repeated requests with the same idempotency key: a day. */
    idempotencyKeptSeconds: 86_400,
    /** The largest record: records are read as a whole. */
    recordBytes: 1_048_576,
    /**
     * Longer values are stored once, not in the record, the feed and kept answers: finding one costs a look-up. A greater
     * number needs a migration: values between the two are left out of what is stored, and would not be kept for it.
     */
    longValueCharacters: 4_096,
    /** Longer than a process needs to learn of a new index, plus the time that a write may wait unaware of it. */
    indexGraceMs: 30_000,
    /** Longer than any query that knew an index as ready: 30 seconds for its body, then waits and statements of 10. */
    indexRetiredMs: 300_000,
    /** How often the use of an index is stored: much less than the time after which it counts as unused. */
    indexUseEveryMs: 3_600_000,
    /** The pause before the next check for transactions that are older than an index. */
    indexWaitMs: 1_000,
    /** How often a process looks for indexes that another process left unfinished. */
    indexLookMs: 60_000,
    /** Options of a property that records are sorted by: a walk has a section for each. */
    walkedOptions: 50,
    /** The shortest time between two notifications. */
    notifyEveryMs: 20,
    /** How often an org's feed is looked at for all waiting requests, in case a notification is lost. */
    feedPollMs: 1_000,
    /** How long one page of the feed may search for entries that the caller sees. */
    feedReadMs: 5_000,
    /** How long a position of the feed is used before it is read again. */
    feedFloorKnownMs: 5_000,
    /** How long a connection keeps listening after the last waiter has left. */
    listeningKeptMs: 60_000,
    /** The first housekeeping waits, because a starting process has other work. */
    housekeepingFirstMs: 60_000,
    housekeepingEveryMs: 600_000,
    /** Steps of one round of housekeeping, so that it ends. */
    housekeepingSteps: 200,
    /** Records that one statement of an export reads. */
    exportedAtOnce: 1_000,
    /** Columns of a file: more than any type has properties. */
    importColumns: 2_000,
    /** Rows and characters in a batch of an import. */
    importedAtOnce: 1_000,
    importedCharacters: 2_097_152,
    /** Batches that run at once: while one waits for its turn to commit, the next are prepared. */
    importsInFlight: 3,
    /** The longest line of ingest: a record of the largest size. */
    ingestLineBytes: 1_048_576,
    /** Lines and bytes in a batch of ingest. */
    ingestedAtOnce: 500,
    ingestedBytes: 4_194_304,
    /** External ids are keys of an index. */
    externalIdCharacters: 255,
  },
  /** What one org, one address or one client may take from the others (`engine/shares`). */
  shares,
  operations: {
    /** Errors of a batch that include the expected shape, which can be long; the others leave it out. */
    faultShapesReported: 100,
    linksPerCreate: 100,
    /** Association types that one read includes. */
    includes: 5,
    /** Linked records of each association type beside one record, and beside each record of a page. */
    includedOnRead: 100,
    includedOnPage: 10,
    searchCharacters: 1_024,
    groupsDefault: 100,
    /** Operations of a batch that cost one unit of the rate limit (contract 9). */
    batchOperationsPerUnit: 50,
    /** Shorter than proxies usually allow a request to be idle. */
    feedWaitSeconds: 25,
    feedEntriesDefault: 200,
  },
  http,
  cli,
} as const;

/** The rate limit of requests without a valid key, for each address and process. */
export const anonymousPolicy = { name: 'anonymous', quota: 300, windowSeconds: 60 } as const;
/** The rate limit of an org that was created without one of its own. */
export const orgPolicyDefault = { quota: 6_000, windowSeconds: 60 } as const;
