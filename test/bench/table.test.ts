// The table of the benchmarks: it has every row, and shows which miss their targets and which have become slower.
import { expect, test } from 'vitest';

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly floor?: number;
  readonly ratio?: number;
  readonly wanted: { readonly ratio?: number; readonly least?: number; readonly most?: number };
}

interface Entry {
  readonly commit: string;
  readonly machine: string;
}

interface Table {
  readonly rowsFrom: (results: object) => readonly Row[];
  readonly isMet: (row: Row) => boolean;
  readonly isSlower: (row: Row, before: Partial<Row> | undefined) => boolean;
  readonly tableOf: (
    rows: readonly Row[],
    before: { commit: string; rows: readonly Partial<Row>[] } | undefined,
  ) => string;
  readonly lastEntry: (entries: readonly Entry[], commit: string, machine: string) => Entry | undefined;
}

// The benchmarks are plain JavaScript, so their types are said here.
const { rowsFrom, isMet, isSlower, tableOf, lastEntry } = (await import(
  String(new URL('../../bench/table.mjs', import.meta.url))
)) as Table;

const get: Row = { name: 'get', unit: 'requests/s', ours: 4_000, floor: 5_000, ratio: 0.8, wanted: { ratio: 1 } };
const start: Row = { name: 'start', unit: 'ms', ours: 250, wanted: { most: 300 } };
const batches: Row = { name: 'batches', unit: 'records/s', ours: 13_000, wanted: { least: 12_000 } };

test('a row of each kind is met on the right side of its target', () => {
  expect(isMet(get)).toBe(false);
  expect(isMet({ ...get, ratio: 1 })).toBe(true);
  expect(isMet(start)).toBe(true);
  expect(isMet({ ...start, ours: 301 })).toBe(false);
  expect(isMet(batches)).toBe(true);
  expect(isMet({ ...batches, ours: 11_999 })).toBe(false);
});

test('a row is slower if it has lost more than a tenth of its ratio, or of its own number where it has none', () => {
  expect(isSlower(get, undefined)).toBe(false);
  expect(isSlower(get, { ratio: 0.88 })).toBe(false);
  expect(isSlower(get, { ratio: 0.9 })).toBe(true);
  expect(isSlower(start, { ours: 230 })).toBe(false);
  expect(isSlower(start, { ours: 220 })).toBe(true);
  expect(isSlower(batches, { ours: 14_000 })).toBe(false);
  expect(isSlower(batches, { ours: 15_000 })).toBe(true);
});

test('the table tells what is missed and what is slower', () => {
  const lines = tableOf([get, start], { commit: 'abc', rows: [{ name: 'get', ratio: 0.95 }] }).split('\n');
  expect(lines[0]).toMatch(/^row +ours +floor +ratio +wanted +abc$/);
  expect(lines[1]).toMatch(/^get +4,000 requests\/s +5,000 +0\.80 +1 +missed +0\.95 +slower$/);
  expect(lines[2]).toMatch(/^start +250 ms +at most 300 ms$/);
});

test('a run is compared with the last one of another commit on as many cores of the same model, whatever the kernel', () => {
  const entry = (commit: string, machine: string): Entry => ({ commit, machine });
  const entries = [
    entry('older', '2 cores (Neoverse-N1), 24 GiB, Linux 6.1'),
    entry('before', '2 cores (Neoverse-N1), 24 GiB, Linux 6.1'),
    entry('more', '4 cores (Neoverse-N1), 24 GiB, Linux 6.2'),
    entry('other', '2 cores (Intel(R) Xeon(R) Processor @ 2.50GHz), 24 GiB, Linux 6.2'),
    entry('now', '2 cores (Neoverse-N1), 24 GiB, Linux 6.2'),
  ];
  const last = (machine: string) => lastEntry(entries, 'now', machine)?.commit;
  expect(last('2 cores (Neoverse-N1), 23 GiB, Linux 6.2')).toBe('before');
  expect(last('2 cores (Intel(R) Xeon(R) Processor @ 2.50GHz), 24 GiB, Linux 6.3')).toBe('other');
  expect(last('2 cores (Intel(R) Xeon(R) Processor @ 2.10GHz), 24 GiB, Linux 6.2')).toBeUndefined();
});

test('the rows of every result are in the table', () => {
  const side = { per_second: 100 };
  const records = {
    rows: { get: { ours: side, floor: side, ratio: 1 }, batch100: { ours: side, floor: side, ratio: 1 } },
    targets: { get: 1, batch100: 0.3, batchRecordsPerSecond: 12_000, memoryMb: 180 },
    batches_of_1000: { records_per_second: 13_000, floor_records_per_second: 20_000, ratio: 0.65 },
    memory_mb: 170,
  };
  const timed = { ours_ms: 50, floor_ms: 40, ratio: 0.8 };
  const dashboards = {
    sizes: { 100000: { 'won per month': timed }, 1000000: { 'won per month': timed } },
    targets: { ratio: 1, ms: 400 },
  };
  const imports = {
    with_summaries: side,
    matched: { per_second: 60 },
    bare_copy: { per_second: 1_000 },
    targets: { contactsPerSecond: 15_000, matched: 0.5 },
  };
  const queries = { flat: { deepest_list: { ratio: 1.25, ms: { small: 1, big: 1.25 } } }, targets: { flat: 1.5 } };
  const starts = {
    warm_start_ms: { median: 400 },
    server_start_ms: { median: 250 },
    budget: { warm_start_ms: 600, server_start_ms: 300 },
  };
  const rows = rowsFrom({ records, dashboards, imports, queries, start: starts });
  expect(rows.map(({ name }) => name)).toEqual([
    'get',
    'batch of 100 creates',
    'batches of 1,000 creates',
    'memory of Node after these rows',
    'won per month, of 100,000',
    'won per month, of 1,000,000',
    'import with a dozen words',
    'import that finds its contacts, beside one that creates them',
    'deepest list, 1,000,000 against 1,000 records',
    'start, embedded',
    'start on a server',
  ]);
  expect(rows.filter((row) => !isMet(row)).map(({ name }) => name)).toEqual([
    'won per month, of 100,000',
    'import with a dozen words',
  ]);
  expect(rows.find(({ name }) => name.startsWith('deepest'))).toMatchObject({ ratio: 0.8, wanted: { ratio: 0.67 } });
});
