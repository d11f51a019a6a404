// Finds a member that is repeated in one object of a JSON text. `JSON.parse` silently keeps the last value, but nobody
// can tell which of the two the sender meant.

/**
 * The name of such a member, decoded; undefined when there is none. `value` is what the text was parsed to, and `names` how
 * many names the text has, if that is known.
 */
export function repeatedMember(text: string, value: unknown, names = countNames(text)): string | undefined {
  // A quick check first: with a repeated member, the text has more names than the value has members.
  return names === countMembers(value) ? undefined : findRepeated(text);
}

function countNames(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    if (isName(text, end)) count++;
    start = text.indexOf('"', end);
  }
  return count;
}

export function countMembers(value: unknown): number {
  let count = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const parts = Object.values(next);
    if (!Array.isArray(next)) count += parts.length;
    for (const part of parts) if (typeof part === 'object') waiting.push(part);
  }
  return count;
}

/** The first such name of a well-formed text. If the text is an object, it has the names `known` already. */
export function findRepeated(text: string, known: readonly string[] = []): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') open.push(new Set(open.length === 0 ? known : []));
    else if (character === '}') open.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      if (isName(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        const names = open.at(-1);
        if (names?.has(name)) return name;
        names?.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** The index after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** In JSON exactly the strings that are followed by a colon are names. */
function isName(text: string, from: number): boolean {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return text[at] === ':';
}
