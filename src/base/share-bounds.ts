// What one org, one address or one client may take from the others, each bound with its reason. They are part of the table
// in `limits`; `engine/shares` applies them.

export const shares = {
  /** Scans, and other statements that take long, that run at once for all orgs together; of one org one runs at a time. */
  scansAtOnce: 2,
  /** Workers of PostgreSQL beside the scan of an org that has the service to itself. */
  scanWorkers: 2,
  /** Scans of one org that may wait, and how long each of them waits. */
  scansWaiting: 50,
  scanWaitMs: 10_000,
  /** How long a scan, whose turn has come, waits for a connection: longer than a single statement of its org holds one. */
  lanePlaceMs: 2_000,
  /**
   * The part of the connections that an org which has some leaves to orgs that have none, so that these find one at once:
   * 3 of 10.
   */
  connectionsReserved: 0.3,
  /** How many an org leaves that has the service to itself: the first of another org finds one at once. */
  connectionsReservedAlone: 1,
  /**
   * The part of the connections that reads, or writes, of one org may hold all the time while other orgs are active: 2 of
   * 10, or 1 if there are only two cores. Statements on more of them would use all cores of the database.
   */
  connectionsBesideOthers: 0.25,
  /** What they may take beyond that at once, in the time of one connection: a page sends several requests together. */
  burstMs: 20,
  /** The most time beyond that which is remembered: an hour alone is soon forgotten. */
  aheadMs: 5_000,
  /** How fast it is learnt that the work of an org has become shorter: after some 50 pieces. */
  usualLearned: 0.1,
  /** A write whose statement is not answered for so long waits for a lock. Another one of its org may begin. */
  stuckMs: 1_000,
  /** Answers of so many bytes count as long. */
  longAnswerBytes: 65_536,
  /**
   * How long reads of an org rest after each MiB of a long answer: twenty times as long as the thread prints and sends it.
   * Its memory becomes garbage, and with half the rest, collecting that doubled the p99 of others.
   */
  answerRestMs: 80,
  /** The longest rest, after the answers of several clients. */
  restMs: 1_000,
  /** An org beside which no other has asked for so long may use more: there is nobody whom its long work could delay. */
  aloneAfterMs: 10_000,
  /** How long a single statement may run in its place. Then it is ended, and runs again in the lane for scans. */
  briefStatementMs: 1_000,
  /**
   * Requests of one org that may wait for a connection or for their turn at a record, and how long each of them waits: as
   * long as a statement may run.
   */
  waitingOfOrg: 500,
  waitMs: 10_000,
  /** The pause after each that is refused when its turn has come. */
  refusalPauseMs: 2,
  /**
   * Values of one match that a write takes turns for. Most match one value. The others of a long list need none: nothing
   * relies on them.
   */
  turnsOfMatch: 10,
  /** Links of one activity whose targets it takes turns for, for the same reason. */
  turnsOfLinks: 10,
  /**
   * Combinations of groups that one aggregation may make: where several keys put a record into several groups each,
   * they multiply. PostgreSQL groups a million within three seconds.
   */
  combinations: 1_000_000,
  /** Temporary files that one connection may write at a time: four times what a million combinations take. */
  temporaryBytes: 536_870_912,
  /**
   * Requests that wait for changes in one process, each with an open connection: all of them, and those of one org. An org
   * with less than an equal part of the first may pass it: even 1,000 orgs wait with fewer than 6,000 requests then.
   */
  feedWaits: 1_000,
  feedWaitsOfOrg: 100,
  /** When a request that may not wait should try again: places become free as changes arrive or waits end. */
  feedWaitRetrySeconds: 5,
  /** Pages that are read at once for the waiting requests of one org, most of which find little. */
  feedReadsOfOrg: 2,
  /** Bytes of bodies and of unread answers of one org: three batches of the largest size, or six of the longest pages. */
  bytesOfOrg: 25_165_824,
  /** The same for all orgs together: with everything else, the process stays below 400 MB. */
  bytes: 50_331_648,
  /** Shorter bodies do not count: ten thousand of them take less than the ten thousand connections that they came on. */
  uncountedBytes: 4_096,
  /** Bytes of bodies that are worked on at once: each takes several times its bytes while it is parsed and written. */
  workedBytes: 16_777_216,
  /** The same for one org: one batch of the largest size. */
  workedBytesOfOrg: 8_388_608,
  /** So much beside that for orgs with less than an equal part of it: they need not wait for a few that fill it. */
  workedBytesBeyond: 8_388_608,
  /** So much of an org never waits for the bodies of others: it is a usual request. */
  workedBytesAlways: 262_144,
  /** How long a body waits for its turn. */
  bodyWaitMs: 10_000,
  /** How long nobody has asked for an index whose place another may take: ten days, so that weekly reports keep theirs. */
  indexIdleSeconds: 864_000,
  /** Automatic indexes of a type that one key may wish for: half of them, so that no key takes them all. */
  indexesOfKey: 15,
  /** A wish for an index counts when it is repeated a minute later: one pass over all properties builds nothing. */
  wishRepeatedMs: 60_000,
  /** How long a wish can be repeated: two days, for jobs that run once a day. */
  wishKeptMs: 172_800_000,
  /** How long a wish that was tried is not tried again: the slots of a type rarely change. */
  wishTriedMs: 600_000,
  /** Wishes of one key, and keys whose wishes are kept, so that neither fills the memory. */
  wishesOfKey: 100,
  wishingKeys: 1_000,
  /**
   * Connections of one address. A proxy, with one address for all, needs no more: 1,000 requests that wait for changes, and as
   * many others. Each costs the thread some 50 µs when it is opened or closed, and they may all be closed at once.
   */
  connectionsOfAddress: 2_000,
  /** Look-ups of keys that a process does not know: how many run at once, so that few connections are enough. */
  keyLookupsAtOnce: 2,
  /** Keys of one org that are looked up by one statement. */
  keyLookupsTogether: 200,
  /** Look-ups that wait, more than a restart of a busy service brings, and how long each of them waits. */
  keyLookupsWaiting: 2_000,
  keyLookupWaitMs: 5_000,
  /** Levels of objects and arrays in a body. A filter of the greatest depth needs 13; a deeper body costs more than its bytes. */
  bodyDepth: 1_000,
  /** Members and elements in a body: more than any valid one has, with 500 lists of 100 values that have two members each. */
  bodyValues: 160_000,
  /** The same for a batch: 500 for each of 1,000 operations, as many as a type has properties. */
  batchValues: 500_000,
  /** Members of one object in a body: a type has at most 500 properties. */
  bodyMembers: 2_000,
  /** Blanks, or digits of a number, that follow each other in a body: parsing four times as many takes three milliseconds. */
  bodyRunBytes: 65_536,
  /** Chunks of a body: each costs as much as a thousand bytes, and a byte could have a chunk of its own. */
  bodyChunks: 16_384,
  /** A body in more chunks than this is refused if they have fewer bytes than this on average: larger ones cost less. */
  tinyChunks: 2_048,
  tinyChunkBytes: 16,
  /** Bytes and chunks of a body that cost one unit of the rate limit. */
  bodyBytesPerUnit: 65_536,
  bodyChunksPerUnit: 128,
  /** What a chunk takes beside its bytes, in the time of so many of them. */
  chunkBytes: 1_000,
  /** Bytes of a body that are read in one slice at most: measuring them usually takes half a millisecond. */
  bodyBytesAtOnce: 262_144,
  /** Requests with longer bodies are handled in slices. These take about a millisecond to parse. */
  shortBodyBytes: 65_536,
  shortBodyValues: 4_000,
  /** Requests of one org that begin as soon as they arrive; more than a pool of connections usually has. */
  requestsAtOnce: 50,
  /** The same while other orgs use the service: more of them would hold the thread for tens of milliseconds. */
  requestsBesideOthers: 16,
  /** The same for an address, if they have no valid key: probes, and pages with a few files. */
  requestsOfAddressAtOnce: 10,
  /** Short reads of one org that travel to the database together: more would wait for each other longer than they gain. */
  tripStatements: 16,
  /** Bytes of rows of all of them; each that travels has an equal part, and one with more runs again alone. */
  tripBytes: 4_194_304,
  /**
   * The pause between two others while other orgs use the service. It lasts until the thread has rested for as long as it
   * has worked since the one before, at most for so many pauses.
   */
  crowdPauseMs: 1,
  crowdPauses: 10,
  /** The pause for an org or address that a limit has just refused: 100 a second, the default quota. */
  refusedPauseMs: 10,
  /** How long a request that was refused by a limit counts as one of those at once: 100 a second as well. */
  refusedStayMs: 500,
  /** How many may wait for that: these take ten seconds, or fifty if all of them are refused. */
  crowdWaiting: 5_000,
  /** How long one org may work before it is the turn of others: a short request may wait for it several times. */
  sliceMs: 2,
  /** The pause before it while other orgs use the service: their short requests go through meanwhile. */
  slicePauseMs: 2,
  /** Large requests of one org that may wait for their first turn. */
  turnsWaiting: 100,
  /** Orgs whose rate limit is kept, so that no number of orgs fills the memory. */
  rateAccounts: 10_000,
  /** Addresses whose requests without a valid key are counted, for the same reason. */
  anonymousAddresses: 10_000,
  /** How often a process stores what its writes have added to what orgs store. */
  storageFlushMs: 1_000,
  /** Orgs whose sums one statement stores. */
  storageOrgsAtOnce: 500,
  /** How often a process that stops tries to store its last sums. */
  storageLastFlushes: 5,
  /** How long a process uses what it knows of an org's storage before it reads it again. */
  storageKnownMs: 1_000,
  /** Orgs whose storage a process knows, so that no number of orgs fills the memory. */
  storageAccounts: 10_000,
  /** How often the rows of an org are counted: a day. */
  storageCountedEverySeconds: 86_400,
  /** Orgs that one round of housekeeping counts, and for how long it may begin with another one. */
  storageCountedOrgs: 1_000,
  storageCountMs: 60_000,
  /** Rows that one statement counts. */
  storageCountedAtOnce: 5_000,
  /** Orgs that the metrics show with what they store, the fullest first: each is a line of every scrape. */
  storageShown: 100,
  /** How long the metrics show the same numbers: a scrape must not be a way to load the database. */
  storageShownMs: 10_000,
} as const;
