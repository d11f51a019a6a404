// The types of JSON, and the few things that every room does with it.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: Json };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A part of a text; a long one that is only passed on is the bytes of its UTF-8, which take no room in the heap. */
export type TextPart = string | Buffer;

export function asString(part: TextPart): string {
  return typeof part === 'string' ? part : part.toString();
}

/**
 * JSON that is already text, such as a stored record. It is passed on without being parsed and printed again. A long text
 * stays in the parts that it was made of, because joining them would copy it.
 */
export class JsonText {
  readonly parts: readonly TextPart[];

  constructor(text: string | readonly TextPart[]) {
    this.parts = typeof text === 'string' ? [text] : text;
  }

  get text(): string {
    const [first] = this.parts;
    return this.parts.length === 1 && first !== undefined ? asString(first) : this.parts.map(asString).join('');
  }

  /** In UTF-16 units, and in bytes where it is bytes. */
  get length(): number {
    let length = 0;
    for (const part of this.parts) length += part.length;
    return length;
  }
}

/** The parts of a JSON array, from the parts of each element. */
export function listParts(elements: readonly (readonly TextPart[])[]): TextPart[] {
  const parts: TextPart[] = [];
  for (const element of elements) parts.push(parts.length === 0 ? '[' : ',', ...element);
  parts.push(parts.length === 0 ? '[]' : ']');
  return parts;
}

/** The same text in few parts: strings that follow each other become one, and bytes stay as they are. */
export function compactParts(parts: readonly TextPart[]): readonly TextPart[] {
  const compact: TextPart[] = [];
  let strings: string[] = [];
  for (const part of [...parts, undefined]) {
    if (typeof part === 'string') {
      strings.push(part);
      continue;
    }
    if (strings.length > 0) compact.push(strings.join(''));
    if (part !== undefined) compact.push(part);
    strings = [];
  }
  return compact;
}

/** Whether two values are the same JSON; the order of an object's members does not count. */
export function sameJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((each: Json, index) => sameJson(each, right[index] as Json))
    );
  }
  const one = left as Readonly<Record<string, Json>>;
  const other = right as Readonly<Record<string, Json>>;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(one[name] as Json, other[name] as Json))
  );
}

/** One step of an RFC 6901 pointer. */
export function pointerStep(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Whether the text is free of U+0000 and lone surrogates, which PostgreSQL cannot store. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The length in characters as JSON Schema and PostgreSQL count them: code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--;
        index++;
      }
    }
  }
  return count;
}
