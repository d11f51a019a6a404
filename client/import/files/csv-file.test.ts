import { expect, test } from 'vitest';
import { delimiterOf, delimiters, inspectCsv, rowsOf } from './csv-file.ts';

const text = 'Name,Straße,Ort\r\nŻółć,"a,b",ü\nЖ,😀,\r';
const bytesOf = {
  'utf-8': Buffer.from(text),
  'utf-16le': Buffer.from(text, 'utf16le'),
  'utf-16be': Buffer.from(text, 'utf16le').swap16(),
};
const latin = 'Name,Straße\nJosé,10 €\n';
const windows = Buffer.from(Array.from(latin, (letter) => (letter === '€' ? 0x80 : letter.charCodeAt(0))));

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size: number) {
  const file = await inspectCsv(pieces(bytes, size));
  const cells: (readonly string[])[] = [];
  for await (const { rows } of rowsOf(pieces(bytes, size), file)) cells.push(...rows.map((row) => row.cells));
  return { file, cells };
}

const expected = [
  ['Name', 'Straße', 'Ort'],
  ['Żółć', 'a,b', 'ü'],
  ['Ж', '😀', ''],
];

test.each(Object.entries(bytesOf))(
  '%s is recognised with and without a byte order mark, in pieces of any size',
  async (name, bytes) => {
    const mark = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] }[name] ?? [];
    for (const size of [1, 2, 3, 7, 1_000]) {
      const bare = await read(bytes, size);
      expect(bare).toMatchObject({ file: { encoding: name, marked: false, delimiter: ',' }, cells: expected });
      const marked = await read(Buffer.concat([Buffer.from(mark), bytes]), size);
      expect(marked).toMatchObject({ file: { encoding: name, marked: true }, cells: expected });
    }
  },
);

test('a file that is not UTF-8 in any place is read as Windows-1252', async () => {
  const long = Buffer.concat([Buffer.from('Name,Straße\n'.repeat(8_000)), Buffer.from([0xe4, 0x0a])]);
  expect((await read(long, 4_096)).file.encoding).toBe('windows-1252');
  const { file, cells } = await read(windows, 3);
  expect([file.encoding, cells]).toEqual([
    'windows-1252',
    [
      ['Name', 'Straße'],
      ['José', '10 €'],
    ],
  ]);
  // A character that is cut off at the end does not count.
  expect((await read(Buffer.from([0x61, 0x2c, 0xc3]), 2)).file.encoding).toBe('windows-1252');
});

test('the delimiter is the one that splits header and rows into equally many cells', () => {
  for (const delimiter of delimiters) {
    const line = (...cells: readonly string[]) => cells.join(delimiter);
    expect(delimiterOf([line('a', 'b', 'c'), line('1,5', '2;5', 'x|y'), line('"q"', '', '')].join('\n'))).toBe(
      delimiter,
    );
  }
  expect(delimiterOf('Name, first;Name, last;Email\nAda;Lovelace;a@x.example\n')).toBe(';');
  expect(delimiterOf('"a;b;c",d\n"x;y;z",w\n')).toBe(',');
  expect(delimiterOf('Email\na@x.example\n')).toBe(',');
  expect(delimiterOf('a\tb')).toBe('\t');
  expect(delimiterOf('')).toBe(',');
});
