// The bounds of the HTTP server, each with its reason. They are part of the table in `limits`.

export const http = {
  urlBytes: 8_192,
  headerBytes: 16_384,
  /** A client that sends its headers, or a whole request, more slowly is disconnected. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /** Longer than the 60 s of common proxies, so that the proxy closes first. */
  keepAliveTimeoutMs: 65_000,
  /** Shorter than the 30 s that orchestrators allow a stopping process. */
  drainTimeoutMs: 25_000,
  /** How long a stopping process accepts connections that have come already: a full backlog, one in a pass of the event loop. */
  acceptArrivedMs: 5_000,
  /** A connection of a stopping process that sends nothing for this long is closed: its first request may be on its way. */
  silentMs: 1_000,
  /** How often a stopping process closes the connections that nobody needs any more. */
  drainSweepMs: 100,
  /** Shorter chunks of a body are joined until everything that has arrived is parsed. */
  shortChunkBytes: 1_024,
  /** How long a refused client may keep sending before its connection is closed. */
  lingerMs: 1_000,
  /** How much it may send in that time: the longest body, and as many chunks as clients usually send it in. */
  lingerBytes: 10_485_760,
  lingerChunks: 1_024,
  /** The pause before the next refused client has its turn to send 64 or 128 KiB: some 32 MiB in a second. */
  discardPauseMs: 2,
  /** Unused connections that are closed in one piece when their time is over: each takes the thread some 50 µs. */
  closedAtOnce: 20,
  /** A longer answer is written in pieces of this size, so that it need not be encoded as a whole. */
  pieceBytes: 65_536,
  /** The memory of so many pieces is kept to be used again: more are rarely on their way. */
  piecesKept: 64,
  /** Pieces of all long answers that are written in one pass of the event loop: they take a millisecond. */
  piecesAtOnce: 4,
  /** A shorter answer fits into one packet as it is. */
  compressedFromBytes: 1_024,
  /** Answers of more than a piece that are compressed at the same time: all of them, which is as many as Node has threads for
   * it, and those of one org. */
  compressedAtOnce: 4,
  compressedOfOwner: 2,
  /** A client that neither sends the rest of its body nor reads its answer for this long is cut off. */
  stalledMs: 10_000,
  /** How often readers are checked for that. */
  stallSweepMs: 1_000,
  /** How long an answer may take in all: this time, and as long as it takes at this speed, which is that of a slow phone. */
  answerMs: 30_000,
  answerBytesPerSecond: 65_536,
  /** Log lines are collected for this long and written together. */
  logCollectedForMs: 20,
  connections: 10_000,
  /** Connections that wait to be accepted: with Node's 511, a client among a thousand others has to try again after a second. */
  backlog: 4_096,
  /** Requests of a connection that wait for the answer to an earlier one: clients hardly ever send one before that. */
  requestsBehind: 50,
  /** Faulty query parameters that are reported; the others are not examined. */
  faultyParameters: 20,
  /** Open files that connections leave to the database, the log and the documentation. */
  spareFiles: 200,
  /** How long the answers of /readyz and /metrics are used again: not long enough for a probe to notice. */
  readinessKeptMs: 250,
  metricsKeptMs: 1_000,
  /** How long /metrics waits for the database, and how long it shows the same figures of it. */
  metricsWaitMs: 1_000,
  figuresKeptMs: 15_000,
  /** How long /readyz waits for the database: probes usually wait for a second. */
  readinessMs: 600,
  /** How long the process on the wanted port may take to say who it is. */
  greetingMs: 1_000,
} as const;
