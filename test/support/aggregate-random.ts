// Choices that a seed decides, for generated requests: a failure is repeated with the seed that its test prints.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer of 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** An integer of `low` to `high`. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error('There is nothing to choose from.');
    return from[this.below(from.length)] as T;
  }

  /** Calls one of them. */
  oneOf<T>(...makers: readonly (() => T)[]): T {
    return this.pick(makers)();
  }

  /** So many of what `make` makes. */
  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  /** Up to `count` different elements, in any order. */
  some<T>(from: readonly T[], count: number): T[] {
    const rest = [...from];
    return this.times(Math.min(count, rest.length), () => rest.splice(this.below(rest.length), 1)[0] as T);
  }
}

/** The seed that the environment names, or a new one; printed, so that a failure can be repeated. */
export function seedFrom(variable: string): number {
  const given = process.env[variable];
  const seed = given === undefined || given === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(given);
  console.info(`${variable}=${seed}`);
  return seed;
}
