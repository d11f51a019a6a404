// What one check of doctor found, and from which numbers on it warns.

export const thresholds = {
  /** A restore needs as much as the database for a moment; less than this is soon full. */
  freeBytes: 536_870_912,
  freeFiles: 10_000,
  /** Keys expire by the clock of the process, records are dated by it. */
  clockSkewSeconds: 5,
  /** Connections that should be left to administrators. */
  spareConnections: 5,
  /** An open transaction keeps PostgreSQL from cleaning up. */
  transactionSeconds: 900,
  /** Keys that expire sooner are named. */
  keyDays: 14,
  /** Orgs whose housekeeping is checked. */
  orgs: 1_000,
} as const;

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do: about what is wrong, or about what is well and may not stay so. */
  readonly fix?: string;
}

export function well(check: string, detail: string, fix?: string): Finding {
  return { check, ok: true, detail, ...(fix === undefined ? {} : { fix }) };
}

export function wrong(check: string, detail: string, fix: string): Finding {
  return { check, ok: false, detail, fix };
}
