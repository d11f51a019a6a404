// SQL as text and values. A template's holes become parameters; a fragment in a hole is merged, and its parameters are
// renumbered. Only `raw` puts a string into the text, and it takes only text that the program itself wrote.
// A statement is a tree until it is run: its text is put together once for each form, not for each use.

import { bounds } from './limits.ts';

/** Whether a statement has one form, or one for each kind of query: every prepared form takes memory. */
export type Variety = 'fixed' | 'varied';

/** Whether all rows are read, or only as many as fill the bytes of a page. */
type Extent = 'all' | 'page';

/** Whether long texts are read as strings, or stay the bytes that they arrived as. */
type Texts = 'strings' | 'bytes';

/** Whether it may travel to the database together with others of its org. */
type Travel = 'alone' | 'together';

interface Manner {
  readonly variety: Variety;
  readonly extent: Extent;
  readonly texts: Texts;
  readonly travel: Travel;
  /** What is run in its place, one after the other, where the tables are distributed over several servers. */
  readonly distributed: (() => readonly Sql[]) | undefined;
}

const usual: Manner = { variety: 'fixed', extent: 'all', texts: 'strings', travel: 'alone', distributed: undefined };

export class Sql {
  readonly strings: readonly string[];
  readonly holes: readonly unknown[];
  /** How it is run. */
  readonly manner: Manner;

  constructor(strings: readonly string[], holes: readonly unknown[], manner = usual) {
    this.strings = strings;
    this.holes = holes;
    this.manner = manner;
  }

  /** The text with $1, $2 … in the holes. */
  get text(): string {
    let count = 0;
    const write = ({ strings, holes }: Sql): string => {
      let text = strings[0] ?? '';
      for (const [index, hole] of holes.entries()) {
        text += (hole instanceof Sql ? write(hole) : `$${++count}`) + (strings[index + 1] ?? '');
      }
      return text;
    };
    return write(this);
  }

  get values(): unknown[] {
    const values: unknown[] = [];
    const collect = ({ holes }: Sql): void => {
      for (const hole of holes) {
        if (hole instanceof Sql) collect(hole);
        else values.push(hole);
      }
    };
    collect(this);
    return values;
  }

  /** Names the templates that make up the statement: two statements of the same form have the same text. */
  get form(): string {
    let form = String(numberOf(this.strings));
    for (const hole of this.holes) form += hole instanceof Sql ? `(${hole.form})` : '.';
    return form;
  }

  /**
   * Two statements of the same identity read the same, in the same manner. One with long values has an identity of its own:
   * the thread would be busy with comparing them for longer than with reading the same twice.
   */
  get identity(): string {
    const { extent, texts } = this.manner;
    const { values } = this;
    if (areLong(values)) return `own ${++owned}`;
    return `${extent} ${texts} ${this.form} ${JSON.stringify(values)}`;
  }
}

/** How many statements have got an identity of their own. */
let owned = 0;

/** Whether the values, with those in lists, have more characters than are compared. Each value counts as one at least. */
function areLong(values: readonly unknown[]): boolean {
  let left = bounds.store.comparedCharacters;
  const isPast = (value: unknown): boolean => {
    left -= typeof value === 'string' ? value.length + 1 : 1;
    return left < 0 || (Array.isArray(value) && value.some(isPast));
  };
  return values.some(isPast);
}

export function sql(strings: TemplateStringsArray, ...holes: readonly unknown[]): Sql {
  return new Sql(strings, holes);
}

/** The same statement, marked as having many forms. */
export function varied(statement: Sql): Sql {
  return inManner(statement, { variety: 'varied' });
}

/** The same statement, whose rows end with the one that fills the bytes of a page. That row has `full`. */
export function paged(statement: Sql): Sql {
  return inManner(statement, { extent: 'page' });
}

/** The same statement, whose long texts are only passed on, and so stay bytes (see `base/json`). */
export function passedOn(statement: Sql): Sql {
  return inManner(statement, { texts: 'bytes' });
}

/** The same statement, which reads few rows along an index, so that others of its org may wait behind it. */
export function short(statement: Sql): Sql {
  return inManner(statement, { travel: 'together' });
}

/** The same statement or fragment, and what is written in its place where the tables are distributed over several servers. */
export function orDistributed(plain: Sql, write: () => Sql): Sql {
  return inManner(plain, { distributed: () => [write()] });
}

/** The same statement, and several that do its work there one after the other. Its rows are those of the last one. */
export function orInSteps(plain: Sql, write: () => readonly Sql[]): Sql {
  return inManner(plain, { distributed: write });
}

/** What is run for the statement where the tables are distributed. */
export function distributedSteps(statement: Sql): readonly Sql[] {
  const { distributed, ...manner } = statement.manner;
  if (distributed === undefined) return [withDistributedHoles(statement)];
  return distributed().flatMap((step) =>
    distributedSteps(step).map((each) => {
      const variety = each.manner.variety === 'varied' ? 'varied' : manner.variety;
      return inManner(each, { ...manner, variety, distributed: undefined });
    }),
  );
}

function withDistributedHoles(statement: Sql): Sql {
  let isChanged = false;
  const holes = statement.holes.map((hole) => {
    if (!(hole instanceof Sql)) return hole;
    const [written, ...others] = distributedSteps(hole);
    if (written === undefined || others.length > 0) throw new TypeError('A part of a statement cannot be several.');
    isChanged ||= written !== hole;
    return written;
  });
  return isChanged ? new Sql(statement.strings, holes, statement.manner) : statement;
}

function inManner({ strings, holes, manner }: Sql, change: Partial<Manner>): Sql {
  return new Sql(strings, holes, { ...manner, ...change });
}

/** Text that the program wrote: a keyword, a fixed column list, a migration. Never text from outside. */
export function raw(text: string): Sql {
  return new Sql(interned([text]), []);
}

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw('');
  return new Sql(interned(['', ...parts.slice(1).map(() => separator), '']), parts);
}

/** Each template in the program has one array of strings, so a number can identify it. */
const numbers = new WeakMap<readonly string[], number>();
let last = 0;

function numberOf(strings: readonly string[]): number {
  const known = numbers.get(strings);
  if (known !== undefined) return known;
  numbers.set(strings, ++last);
  return last;
}

/** The same array for the same strings; the program has a limited number of them. */
const made = new Map<string, readonly string[]>();

function interned(strings: readonly string[]): readonly string[] {
  const key = strings.join('\u0000');
  const known = made.get(key);
  if (known !== undefined) return known;
  made.set(key, strings);
  return strings;
}
