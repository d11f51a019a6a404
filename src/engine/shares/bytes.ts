// Bytes in flight: bodies that arrive or are worked on, and answers that their readers have not taken yet. Each counts
// for its org until it is gone. An org with too many gets nothing new until some of them are gone.
import { bounds } from '../../base/limits.ts';
import { overloaded, type Problem } from '../../base/problem.ts';

export interface Bytes {
  /** Refuses a request of an org that already has too many bytes in flight. */
  admit(orgId: number): void;
  /** Counts the bytes of a body that is about to arrive, or refuses it. */
  take(orgId: number, count: number): void;
  /** Counts bytes that exist already, so that it is too late to refuse them. */
  add(orgId: number, count: number): void;
  /** The counted bytes are gone. */
  remove(orgId: number, count: number): void;
  /** Of all orgs together. */
  inFlight(): number;
}

/** Requests without a valid key share one account, as if they were those of one org. Orgs have positive numbers. */
export const withoutKey = -1;

export function openBytes(): Bytes {
  /** Only orgs with bytes in flight have an entry, so there are never more entries than connections. */
  const held = new Map<number, number>();
  let total = 0;

  const check = (orgId: number, more: number): void => {
    const mine = (held.get(orgId) ?? 0) + more;
    if (mine > bounds.shares.bytesOfOrg) throw tooMany(bounds.shares.bytesOfOrg);
    if (total + more <= bounds.shares.bytes) return;
    // When all orgs together have too many, an org that has less than an equal part of the bound is still served.
    const part = bounds.shares.bytes / Math.max(1, held.size);
    if (mine > part) throw tooMany(part);
  };

  const add = (orgId: number, count: number): void => {
    held.set(orgId, (held.get(orgId) ?? 0) + count);
    total += count;
  };

  return {
    admit: (orgId) => check(orgId, 0),
    take: (orgId, count) => {
      check(orgId, count);
      add(orgId, count);
    },
    add,
    remove: (orgId, count) => {
      const left = (held.get(orgId) ?? 0) - count;
      if (left > 0) held.set(orgId, left);
      else held.delete(orgId);
      total -= count;
    },
    inFlight: () => total,
  };
}

function tooMany(most: number): Problem {
  return overloaded(
    `The requests and unread answers of the org take more than ${Math.floor(most / 1_048_576)} MiB. ` +
      'Send less at once, and read answers as they arrive.',
  );
}
