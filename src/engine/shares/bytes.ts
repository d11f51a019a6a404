// Bytes in flight: bodies that arrive or are worked on, and answers that their readers have not taken yet. Each counts
// for its org until it is gone. An org with too many gets nothing new until some of them are gone.
import { bounds } from '../../base/limits.ts';
import { overloaded, type Problem } from '../../base/problem.ts';

export interface Bytes {
  /** Refuses a request of an org that already has too many bytes in flight. */
  admit(owner: ByteOwner): void;
  /** Counts the bytes of a body that is about to arrive, or refuses it. */
  take(owner: ByteOwner, count: number): void;
  /** Counts bytes that exist already, so that it is too late to refuse them. */
  add(owner: ByteOwner, count: number): void;
  /** The counted bytes are gone. */
  remove(owner: ByteOwner, count: number): void;
  /** Of all orgs together. */
  inFlight(): number;
}

/** An org; for requests without a valid key, the network that they come from. */
export type ByteOwner = number | string;

export function openBytes(): Bytes {
  /** Only those with bytes in flight have an entry, so there are never more entries than bodies and answers. */
  const held = new Map<ByteOwner, number>();
  let total = 0;

  const check = (owner: ByteOwner, more: number): void => {
    const mine = (held.get(owner) ?? 0) + more;
    if (mine > bounds.shares.bytesOfOrg) throw tooMany(bounds.shares.bytesOfOrg);
    if (total + more <= bounds.shares.bytes) return;
    // When all orgs together have too many, an org that has less than an equal part of the bound is still served.
    const part = bounds.shares.bytes / Math.max(1, held.size);
    if (mine > part) throw allTooMany();
  };

  const add = (owner: ByteOwner, count: number): void => {
    if (count === 0) return;
    held.set(owner, (held.get(owner) ?? 0) + count);
    total += count;
  };

  return {
    admit: (owner) => check(owner, 0),
    take: (owner, count) => {
      check(owner, count);
      add(owner, count);
    },
    add,
    remove: (owner, count) => {
      const left = (held.get(owner) ?? 0) - count;
      if (left > 0) held.set(owner, left);
      else held.delete(owner);
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

function allTooMany(): Problem {
  return overloaded(
    'The requests and unread answers of all orgs together take too much, and those of this org more than its part. ' +
      'Send less at once, and read answers as they arrive.',
  );
}
