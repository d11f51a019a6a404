// Repeatable random choices: everything that a test generates comes from one seed, which it prints.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `min` to `max`, both possible. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('There is nothing to pick from.');
    return list[this.between(0, list.length - 1)] as T;
  }

  /** This many elements of the list, each place once, in any order; fewer if the list is shorter. */
  some<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(this.between(0, rest.length - 1), 1));
    return taken;
  }

  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  /** An integer of 0 to `below` - 1. */
  below(below: number): number {
    return this.between(0, below - 1);
  }

  /** Calls one of them. */
  oneOf<T>(...makers: readonly (() => T)[]): T {
    return this.pick(makers)();
  }
}

/** The seed that the environment variable names, or a new one. It is printed, so that a failure can be repeated. */
export function seedFrom(variable: string): number {
  const given = process.env[variable];
  const seed = given === undefined || given === '' ? Math.floor(Math.random() * 4_294_967_296) : Number(given);
  if (!Number.isInteger(seed)) throw new Error(`${variable} must be an integer, not ${given}.`);
  console.info(`${variable}=${seed}`);
  return seed;
}
