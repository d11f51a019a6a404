// The finding of one check of doctor, and the thresholds from which it warns.

export const thresholds = {
  /** A restore briefly needs as much space as the database; less than this is soon full. */
  freeBytes: 536_870_912,
  freeFiles: 10_000,
  /** Keys expire by the clock of the process, records are dated by it. */
  clockSkewSeconds: 5,
  /** Connections to leave for administrators. */
  spareConnections: 5,
  /** An open transaction prevents PostgreSQL from cleaning up. */
  transactionSeconds: 900,
  /** A standby that is further behind is not keeping up. */
  standbySeconds: 60,
  /** What a standby applies within about a second of taking over. */
  standbyBytes: 16_777_216,
  /** The log that PostgreSQL keeps for a standby that is gone for a moment. */
  slotBytes: 16_777_216,
  /** Keys that expire sooner are named. */
  keyDays: 14,
  /** Orgs that are listed with what they store, the largest first. */
  orgsListed: 10,
  /** Orgs that have used this much of their quota are named. */
  storageShare: 0.9,
  /** Orgs whose housekeeping is checked. */
  orgs: 1_000,
} as const;

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about a problem, or about something that may become one. */
  readonly fix?: string;
}

export function well(check: string, detail: string, fix?: string): Finding {
  return { check, ok: true, detail, ...(fix === undefined ? {} : { fix }) };
}

export function wrong(check: string, detail: string, fix: string): Finding {
  return { check, ok: false, detail, fix };
}
