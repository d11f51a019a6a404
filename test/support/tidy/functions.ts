// Finds the functions of a file without a parser: every list in parentheses that a body or `=>` follows. Declarations,
// methods of classes and objects, and arrow functions are found, whatever number of lines their signature takes.

interface FoundFunction {
  /** The first line, counted from 1. */
  readonly line: number;
  /** From the first line of the signature to the last line of the body. */
  readonly lines: number;
  readonly parameters: readonly string[];
}

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Words that look like the name of a method when a block follows their parentheses. */
const statements = new Set(['async', 'if', 'for', 'while', 'switch', 'catch', 'with', 'function', 'return', 'await']);
const modifiers = /\b(?:async|static|get|set|public|private|protected|override|readonly|export|default|function)$/;

/** All functions that have a body. `code` is masked, here and below. */
export function functionsOf(code: string): readonly FoundFunction[] {
  return [...code.matchAll(/\(/g)].flatMap(({ index: open }) => {
    const close = closing(code, open);
    const end = close === undefined ? undefined : endOfFunction(code, open, close);
    if (close === undefined || end === undefined) return [];
    const start = startOf(code, open);
    const lines = code.slice(start, end).split('\n').length;
    return [{ line: lineAt(code, start), lines, parameters: splitList(code.slice(open + 1, close)) }];
  });
}

/** Every list in parentheses, with its line: the parameters of functions, of types of functions, and of calls. */
export function listsOf(code: string): readonly { readonly line: number; readonly items: readonly string[] }[] {
  return [...code.matchAll(/\(/g)].flatMap(({ index: open }) => {
    const close = closing(code, open);
    return close === undefined ? [] : [{ line: lineAt(code, open), items: splitList(code.slice(open + 1, close)) }];
  });
}

/** The place behind the body that belongs to these parentheses, if one does. */
function endOfFunction(code: string, open: number, close: number): number | undefined {
  const kind = isNamed(code, open) ? 'named' : 'arrow';
  const body = bodyAfter(code, close + 1, kind);
  if (body === undefined) return undefined;
  return kind === 'named' ? endOfBlock(code, body) : endOfArrow(code, body);
}

/** Where the body begins: at once, or after the type that the function returns. */
function bodyAfter(code: string, from: number, kind: 'named' | 'arrow'): number | undefined {
  let at = from;
  let before = '';
  while (at < code.length) {
    const char = code.charAt(at);
    if (/\s/.test(char)) at++;
    else if (kind === 'arrow' && code.startsWith('=>', at)) return at + 2;
    else if (before === '' && char !== ':' && (char !== '{' || kind === 'arrow')) return undefined;
    else if (kind === 'named' && char === '{' && !/(?:[:|&]|=>|\bis)$/.test(before)) return at;
    else if (code.startsWith('=>', at)) {
      before += '=>';
      at += 2;
    } else if (/[;,)\]}=?]/.test(char)) return undefined;
    else {
      const next = char === '<' ? closingAngle(code, at) : char in pairs ? closing(code, at) : at;
      if (next === undefined) return undefined;
      before = (before + code.slice(at, next + 1)).slice(-40);
      at = next + 1;
    }
  }
  return undefined;
}

/** Whether a function's or method's name is before the parentheses, and not a call or a statement. */
function isNamed(code: string, open: number): boolean {
  const before = code.slice(startOfName(code, open), open);
  const name = /^[#\w$]*/.exec(before)?.[0] ?? '';
  const around = code.slice(0, startOfName(code, open)).trimEnd();
  if (name === 'function' || /\bfunction\s*\*?$/.test(around)) return true;
  if (statements.has(name)) return false;
  return (name !== '' || before.startsWith('[')) && (/[{};,*]$/.test(around) || modifiers.test(around));
}

function startOfName(code: string, open: number): number {
  let at = code.slice(0, open).trimEnd().length;
  if (code.charAt(at - 1) === '>') at = openingAngle(code, at - 1);
  if (code.charAt(at - 1) === ']') return code.lastIndexOf('[', at - 1);
  while (at > 0 && /[#\w$]/.test(code.charAt(at - 1))) at--;
  return at;
}

/** The beginning of the line of the name, or for an arrow function of its parentheses. */
function startOf(code: string, open: number): number {
  const name = startOfName(code, open);
  return code.lastIndexOf('\n', name) + 1;
}

function endOfBlock(code: string, at: number): number | undefined {
  const end = closing(code, at);
  return end === undefined ? undefined : end + 1;
}

function endOfArrow(code: string, from: number): number | undefined {
  const at = from + (/^\s*/.exec(code.slice(from))?.[0].length ?? 0);
  if (code.charAt(at) === '{') return endOfBlock(code, at);
  for (let place = at; place < code.length; place++) {
    const char = code.charAt(place);
    // A block after a name belongs to a function of which this arrow is only the type that it returns.
    if (/[,;)\]}]/.test(char) || (char === '{' && /(?:[\w)\]]|[^=]>)$/.test(code.slice(at, place).trimEnd())))
      return place;
    if (char in pairs) place = closing(code, place) ?? code.length;
  }
  return code.length;
}

/** The place of the bracket that closes the one at this place. */
function closing(code: string, open: number): number | undefined {
  const expected: string[] = [];
  for (let at = open; at < code.length; at++) {
    const char = code.charAt(at);
    const closer = pairs[char];
    if (closer !== undefined) expected.push(closer);
    else if (char === expected.at(-1)) expected.pop();
    if (expected.length === 0) return at;
  }
  return undefined;
}

function closingAngle(code: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const char = code.charAt(at);
    if (char === '<') depth++;
    if (char === '>' && code.charAt(at - 1) !== '=') depth--;
    if (depth === 0) return at;
  }
  return undefined;
}

function openingAngle(code: string, close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    const char = code.charAt(at);
    if (char === '>' && code.charAt(at - 1) !== '=') depth++;
    if (char === '<') depth--;
    if (depth === 0) return at;
  }
  return close;
}

/** The parts between the commas that are in no bracket. */
function splitList(code: string): readonly string[] {
  const parts: string[] = [];
  let begun = 0;
  for (let at = 0; at < code.length; at++) {
    const char = code.charAt(at);
    if (char in pairs) at = closing(code, at) ?? code.length;
    else if (char === ',') {
      parts.push(code.slice(begun, at));
      begun = at + 1;
    }
  }
  return [...parts, code.slice(begun)].map((part) => part.trim()).filter((part) => part !== '');
}

function lineAt(code: string, at: number): number {
  return code.slice(0, at).split('\n').length;
}
