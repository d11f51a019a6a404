// The arithmetic of rate limits (contract 9). An org's window is in the database; a process leases units of it in
// advance, so that requests rarely wait for the database. Leased units that are not spent are lost to the other
// processes, so all processes together may hold only a twentieth of the quota, and nothing of a quota up to 200.

export interface RatePolicy {
  readonly name: 'org' | 'anonymous';
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Reported in each response: units left and seconds until the window ends. */
export interface RateState {
  readonly policy: RatePolicy;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The number of unspent units that all processes together may hold. */
export function unspentMax(quota: number): number {
  return quota <= 200 ? 0 : Math.floor(quota / 20);
}

/** Parses `600/60` into quota and window; undefined if the text has another form or is out of bounds. */
export function parseRate(text: string): { quota: number; windowSeconds: number } | undefined {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})$/.exec(text);
  return match === null ? undefined : { quota: Number(match[1]), windowSeconds: Number(match[2]) };
}
