// Separates code from text: comments, regular expressions and the contents of strings and templates become spaces, so
// that brackets and words which are found in the rest are code. Every place and every line stays where it was.

interface Masked {
  /** As long as the source; quotes stay, and so does the code inside `${}`. */
  readonly code: string;
  /** Each string and template, with `$0` for each insertion. */
  readonly strings: readonly { readonly at: number; readonly text: string }[];
}

/** A slash after one of these begins a regular expression; after anything else it divides. */
const beforeRegex = /(?:^|[([{,;=:!&|?+\-*%<>~^}]|\b(?:return|typeof|case|in|of|void|do|else|yield|await))$/;

const inserted = '$0';

export function maskText(source: string): Masked {
  return new Masking(source).run();
}

class Masking {
  readonly #source: string;
  readonly #strings: { at: number; text: string }[] = [];
  #code = '';

  constructor(source: string) {
    this.#source = source;
  }

  run(): Masked {
    this.#readCode(() => false);
    return { code: this.#code, strings: this.#strings };
  }

  get #at(): number {
    return this.#code.length;
  }

  /** Reads code to the end, or to the closing brace of an insertion. */
  #readCode(isEnd: (depth: number) => boolean): void {
    let depth = 0;
    while (this.#at < this.#source.length) {
      const two = this.#source.slice(this.#at, this.#at + 2);
      const char = two.slice(0, 1);
      if (two === '//') this.#hide(/[^\n]*/y);
      else if (two === '/*') this.#hide(/\/\*[\s\S]*?(?:\*\/|$)/y);
      else if (char === '/' && beforeRegex.test(this.#code.slice(-200).trimEnd())) this.#hide(regexPattern());
      else if (char === "'" || char === '"') this.#readString(char);
      else if (char === '`') this.#readTemplate();
      else {
        if (char === '{') depth++;
        if (char === '}' && isEnd(depth)) return;
        if (char === '}') depth--;
        this.#code += char;
      }
    }
  }

  #readString(quote: string): void {
    const at = this.#at;
    const rest = /(?:\\[\s\S]|[^\\\n])*?/y.source;
    const text = new RegExp(`${quote}(${rest})(?:${quote}|\\n|$)`, 'y');
    text.lastIndex = at;
    const found = text.exec(this.#source)?.[0] ?? quote;
    this.#strings.push({ at, text: found.slice(1, -1) });
    this.#code += found.length < 2 ? found : `${quote}${blank(found.slice(1, -1))}${found.slice(-1)}`;
  }

  #readTemplate(): void {
    const at = this.#at;
    let text = '';
    this.#code += '`';
    while (this.#at < this.#source.length) {
      const two = this.#source.slice(this.#at, this.#at + 2);
      if (two.startsWith('`')) break;
      if (two === '${') {
        text += inserted;
        this.#code += two;
        this.#readCode((depth) => depth === 0);
        this.#code += '}';
      } else {
        const read = two.startsWith('\\') ? two : two.slice(0, 1);
        text += read;
        this.#code += blank(read);
      }
    }
    this.#code += '`';
    this.#strings.push({ at, text });
  }

  #hide(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    this.#code += blank(pattern.exec(this.#source)?.[0] ?? ' ');
  }
}

/** A slash inside of brackets does not end a regular expression. */
function regexPattern(): RegExp {
  return /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
