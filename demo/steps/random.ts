// Pseudo-random numbers that are the same on every machine, so that everybody who starts the demo has the same people,
// deals and history. Never use them for secrets.

export class Random {
  #state: number;

  /** Each part of the demo draws from its own sequence, so that one can change without the others. */
  constructor(name: string) {
    // FNV-1a, so that two names give two unrelated sequences.
    let state = 0x811c9dc5;
    for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
    this.#state = state >>> 0;
  }

  /** At least 0 and less than 1. */
  fraction(): number {
    // A Weyl sequence, with the finalizer of MurmurHash3.
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + this.fraction() * (high - low);
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.whole(0, list.length - 1)];
    if (picked === undefined) throw new RangeError('There is nothing to pick from.');
    return picked;
  }

  /** This many different elements, or all if there are fewer. */
  some<T>(list: readonly T[], count: number): readonly T[] {
    const rest = [...list];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(this.whole(0, rest.length - 1), 1));
    return taken;
  }
}
