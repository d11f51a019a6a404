import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvReader, type CsvRow } from './csv-rows.ts';
import { toCsvLine } from './to-csv-line.ts';

function read(text: string, delimiter = ',', charactersMax = 1_000, pieces: readonly number[] = []): readonly CsvRow[] {
  const reader = new CsvReader(delimiter, charactersMax);
  const rows: CsvRow[] = [];
  let rest = text;
  for (const length of pieces) {
    rows.push(...reader.push(rest.slice(0, length)));
    rest = rest.slice(length);
  }
  return [...rows, ...reader.push(rest), ...reader.end()];
}

const cellsOf = (rows: readonly CsvRow[]) => rows.map(({ cells }) => cells);
const told = (rows: readonly CsvRow[]) => rows.map(({ line, fault }) => [line, fault]);

test('lines end with LF, CRLF or CR, and the last one need not end', () => {
  const rows = [
    ['a', 'b'],
    ['c', 'd'],
    ['e', ''],
  ];
  for (const end of ['\n', '\r\n', '\r']) {
    expect(cellsOf(read(['a,b', 'c,d', 'e,'].join(end)))).toEqual(rows);
    expect(cellsOf(read(`a,b${end}c,d${end}e,${end}`))).toEqual(rows);
  }
  expect(cellsOf(read('a,b\r\nc,d\re,\n'))).toEqual(rows);
});

test('a quoted cell can have delimiters, line ends and doubled quotes; a quote inside an unquoted cell is an ordinary character', () => {
  expect(cellsOf(read('"a,1","say ""hi""\r\nthere",5" pipe\n"",x,'))).toEqual([
    ['a,1', 'say "hi"\r\nthere', '5" pipe'],
    ['', 'x', ''],
  ]);
});

test('empty rows are left out, but their lines are counted', () => {
  const rows = read('h\n\n ,\t\n"a\nb\r\nc\rd"\n\r\nz');
  expect(rows.map(({ line, cells }) => [line, cells])).toEqual([
    [1, ['h']],
    [4, ['a\nb\r\nc\rd']],
    [9, ['z']],
  ]);
});

test('a quote that is never closed is reported with the line of its row, one that is not doubled with its own line', () => {
  expect(told(read('h\n"a" b,c\nd\n"e\nf\n'))).toEqual([
    [1, undefined],
    [2, 'loose_quote'],
    [3, undefined],
    [4, 'unclosed_quote'],
  ]);
});

test('a row that is too long is skipped wherever the text is cut, and the rows after it keep their lines', () => {
  const long = 'y'.repeat(40);
  for (const [row, inner] of [
    [`${long},1`, 0],
    [`"${long}\n\r\n\r""\n",x`, 4],
    [`a,b"${long}"`, 0],
    [`"""${long}"""`, 0],
  ] as const) {
    for (const end of ['\n', '\r\n', '\r']) {
      for (let cut = 0; cut < 60; cut++) {
        const rows = read(`a${end}${row}${end}z${end}`, ',', 20, [cut, 1, 1]);
        expect(
          rows.map(({ line, cells, fault }) => [line, cells, fault]),
          `${JSON.stringify(row + end)} ${cut}`,
        ).toEqual([
          [1, ['a'], undefined],
          [2, [], 'too_long'],
          [3 + inner, ['z'], undefined],
        ]);
      }
    }
  }
  expect(told(read(`a\n"${long}\n`, ',', 20, [5, 30]))).toEqual([
    [1, undefined],
    [2, 'unclosed_quote'],
  ]);
});

const cell = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', "'", '=', 'ä', '😀', '\u0000'),
    maxLength: 8,
  }),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

test('a written line is read back in pieces of any size, and as another reader reads it', () => {
  const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 6 });
  fc.assert(
    fc.property(table, fc.constantFrom(',', ';', '\t', '|'), fc.array(fc.nat(9)), (rows, delimiter, pieces) => {
      const text = rows.map((cells) => toCsvLine(cells, delimiter)).join('');
      const held = rows.filter((cells) => cells.some((each) => each.trim() !== ''));
      const found = read(text, delimiter, 1_000, pieces);
      expect(cellsOf(found)).toEqual(held);
      expect(found.every(({ fault }) => fault === undefined)).toBe(true);
      const theirs = parse(text, { delimiter, skip_empty_lines: false }) as string[][];
      expect(theirs.filter((cells) => cells.some((each) => each.trim() !== ''))).toEqual(held);
    }),
    { numRuns: 500 },
  );
});
