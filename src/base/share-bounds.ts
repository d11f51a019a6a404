// What one org, one address or one client may take from the others, each bound with its reason. They are part of the table
// in `limits`; `engine/shares` applies them.

export const shares = {
  /** Scans of large types that run at once, for all orgs together. */
  scansAtOnce: 2,
  /** Scans of one org that may wait, and how long each of them waits. */
  scansWaiting: 50,
  scanWaitMs: 10_000,
  /** Reads of whole small types that run at once for one org. */
  readsOfOrg: 4,
  /** The same for all orgs: three connections are left for everything else. */
  readsAtOnce: 7,
  /** Requests that wait for changes: all of them, and those of one org. */
  feedWaits: 1_000,
  feedWaitsOfOrg: 100,
  /** Orgs whose rate limit is kept, so that no number of orgs fills the memory. */
  rateAccounts: 10_000,
  /** Addresses whose requests without a valid key are counted, for the same reason. */
  anonymousAddresses: 10_000,
} as const;
