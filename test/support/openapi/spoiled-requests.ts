// Spoils a request in one place: a name that is nearly right, a value of another type, too long, too deep or hostile, a
// member too many or too few, a broken body, an unknown parameter, header or method.
import { payloads } from '../leaks/payloads.ts';
import type { Random } from '../random.ts';

/** A request in parts, as long as parts of it may be replaced. */
export interface Draft {
  method: string;
  readonly template: string;
  readonly path: Map<string, string>;
  readonly query: (readonly [name: string, value: string])[];
  readonly headers: Map<string, string>;
  /** Undefined for none; a Buffer is sent as it is. */
  body: unknown;
  hasSlash: boolean;
}

const oddValues: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    -0,
    2 ** 53,
    '',
    ' ',
    '0',
    '-1',
    '1e5',
    'NaN',
    'null',
    [],
    {},
    [[]],
    [null],
  ],
  ...[{ ref: 'r0' }, { ref: 'nobody' }, { $ref: '#' }, 'x'.repeat(1_025), 'é'.repeat(70_000), '\ufeff', '\u0000'],
  ...['2026-02-30', '9999-12-31T23:59:60Z', '0000-01-01', '999999999999999999999', '1'.repeat(40), 'A@b@c', 'http://'],
  ...[
    { amount: '1', unit: 'XXX' },
    { amount: 1, unit: 'USD' },
    { country_code: 'gb', national_number: '+1' },
  ],
];
const hostile: readonly unknown[] = [...oddValues, ...payloads];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const oddHeaders: readonly (readonly [string, string])[] = [
  ...(['text/html', 'application/json;q=0', '*/*;q=0', 'x', '', '*/*, text/*'] as const).map(
    (value) => ['accept', value] as const,
  ),
  ...(['text/plain', 'application/json; charset=latin1', 'multipart/form-data', ''] as const).map(
    (value) => ['content-type', value] as const,
  ),
  ...(['gzip', 'br', 'identity'] as const).map((value) => ['content-encoding', value] as const),
  ...(['"1"', '*', '1', 'W/"x"', '"1", oops'] as const).map((value) => ['if-match', value] as const),
  ...(['*', '"1"', ''] as const).map((value) => ['if-none-match', value] as const),
  ...(['true', 'false', 'TRUE', '1', ''] as const).map((value) => ['svc-dry-run', value] as const),
  ...(['', '"', '"open', 'x'.repeat(256), 'é'] as const).map((value) => ['idempotency-key', value] as const),
  ['prefer', 'return=minimal'],
  ['x-http-method-override', 'DELETE'],
  ['origin', 'https://elsewhere.example'],
  ['range', 'bytes=0-10'],
];

export function spoil(random: Random, draft: Draft): void {
  random.pick([
    spoilBody,
    spoilBody,
    spoilBody,
    spoilText,
    spoilPath,
    spoilQuery,
    spoilQuery,
    spoilHeader,
    spoilMethod,
  ])(random, draft);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A name with one character too many, too few, in another case or twice. */
function nearly(random: Random, text: string): string {
  const at = random.below(Math.max(1, text.length));
  return random.pick([
    text.slice(0, at) + text.slice(at + 1),
    `${text.slice(0, at)}x${text.slice(at)}`,
    text.toUpperCase(),
    `${text} `,
    `${text},${text}`,
    text.split('').reverse().join(''),
  ]);
}

function spoilPath(random: Random, draft: Draft): void {
  const names = [...draft.path.keys()];
  if (names.length === 0) {
    draft.hasSlash = !draft.hasSlash;
    return;
  }
  const name = random.pick(names);
  const value = random.chance(0.5) ? nearly(random, draft.path.get(name) ?? '') : asText(random.pick(hostile));
  // A segment that is empty, or one of dots, would be another path.
  draft.path.set(name, /^\.{0,2}$/.test(value) ? 'x' : value.slice(0, 1_000));
}

function spoilQuery(random: Random, { query }: Draft): void {
  const index = random.below(Math.max(1, query.length));
  const [name, value] = query[index] ?? ['limit', '5'];
  const change = random.pick(['nearly', 'hostile', 'again', 'unknown', 'removed'] as const);
  const text = (given: unknown) => asText(given).slice(0, 1_000);
  if (change === 'removed') query.splice(index, 1);
  else if (change === 'again') query.push([name, value]);
  else if (change === 'unknown') query.push([nearly(random, name), text(random.pick(hostile))]);
  else query.splice(index, 1, [name, change === 'nearly' ? nearly(random, value) : text(random.pick(hostile))]);
}

function spoilHeader(random: Random, { headers }: Draft): void {
  const [name, value] = random.pick(oddHeaders);
  headers.set(name, random.chance(0.2) ? asText(random.pick(hostile)) : value);
}

function spoilMethod(random: Random, draft: Draft): void {
  draft.method = random.pick(methods);
}

/** A body that is not JSON, or not text, or none where one belongs, or one where none belongs. */
function spoilText(random: Random, draft: Draft): void {
  const whole = draft.body instanceof Buffer ? draft.body : Buffer.from(JSON.stringify(draft.body ?? {}));
  draft.body = random.pick([
    () => whole.subarray(0, random.below(whole.length + 1)),
    () => Buffer.concat([whole, Buffer.from(random.pick(['}', ',', ' x', '\u0000', '{}']))]),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole]),
    () => Buffer.concat([whole.subarray(0, -1), Buffer.from([0xff, 0xfe, 0x22])]),
    () => Buffer.from(`{"a":1,"a":2,${whole.toString().slice(1)}`),
    () => Buffer.from('[1,2,3]'),
    () => Buffer.from(random.pick(['null', '1', '"x"', 'true', 'NaN', '', ' ', '{"a":01}', "{'a':1}"])),
    () => Buffer.from(`{"properties":${'{"a":'.repeat(1_200)}1${'}'.repeat(1_200)}}`),
    () => Buffer.from(`{"filter":${'{"not":'.repeat(100)}{}${'}'.repeat(100)}}`),
    () =>
      Buffer.from(JSON.stringify({ properties: Object.fromEntries(random.times(2_100, (index) => [`p${index}`, 1])) })),
    () => undefined,
  ])();
  if (draft.body !== undefined && !draft.headers.has('content-type')) {
    draft.headers.set('content-type', 'application/json');
  }
}

/** One place anywhere in the body. */
function spoilBody(random: Random, draft: Draft): void {
  if (typeof draft.body !== 'object' || draft.body === null || draft.body instanceof Buffer) {
    spoilQuery(random, draft);
    return;
  }
  draft.body = spoiledValue(random, draft.body, 0);
}

function spoiledValue(random: Random, value: unknown, depth: number): unknown {
  const isContainer = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  const goesOn = isContainer && random.chance(depth === 0 ? 0.95 : 0.75);
  if (goesOn && Array.isArray(value)) return spoiledList(random, value, depth);
  if (goesOn) return spoiledObject(random, value as Readonly<Record<string, unknown>>, depth);
  if (typeof value === 'string' && random.chance(0.4)) return nearly(random, value);
  return random.pick(hostile);
}

function spoiledList(random: Random, list: readonly unknown[], depth: number): readonly unknown[] {
  if (random.chance(0.1)) return [...list, ...list];
  if (random.chance(0.03)) return Array.from({ length: 1_001 }, () => list[0]);
  const at = random.below(list.length);
  return list.map((each, index) => (index === at ? spoiledValue(random, each, depth + 1) : each));
}

function spoiledObject(random: Random, object: Readonly<Record<string, unknown>>, depth: number): object {
  const names = Object.keys(object);
  const name = random.pick(names);
  const { [name]: value, ...rest } = object;
  if (random.chance(0.15)) return rest;
  if (random.chance(0.15)) return { ...rest, [nearly(random, name)]: value };
  // Computed, so that a name such as __proto__ is a member like any other.
  if (random.chance(0.1)) return { ...object, [asText(random.pick(payloads)).slice(0, 200)]: random.pick(hostile) };
  return { ...rest, [name]: spoiledValue(random, value, depth + 1) };
}
