// SQL as text and values. A template's holes become parameters; a fragment in a hole is merged with its parameters
// renumbered. There is no way to put a string into the text but `raw`, which takes only what the program itself wrote.
// A statement is a tree until it is run: its text is put together once for each form, not for each use.

export class Sql {
  readonly strings: readonly string[];
  readonly holes: readonly unknown[];

  constructor(strings: readonly string[], holes: readonly unknown[]) {
    this.strings = strings;
    this.holes = holes;
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

  /** Two statements of one form have one text: the form names the templates of which the statement is made. */
  get form(): string {
    let form = String(numberOf(this.strings));
    for (const hole of this.holes) form += hole instanceof Sql ? `(${hole.form})` : '.';
    return form;
  }
}

export function sql(strings: TemplateStringsArray, ...holes: readonly unknown[]): Sql {
  return new Sql(strings, holes);
}

/** Text of the program's own: a keyword, a fixed column list, a migration. Never anything that came from outside. */
export function raw(text: string): Sql {
  return new Sql(interned([text]), []);
}

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw('');
  return new Sql(interned(['', ...parts.slice(1).map(() => separator), '']), parts);
}

/** A template's strings are one array for each place in the program, so that a number can stand for them. */
const numbers = new WeakMap<readonly string[], number>();
let last = 0;

function numberOf(strings: readonly string[]): number {
  const known = numbers.get(strings);
  if (known !== undefined) return known;
  numbers.set(strings, ++last);
  return last;
}

/** The same array for the same strings; the program has only so many of them. */
const made = new Map<string, readonly string[]>();

function interned(strings: readonly string[]): readonly string[] {
  const key = strings.join('\u0000');
  const known = made.get(key);
  if (known !== undefined) return known;
  made.set(key, strings);
  return strings;
}
