// What a statement costs on the wire: one write each, the columns once, and no round trip to begin a transaction.
import type pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { RowClient } from '../../src/store/driver/row-client.ts';
import { type PlainStatement, plainly, WireTrip } from '../../src/store/driver/wire-trip.ts';

/** Parts of the driver's client that its types do not list. */
interface Inside {
  readonly connection: {
    readonly stream: { write: (bytes: Buffer) => boolean };
    on(name: 'rowDescription', heard: () => void): void;
  };
}

const begin: PlainStatement = { name: 'begin', text: 'begin' };
const setTime: PlainStatement = { name: 'set_time', text: "set local statement_timeout = '4321ms'" };

let client: RowClient;
let writes: number;
let descriptions: number;
beforeEach(async () => {
  client = new RowClient({ connectionString: inject('serverUrl') });
  await client.connect();
  writes = 0;
  descriptions = 0;
  const { connection } = client as unknown as Inside;
  const { stream } = connection;
  const write = stream.write.bind(stream);
  stream.write = (bytes) => {
    writes++;
    return write(bytes);
  };
  connection.on('rowDescription', () => descriptions++);
});
afterEach(() => client.end());

interface Asked {
  readonly values?: unknown[];
  readonly name?: string | undefined;
  readonly before?: readonly PlainStatement[];
  readonly bytesMax?: number;
  readonly keepsBytes?: boolean;
}

function run(text: string, asked: Asked = {}): Promise<object[]> {
  const { values = [], name, before = [], bytesMax = 1_000_000, keepsBytes = false } = asked;
  return new Promise((resolve, reject) => {
    const statement = { text, name, values, keepsBytes, bytesMax };
    const trip = new WireTrip([...before.map(plainly), statement], {
      moved: () => {},
      settled: (error) => (error === null ? resolve(trip.fetched.at(-1)?.rows ?? []) : reject(error)),
    });
    client.query(trip as unknown as pg.Submittable);
  });
}

test('rows have their columns, in the types of the driver', async () => {
  const text = `select $1::integer as one, $2::text as two, $3::text as three, $4::bytea as four, $5::boolean as five,
    $6::timestamptz as six from generate_series(1, 2)`;
  const at = new Date('2026-03-31T10:00:00Z');
  const values = [1, 'é"\\', null, Buffer.from([0, 255]), true, at];
  const row = { one: 1, two: 'é"\\', three: null, four: Buffer.from([0, 255]), five: true, six: at };
  for (const name of [undefined, 'six_types', 'six_types'])
    expect(await run(text, { values, name })).toEqual([row, row]);
});

test('lists of texts arrive as they are, whatever is in them', async () => {
  const texts = [
    '',
    ' ',
    'null',
    'NULL',
    '{}',
    ',',
    'a,b',
    '"',
    '\\',
    '\\n',
    '\\"',
    '\n',
    '\t\r\b\f',
    '\u0001',
    'é',
    '😀',
    '\u2028',
    '\u007f',
  ];
  const lists = [
    [],
    ['one'],
    ['one', ''],
    texts,
    ...texts.map((text) => [text]),
    ...texts.map((text) => ['\\', text, '"']),
  ];
  for (const list of lists) expect(await run('select $1::text[] as list', { values: [list] })).toEqual([{ list }]);
  const others = [
    [null, 'one'],
    [1, 2],
    [true, false],
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ];
  const columns = ['text[]', 'integer[]', 'boolean[]', 'text[]'].map(
    (type, index) => `$${index + 1}::${type} as c${index}`,
  );
  const [row = {}] = await run(`select ${columns.join(', ')}`, { values: others });
  expect(Object.values(row)).toEqual(others);
});

test('a statement takes one write, and a named one tells its columns once', async () => {
  for (const value of [1, 2, 3])
    expect(await run('select $1::int as n', { name: 'n', values: [value] })).toEqual([{ n: value }]);
  expect(writes).toBe(3);
  expect(descriptions).toBe(1);
  for (let use = 0; use < 2; use++) expect(await run('set work_mem = default', { name: 'no_rows' })).toEqual([]);
  expect(descriptions).toBe(1);
  await run('select 1 as one');
  await run('select 1 as one');
  expect(descriptions).toBe(3);
});

test('a transaction begins in the write of its first statement', async () => {
  const status = `select current_setting('statement_timeout') as time, pg_current_xact_id()::text as xid`;
  const [first] = await run(status, { name: 'status', before: [begin, setTime] });
  const [second] = await run(status, { name: 'status' });
  expect(writes).toBe(2);
  expect(first).toMatchObject({ time: '4321ms' });
  expect(second).toEqual(first);
  await run('commit', { name: 'commit' });
  const [third] = await run(status, { name: 'status', before: [begin] });
  expect(third).not.toMatchObject(first as object);
  expect(third).not.toMatchObject({ time: '4321ms' });
  expect(writes).toBe(4);
});

test('a first statement that PostgreSQL cannot parse is parsed again the next time', async () => {
  const missing = { name: 'missing', before: [begin] };
  await expect(run('select a from pg_temp.absent', missing)).rejects.toMatchObject({ code: '42P01' });
  await run('rollback');
  await run('create temporary table absent as select 7 as a');
  expect(await run('select a from pg_temp.absent', missing)).toEqual([{ a: 7 }]);
  expect(await run('select a from pg_temp.absent', { name: 'missing' })).toEqual([{ a: 7 }]);
});

test('a statement that fails while it runs can be used again, and so can the connection', async () => {
  const text = 'select 12 / $1::integer as quotient';
  for (const before of [[], [begin]]) {
    await expect(run(text, { name: 'divide', values: [0], before })).rejects.toMatchObject({ code: '22012' });
    await run('rollback');
    expect(await run(text, { name: 'divide', values: [4] })).toEqual([{ quotient: 3 }]);
  }
});

test('a statement whose columns have changed is refused, never read wrongly', async () => {
  await run('create temporary table shifting as select 1 as a');
  expect(await run('select * from pg_temp.shifting', { name: 'shifting' })).toEqual([{ a: 1 }]);
  await run('alter table pg_temp.shifting add column b integer');
  await expect(run('select * from pg_temp.shifting', { name: 'shifting' })).rejects.toMatchObject({ code: '0A000' });
});

test('a value that cannot be written fails before anything is sent', async () => {
  const broken = {
    toPostgres: () => {
      throw new TypeError('not a value');
    },
  };
  await expect(run('select $1', { values: [broken] })).rejects.toThrow('not a value');
  expect(writes).toBe(0);
  expect(await run('select 1 as one')).toEqual([{ one: 1 }]);
});

test('rows are kept up to the one with which the bytes are used up', async () => {
  const rows = await run("select repeat('x', 100) as x from generate_series(1, 50)", { bytesMax: 250 });
  expect(rows).toHaveLength(3);
});

interface Ended {
  readonly rows: readonly object[][];
  readonly answered: number;
  readonly error: Error | null;
}

function runAll(texts: readonly string[], names: readonly string[] = []): Promise<Ended> {
  return new Promise((resolve) => {
    const statements = texts.map((text, index) => ({
      text,
      name: names[index],
      values: [],
      keepsBytes: false,
      bytesMax: 1_000,
    }));
    const trip = new WireTrip(statements, {
      moved: () => {},
      settled: (error, answered) => resolve({ rows: trip.fetched.map(({ rows }) => rows), answered, error }),
    });
    client.query(trip as unknown as pg.Submittable);
  });
}

test('several statements travel in one write, and each gets its rows', async () => {
  const texts = [
    'select 1 as a',
    "select 'x' as b from generate_series(1, 2)",
    'select 1 as a',
    'select 3 as c where false',
  ];
  for (let use = 1; use <= 2; use++) {
    const { rows, answered, error } = await runAll(texts, ['one', 'two', 'one', 'none']);
    expect([answered, error]).toEqual([4, null]);
    expect(rows).toEqual([[{ a: 1 }], [{ b: 'x' }, { b: 'x' }], [{ a: 1 }], []]);
    expect(writes).toBe(use);
  }
});

test('each statement of a trip sees what was committed when it began', async () => {
  const other = new RowClient({ connectionString: inject('serverUrl') });
  await other.connect();
  try {
    await run('drop table if exists public.seen_between');
    await run('create table public.seen_between (n integer)');
    const asked = runAll([
      'select count(*)::int as n from seen_between',
      'select pg_sleep(0.5)::text',
      'select count(*)::int as n from seen_between',
    ]);
    await other.query('insert into public.seen_between values (1)');
    const { rows } = await asked;
    expect(rows[2]).toEqual([{ n: 1 }]);
    await run('drop table public.seen_between');
  } finally {
    await other.end();
  }
});

test('after an error the statements that are left do not run, and those before keep their rows', async () => {
  await run('create temporary table marks (n integer)');
  const texts = ['select 1 as a', 'select 1 / 0', 'insert into pg_temp.marks values (1)'];
  const { rows, answered, error } = await runAll(texts, ['a_first', 'a_failure', 'a_write']);
  expect([rows[0], answered]).toEqual([[{ a: 1 }], 1]);
  expect(error).toMatchObject({ code: '22012' });
  expect(await run('select * from pg_temp.marks')).toEqual([]);
  expect((await runAll(texts.slice(0, 1), ['a_first'])).rows).toEqual([[{ a: 1 }]]);
  expect((await runAll(texts.slice(2), ['a_write'])).error).toBeNull();
});

test('a broken connection fails the statement that waits', async () => {
  const waiting = run('select pg_sleep(30)');
  client.on('error', () => {});
  setImmediate(() =>
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy(),
  );
  await expect(waiting).rejects.toThrow(/terminated/);
});

test('long texts stay bytes where they are asked for so, and nothing else does', async () => {
  const text = `select repeat('ä', 1100) as long, repeat('ä', 10) as short, null as none, '[1]'::jsonb as json,
    array[repeat('x', 3000)] as list`;
  const [strings] = await run(text);
  expect(strings).toMatchObject({ long: 'ä'.repeat(1_100), short: 'ä'.repeat(10) });
  const [row] = await run(text, { keepsBytes: true });
  expect(row).toEqual({
    long: Buffer.from('ä'.repeat(1_100)),
    short: 'ä'.repeat(10),
    none: null,
    json: [1],
    list: ['x'.repeat(3_000)],
  });
});

test('what the driver asks on the same connection is read as ever', async () => {
  const { rows } = await client.query("select repeat('ä', 3000) as long, null as none, 7 as number");
  expect(rows).toEqual([{ long: 'ä'.repeat(3_000), none: null, number: 7 }]);
  await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
});
