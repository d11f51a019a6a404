// Every limit of the service, once (contract 9). Those of shares, of the store, of HTTP and of the command line have files of
// their own.
import { cli } from './cli-bounds.ts';
import { http } from './http-bounds.ts';
import { shares } from './share-bounds.ts';
import { signIn } from './sign-in-bounds.ts';
import { store } from './store-bounds.ts';

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
    /** Random bytes that are made at once, for many nonces. */
    nonceBlockBytes: 4_096,
    /** The most errors that a response lists: a body could contain a million. */
    faultsReported: 500,
    /** Names for which the nearest known name is searched: each is compared with all of them. */
    suggestionsPerRecord: 5,
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
  store,
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
    /** How long one use of a key, and one refusal, stands for those that follow. */
    keyNotedMs: 60_000,
    /** Keys and indexes whose last use is noted. */
    lastUses: 10_000,
    /** Notes that wait to be written, each in a transaction of its own: more than one process can write in a second. */
    notesWaiting: 500,
    /** Records that are tested by their own words, at once and in all, when a search may find some by words that nobody sees. */
    suspectsAtOnce: 500,
    suspectsMost: 10_000,
    /** The values of a page up to which its records are tested by them, without asking the database. */
    suspectsShownBytes: 16_384,
    /** How long a definition is in the trash before it can be purged: nobody writes its values any more by then. */
    definitionSettledMs: 120_000,
    /** Steps in which an erasure takes the history of its records with it; what is left is done by a job. */
    eraseSteps: 12,
    /** Erased records whose history a job erases together. */
    erasedTogether: 50,
    /** Links in each direction that an erasure counts. */
    erasedLinksCounted: 10_000,
    /** Records that a record was merged into, which the note of its erasure names. */
    keptRecordsNamed: 10,
    /** How often the progress of a job is written, how often its process says that it lives, and is looked for. */
    jobShownMs: 1_000,
    jobPulseMs: 10_000,
    jobLookMs: 10_000,
    /** A job whose process is silent for so long has been interrupted: within a minute of its last sign. */
    jobSilentMs: 40_000,
    /** How long the audit is kept where nothing else is said: a year. */
    auditKeptSeconds: 31_536_000,
    /** How long the measured size of a type is used. */
    typeSizeKnownMs: 60_000,
    /** Groups of writes that run at once. */
    groupsAtOnce: 2,
    /** Records and bytes in a group, which is one statement. */
    groupedWrites: 100,
    groupedBytes: 1_048_576,
    /** How long a write waits for its group to begin. */
    groupWaitMs: 5_000,
    /** The time for all statements of a unit of work together: a batch makes many. */
    unitMs: 60_000,
    /** A batch whose records take more memory is written in parts, in one transaction; twice what is read at once. */
    unitBytes: 1_048_576,
    /** The same for its new records alone: to print so many bytes for the database takes the thread some 10 ms. */
    unitNewBytes: 262_144,
    /** The same for its changes and links: writing so many takes the thread for some milliseconds. */
    unitEntries: 5_000,
    /** The words of longer texts of one record are found step by step: these take a fifth of a millisecond. */
    wordsAtOnceCharacters: 8_192,
    /** Values and links of a batch that are looked up together, for the same reason. */
    lookupsAtOnce: 2_000,
    /** Runs of a unit that loses races: of eight clients that write one value, one can lose ten times in a row. */
    lostRaceAttempts: 25,
    /** Records, entries of the feed and bytes of former values that one request can take back; operators have no such bound. */
    revertedRecords: 10_000,
    revertedEntries: 100_000,
    revertedBytes: 16_777_216,
    /** Records whose history is read together: more would hold the thread. */
    revertsAtOnce: 100,
    /** Records that an operator takes back in one transaction. */
    revertsPlannedAtOnce: 500,
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
    /** Jobs of an org, the last ones first, among which the metrics look for a backup: milliseconds of the database. */
    jobsLookedThrough: 5_000,
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
    /**
     * When so many characters of new words have been written, which take about 64 kB in the list, they are indexed after this
     * pause: the more gather meanwhile, the less each costs.
     */
    wordsIndexedCharacters: 16_384,
    wordsRestMs: 100,
    /** Records that one statement of an export reads. */
    exportedAtOnce: 1_000,
    /** Links that one statement of an export reads. */
    exportedLinksAtOnce: 20_000,
    /** Columns of a file: more than any type has properties. */
    /** Rows, characters and named link targets in a batch of an import. */
    importedAtOnce: 1_000,
    importedCharacters: 2_097_152,
    importedLinks: 10_000,
    /** Batches that run at once: while one waits for its turn to commit, the next are prepared. */
    importsInFlight: 3,
    /** The longest line of ingest: a record of the largest size. */
    ingestLineBytes: 1_048_576,
    /** The longest line of an exported org: the largest record, whose text PostgreSQL writes with spaces. */
    folderLineBytes: 4_194_304,
    /** The schema of an exported org, which is read as a whole. */
    folderSchemaBytes: 67_108_864,
    /** Lines and bytes of an exported org that are brought in at once. */
    broughtInAtOnce: 1_000,
    broughtInBytes: 4_194_304,
    /** Lines and bytes in a batch of ingest. */
    ingestedAtOnce: 500,
    ingestedBytes: 4_194_304,
    /** External ids and their sources are keys of an index. */
    externalIdCharacters: 255,
    externalSourceCharacters: 64,
    /** External ids of one record that a read shows: more than merges give it in years. */
    externalIdsShown: 1_000,
    /** The same for the export of a person, which takes all that there could be. */
    externalIdsExported: 100_000,
  },
  /** What one org, one address or one client may take from the others (`engine/shares`). */
  shares,
  operations: {
    /** Errors of a batch that include the expected shape, which can be long; the others leave it out. */
    faultShapesReported: 100,
    linksPerCreate: 100,
    /** A record has one id in each other system, and a few more after merges there. */
    externalIdsPerItem: 10,
    /** Association types that one read includes. */
    includes: 5,
    /** Linked records of each association type beside one record, and beside each record of a page. */
    includedOnRead: 100,
    includedOnPage: 10,
    searchCharacters: 1_024,
    groupsDefault: 100,
    /** Operations of a batch that cost one unit of the rate limit (contract 9). */
    batchOperationsPerUnit: 50,
    /** Records that the answer to a revert lists of each kind; all of them are counted. */
    revertsListed: 1_000,
    /** Shorter than proxies usually allow a request to be idle. */
    feedWaitSeconds: 25,
    feedEntriesDefault: 200,
  },
  /** People who sign in (`engine/sign-in`). */
  signIn,
  http,
  cli,
} as const;

/** The rate limit of requests without a valid key, for each address and process. */
export const anonymousPolicy = { name: 'anonymous', quota: 300, windowSeconds: 60 } as const;
/** That of all people behind one proxy who sign in: the proxy can limit each of them, and only it knows them apart. */
export const proxyPolicy = { name: 'anonymous', quota: 6_000, windowSeconds: 60 } as const;
/** The rate limit of an org that was created without one of its own. */
export const orgPolicyDefault = { quota: 6_000, windowSeconds: 60 } as const;
