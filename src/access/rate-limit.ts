// The arithmetic of rate limits (contract 9). An org's window lives in the database; a process leases units of it ahead
// of need, so that a request seldom waits for the database. Leased units that nobody spends are lost to the others, so
// all processes together may hold only so many: a twentieth of the quota, and none at all of a quota up to 200.

export interface RatePolicy {
  readonly name: 'org' | 'anonymous';
  readonly quota: number;
  readonly windowSeconds: number;
}

/** What a response reports: units left and seconds until the window ends. */
export interface RateState {
  readonly policy: RatePolicy;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** How many units all processes together may hold unspent. */
export function unspentMax(quota: number): number {
  return quota <= 200 ? 0 : Math.floor(quota / 20);
}

/** `600/60` as quota and window; undefined when the text has another form or is out of bounds. */
export function parseRate(text: string): { quota: number; windowSeconds: number } | undefined {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})$/.exec(text);
  return match === null ? undefined : { quota: Number(match[1]), windowSeconds: Number(match[2]) };
}
