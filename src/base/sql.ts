// SQL as text and values. A template's holes become parameters; a fragment in a hole is merged with its parameters
// renumbered. There is no way to put a string into the text but `raw`, which takes only what the program itself wrote.

export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }

  /** The text with $1, $2 … in the holes. */
  get text(): string {
    let text = this.strings[0] ?? '';
    for (let index = 1; index < this.strings.length; index++) text += `$${index}${this.strings[index] ?? ''}`;
    return text;
  }
}

export function sql(strings: TemplateStringsArray, ...holes: readonly unknown[]): Sql {
  const texts = [strings[0] ?? ''];
  const values: unknown[] = [];
  for (const [index, hole] of holes.entries()) {
    const after = strings[index + 1] ?? '';
    if (hole instanceof Sql) {
      texts[texts.length - 1] += hole.strings[0] ?? '';
      texts.push(...hole.strings.slice(1));
      values.push(...hole.values);
      texts[texts.length - 1] += after;
    } else {
      values.push(hole);
      texts.push(after);
    }
  }
  return new Sql(texts, values);
}

/** Text of the program's own: a keyword, a fixed column list, a migration. Never anything that came from outside. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

export function join(parts: readonly Sql[], separator: string): Sql {
  return parts.reduce((all, part, index) => (index === 0 ? part : sql`${all}${raw(separator)}${part}`), raw(''));
}
