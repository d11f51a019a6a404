// Prints values as the literals of a language, laid out as an author would: on one line if they fit, else one member to a
// line.
import type { Json } from '../../../src/base/json.ts';

interface Style {
  readonly indent: string;
  readonly comma: '' | ',';
  readonly key: (name: string) => string;
  readonly text: (text: string) => string;
  readonly constant: (value: number | boolean | null) => string;
  /** The braces of an object on one line. */
  readonly braces: readonly [open: string, close: string];
}

/** What fits beside the text of a page. */
const widthMax = 60;

const json: Style = {
  indent: '  ',
  comma: '',
  key: (name) => `${JSON.stringify(name)}: `,
  text: (text) => JSON.stringify(text),
  constant: String,
  braces: ['{ ', ' }'],
};

const python: Style = {
  indent: '    ',
  comma: ',',
  key: (name) => `${JSON.stringify(name)}: `,
  // The escapes of JSON are those of Python.
  text: (text) => JSON.stringify(text),
  constant: (value) => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : String(value)),
  braces: ['{', '}'],
};

const javascript: Style = {
  indent: '  ',
  comma: ',',
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `${name}: ` : `${quoted(name)}: `),
  text: quoted,
  constant: String,
  braces: ['{ ', ' }'],
};

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

/** `depth` is how far the lines after the first are indented. */
export function jsonLiteral(value: Json, depth = 0): string {
  return print(value, json, depth, depth * 2);
}

export function pythonLiteral(value: Json, depth = 0): string {
  return print(value, python, depth, depth * 4);
}

export function javascriptLiteral(value: Json, depth = 0): string {
  return print(value, javascript, depth, depth * 2);
}

/** `column` is where the value begins, as far as that is known. */
function print(value: Json, style: Style, depth: number, column: number): string {
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object' || value === null) return style.constant(value);
  const entries: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((each: Json) => ['', each] as const)
    : Object.entries(value).map(([name, each]) => [style.key(name), each as Json] as const);
  const [open, close] = Array.isArray(value) ? (['[', ']'] as const) : style.braces;
  if (entries.length === 0) return `${open.trim()}${close.trim()}`;
  const line = `${open}${entries.map(([key, each]) => key + print(each, style, 0, 0)).join(', ')}${close}`;
  if (!line.includes('\n') && column + line.length <= widthMax) return line;
  const inner = style.indent.repeat(depth + 1);
  const rows = entries.map(([key, each]) => inner + key + print(each, style, depth + 1, inner.length + key.length));
  return `${open.trim()}\n${rows.join(',\n')}${style.comma}\n${style.indent.repeat(depth)}${close.trim()}`;
}
