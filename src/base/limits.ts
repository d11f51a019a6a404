// Every limit of the service, once (contract 9). `GET /self/` reports those that a client can run into.

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

/** Bounds that no client plans with: they keep one process healthy. Grouped by the room that each of them binds. */
export const bounds = {
  base: {
    /** An answer names at most so many errors; a body could hold a million. */
    faultsReported: 500,
    /** Finding the nearest name compares it with every known one. */
    suggestionsPerRecord: 5,
    /** Enough of a file to tell its encoding and delimiter. */
    csvHeadBytes: 65_536,
    /** Rows that help to tell the delimiter. */
    csvRowsExamined: 50,
    /** A record of the largest size, with each of its characters doubled. */
    csvRowCharacters: 2_097_152,
  },
  schema: {
    /** Misspelt names whose nearest name is remembered, for each type. */
    suggestionsKept: 1_000,
    /** A catalog is held in memory whole, for each org. */
    objectTypesPerOrg: 200,
    associationTypesPerOrg: 500,
    /** An association type between kinds is expanded to all pairs of their types. */
    associationPairsPerOrg: 20_000,
    optionsPerProperty: 500,
  },
  query: {
    /** As for a record; a query can name more properties. */
    suggestionsPerQuery: 20,
    /** Negations and kinds of types multiply conditions before they become SQL. */
    conditionsCompiled: 2_000,
    /** The longest name of an aggregation. */
    nameCharacters: 64,
    havings: 10,
  },
  store: {
    /** Connections of one process; more would only queue inside PostgreSQL on a small machine. */
    poolConnections: 10,
    /** Connections for what every request waits for, so that long statements delay nobody. */
    urgentConnections: 2,
    /** Requests that may wait for a connection. */
    poolWaiting: 500,
    /** How long each of them waits. */
    poolWaitMs: 5_000,
    /** How long a connection may take to close. */
    poolCloseMs: 5_000,
    /** Longer than PostgreSQL lets a statement run: after it the server is taken to be gone. */
    statementWaitMs: 15_000,
    /** How often waiting statements are checked for that. */
    statementSweepMs: 500,
    /** Texts of statements whose names are remembered. */
    statementForms: 5_000,
    /** Prepared statements a connection keeps. */
    namedStatements: 500,
    /** Prepared queries among them: a plan takes 100 to 300 kB on each connection that has used it. */
    namedQueries: 80,
    /** Forms of queries that are remembered until they come a second time. */
    queryForms: 1_000,
    /** Longer queries are not prepared. */
    queryCharacters: 32_768,
    /** A transaction that lost to a deadlock or a serialization failure runs again. */
    transactionAttempts: 3,
    /** A page ends before it grows beyond this. */
    pageBytes: 16_777_216,
    /** Grouped writes give up waiting for a lock early, so that one of them does not hold up the others. */
    groupLockMs: 100,
    /** Records that one statement purges. */
    purgedRecordsAtOnce: 500,
    /** Other rows that one statement purges. */
    purgedRowsAtOnce: 5_000,
    /** A type with more records is not read whole before other ways have been tried. */
    largeType: 20_000,
    /** A set of at most so many records is read without looking for a better way. */
    smallSet: 1_000,
    /** How far an ordered walk goes before another way is tried. */
    examinedRows: 2_000,
    /** How long a search by words is tried before it waits for its lane. */
    searchTryMs: 100,
    /** How long filling an index waits for a lock that a writer holds. */
    indexLockMs: 200,
    /** Records that one step of filling an index reads. */
    indexedAtOnce: 1_000,
    /** Automatic indexes of a type: each costs every write. */
    indexesPerType: 30,
    /** Entries that one statement examines, seen by the caller or not. */
    feedEntriesExamined: 5_000,
    /** How long an export may wait for its reader. */
    exportIdleMs: 3_600_000,
    /** How long a batch waits for a lock. */
    importLockMs: 2_000,
    /** A batch of large records may take longer than a request's statement. */
    importStatementMs: 120_000,
    /** How long an interrupted import can be continued. */
    importKeptSeconds: 2_592_000,
    /** How many an org can have. */
    importsKept: 100,
    /** How many words may wait for their index during an import. */
    deferredWordsKilobytes: 3_072,
    /** Changing the word index needs a lock that writers hold most of the time. */
    deferredWordsAttempts: 20,
    /** How long each attempt waits for it: writers wait as long. */
    deferredWordsLockMs: 100,
    /** The longest line of a backup that is not a row. */
    backupLineBytes: 1_048_576,
    /** How long a backup waits for a running migration or restore. */
    backupLockMs: 60_000,
    /** A restore tries so often to lock the tables, waiting twice as long each time: at last longer than a statement may run. */
    restoreLockAttempts: 8,
    /** How long the first attempt waits. */
    restoreLockMs: 100,
    /** Added to the time for which caches are trusted, for processes that are slow. */
    restoreGraceMs: 300,
    /** Twice what PostgreSQL needs to begin a new file of its log. */
    diskSpareBytes: 33_554_432,
  },
  engine: {
    /** How long a process uses what it has cached without asking whether it still holds. */
    cacheTrustedMs: 900,
    cachedOrgs: 1_000,
    cachedCredentialsPerOrg: 10_000,
    /** Narrowed catalogs: one for each set of grants. */
    cachedCatalogsPerOrg: 100,
    /** Keys whose digest is remembered. */
    knownKeys: 10_000,
    /** Orgs whose rate window is remembered. */
    rateAccounts: 10_000,
    /** Addresses that are counted without a key. */
    anonymousAddresses: 10_000,
    /** Keys whose last use waits to be stored. */
    lastUses: 10_000,
    /** Scans of large types, of all orgs together. */
    scansAtOnce: 2,
    /** Scans of one org that may wait. */
    scansWaiting: 50,
    /** How long each of them waits. */
    scanWaitMs: 10_000,
    /** Whole reads of small types, of one org. */
    readsOfOrg: 4,
    /** And of all orgs: three connections are left to everything else. */
    readsAtOnce: 7,
    /** How long a type is taken to be as large as it was. */
    typeSizeKnownMs: 60_000,
    /** Groups of writes under way. */
    groupsAtOnce: 2,
    /** Writes in a group. */
    groupedWrites: 100,
    /** Bytes in a group. */
    groupedBytes: 4_194_304,
    /** How long a write waits for its group to begin. */
    groupWaitMs: 5_000,
    /** A batch makes many statements; this bounds all of them together. */
    unitMs: 60_000,
    /** A unit that lost a race runs again: eight clients that want one value lose ten times in a row. */
    lostRaceAttempts: 25,
    /** How long an answer is kept for a repeated request. */
    idempotencyKeptSeconds: 86_400,
    /** A record is read whole. */
    recordBytes: 1_048_576,
    /** Longer than a process needs to hear of a new index, and than a write that has not heard of it waits to begin. */
    indexGraceMs: 30_000,
    /** The pause before transactions older than an index are checked again. */
    indexWaitMs: 1_000,
    /** How often a process looks for indexes that another one left unfinished. */
    indexLookMs: 60_000,
    /** Properties that this process has asked an index for. */
    askedIndexes: 10_000,
    /** A walk in the order of options has a stretch for each. */
    walkedOptions: 50,
    /** At most one notification in this time. */
    notifyEveryMs: 20,
    /** Requests that wait for changes. */
    feedWaits: 1_000,
    /** Those of one org. */
    feedWaitsOfOrg: 100,
    /** How long one page of the feed may look for entries that the caller sees. */
    feedReadMs: 5_000,
    /** How long a position of the feed is remembered. */
    feedFloorKnownMs: 5_000,
    /** How long a connection goes on listening after the last waiter has left. */
    listeningKeptMs: 60_000,
    /** A start has other work first. */
    housekeepingFirstMs: 60_000,
    housekeepingEveryMs: 600_000,
    /** Steps of one round, so that it ends. */
    housekeepingSteps: 200,
    /** Records that one statement of an export reads. */
    exportedAtOnce: 1_000,
    importColumns: 2_000,
    /** Rows of a batch of an import. */
    importedAtOnce: 1_000,
    /** Characters of a batch. */
    importedCharacters: 2_097_152,
    /** Batches under way: while one waits for its turn to commit, the next are prepared. */
    importsInFlight: 3,
    /** Smaller files are done before deferring the words would pay. */
    deferredWordsFileBytes: 1_048_576,
    ingestLineBytes: 1_048_576,
    /** Lines of a batch of ingest. */
    ingestedAtOnce: 500,
    /** Bytes of a batch. */
    ingestedBytes: 4_194_304,
    externalIdCharacters: 255,
  },
  operations: {
    /** So many errors of a batch say what was expected; the others leave it out, because it can be long. */
    faultShapesReported: 100,
    linksPerCreate: 100,
    includes: 5,
    /** Linked records of each association type beside one record. */
    includedOnRead: 100,
    /** And beside each record of a page. */
    includedOnPage: 10,
    searchCharacters: 1_024,
    groupsDefault: 100,
    /** A batch costs one unit of the rate limit for so many operations, or a part of them (contract 9). */
    batchOperationsPerUnit: 50,
    /** Each waiter also polls so often, in case a notification is lost. */
    feedPollMs: 1_000,
    /** Shorter than what proxies usually allow an idle request. */
    feedWaitSeconds: 25,
    feedEntriesDefault: 200,
  },
  http: {
    urlBytes: 8_192,
    headerBytes: 16_384,
    /** A client that sends its headers slower is cut off. */
    headersTimeoutMs: 10_000,
    /** The same for the whole request. */
    requestTimeoutMs: 30_000,
    /** Longer than the 60 s of common proxies, so that the proxy closes first. */
    keepAliveTimeoutMs: 65_000,
    /** Shorter than the 30 s that orchestrators grant a stopping process. */
    drainTimeoutMs: 25_000,
    /** How long a refused client may go on sending before its connection is closed. */
    lingerMs: 1_000,
    /** Lines of the log that are written together. */
    logGatheredForMs: 20,
    connections: 10_000,
    /** How long the process that holds the wanted port may take to say who it is. */
    greetingMs: 1_000,
  },
  cli: {
    grantsPerKey: 100,
    schemaFileBytes: 4_194_304,
    /** Refused lines of ingest that are printed. */
    refusalsPrinted: 100,
    faultsPrintedPerLine: 3,
    /** Pieces in which a backup is compressed. */
    backupChunkBytes: 65_536,
    /** The level of gzip: most of the gain, and fast. */
    backupCompression: 3,
    trashListedDefault: 100,
    trashListed: 10_000,
    /** Pieces in which a file is read. */
    importChunkBytes: 262_144,
    /** Refused rows that are printed; the errors file has all of them. */
    importRefusalsPrinted: 10,
    faultsPrintedPerRow: 20,
    optionsPrinted: 10,
    /** Names that are tried for an errors file. */
    errorsFiles: 1_000,
    columnMapBytes: 1_048_576,
    /** How often the line of progress is redrawn on a terminal. */
    progressDrawnMs: 100,
    /** And printed elsewhere. */
    progressPrintedMs: 5_000,
  },
} as const;

/** The policy of requests that carry no valid key, per address and process. */
export const anonymousPolicy = { name: 'anonymous', quota: 300, windowSeconds: 60 } as const;
/** The policy of an org that was created without one of its own. */
export const orgPolicyDefault = { quota: 6_000, windowSeconds: 60 } as const;
