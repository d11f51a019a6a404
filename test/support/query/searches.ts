// Generates searches: beginnings of words that records have, in any case and with or without their marks, several at
// once, between all sorts of signs, and some that nothing has.

import type { Random } from '../random.ts';
import { type Model, wordsOf } from './model.ts';
import type { ModelRecord } from './world.ts';

const signs = [
  ' ',
  '  ',
  ', ',
  '-',
  '\n',
  ' % ',
  '_',
  ' \\ ',
  ' & ',
  ' | ',
  ':* ',
  ' ! ',
  '"',
  '(',
  ' <-> ',
  '\u00a0',
  '😀',
];
const nothing = [
  'zzzqqq',
  '%',
  '_',
  '  ',
  '😀',
  '\u0301',
  "'",
  ':*',
  '&',
  '!a',
  '字字字字',
  'ǅǅǅ',
  '٣٣٣',
  '\\',
  '(',
  'ﬀ',
];

export class Searches {
  readonly #random: Random;
  readonly #model: Model;

  constructor(random: Random, model: Model) {
    this.#random = random;
    this.#model = model;
  }

  search(type: string): string {
    const random = this.#random;
    if (random.chance(0.08)) return random.pick(nothing);
    const records = [...this.#model.world.records.values()].filter(({ object_type }) => object_type === type);
    const record = random.pick(records);
    const words = random.times(random.between(1, 3), () =>
      this.#beginning(random.chance(0.8) ? record : random.pick(records)),
    );
    const text = words.join(random.pick(signs));
    return Array.from(random.chance(0.1) ? `${random.pick(signs)}${text}${random.pick(signs)}` : text)
      .slice(0, 1_024)
      .join('');
  }

  /** The beginning of a word of the record, written in one way or another. */
  #beginning(record: ModelRecord): string {
    const random = this.#random;
    const texts = Object.values(record.properties)
      .flat()
      .filter((value): value is string => typeof value === 'string');
    const word = random.pick([...wordsOf(random.pick(texts)), 'a']);
    const characters = Array.from(word);
    const most = random.chance(0.7) ? Math.min(3, characters.length) : characters.length;
    const cut = characters.slice(0, random.between(1, most)).join('');
    return random.pick([cut, cut, cut.toUpperCase(), `${cut.charAt(0).toUpperCase()}${cut.slice(1)}`, `${cut}\u0301`]);
  }
}
