// The slots for automatic indexes of a type, which the keys of its org share. A key has to wish for an index twice, holds
// at most half of the slots, and takes the place of an index only if nobody has asked for that one for days. So a key
// that asks for every property neither takes all slots nor drives out an index that others use.
import type { Clock } from '../../base/clock.ts';
import { dropOldest } from '../../base/drop-oldest.ts';
import { bounds } from '../../base/limits.ts';
import type { IndexSlot } from '../../store/query/property-indexes.ts';

/** Where a new index goes: into a free slot, or in place of another index; undefined if there is no place for it. */
type SlotChoice = { readonly inPlaceOf: number | undefined } | undefined;

/** `slots` begin with those that were asked for the longest ago. */
export function chooseSlot(slots: readonly IndexSlot[], credentialId: string): SlotChoice {
  const taken = slots.filter(({ state }) => state === 'building' || state === 'ready');
  const own = taken.filter((slot) => slot.credentialId === credentialId);
  const ownShare = own.length >= bounds.shares.indexesOfKey;
  if (!ownShare && taken.length < bounds.store.indexesPerType) return { inPlaceOf: undefined };
  // Writers go on with an index for a while after it has lost its place, so only one at a time may lose it.
  if (taken.length < slots.length) return undefined;
  const idle = (ownShare ? own : taken).find((slot) => slot.idle);
  return idle && { inPlaceOf: idle.propertyId };
}

/** The wishes of keys for indexes. */
interface Wishes {
  /** Whether the wish is to be granted now: it is repeated, and was not tried a short time ago. */
  repeats(credentialId: string, wish: string): boolean;
}

export function openWishes(clock: Clock): Wishes {
  /** For each key its wishes, each with the time from which a repetition counts. */
  const keys = new Map<string, Map<string, number>>();
  const wishesOf = (credentialId: string): Map<string, number> => {
    const known = keys.get(credentialId);
    if (known !== undefined) return known;
    dropOldest(keys, bounds.shares.wishingKeys);
    const wishes = new Map<string, number>();
    keys.set(credentialId, wishes);
    return wishes;
  };
  return {
    repeats: (credentialId, wish) => {
      const wishes = wishesOf(credentialId);
      const nowMs = clock.monotonicMs();
      const dueMs = wishes.get(wish);
      if (dueMs !== undefined && nowMs < dueMs) return false;
      const repeated = dueMs !== undefined && nowMs < dueMs + bounds.shares.wishKeptMs;
      wishes.delete(wish);
      dropOldest(wishes, bounds.shares.wishesOfKey);
      wishes.set(wish, nowMs + (repeated ? bounds.shares.wishTriedMs : bounds.shares.wishRepeatedMs));
      return repeated;
    },
  };
}
