import { expect, test } from 'vitest';
import { batchesOf, type Line, linesOf } from './lines.ts';

async function* chunksOf(...chunks: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function linesIn(bytesMax: number, ...chunks: readonly (string | Buffer)[]): Promise<readonly unknown[]> {
  const lines = await all(linesOf(chunksOf(...chunks), bytesMax));
  return lines.map(({ number, bytes }) => [number, bytes?.toString()]);
}

test('lines are counted from 1, with any line end, whether or not the last line has one', async () => {
  expect(await linesIn(10, 'a\nbc\r\nd')).toEqual([
    [1, 'a'],
    [2, 'bc'],
    [3, 'd'],
  ]);
  expect(await linesIn(10, 'a\n')).toEqual([[1, 'a']]);
  expect(await linesIn(10)).toEqual([]);
  expect(await linesIn(10, '')).toEqual([]);
  expect(await linesIn(10, 'a\rb')).toEqual([[1, 'a\rb']]);
});

test('empty and blank lines are counted and left out', async () => {
  expect(await linesIn(10, '\n\r\n \t\na\n\n')).toEqual([[4, 'a']]);
});

test('a byte order mark is left out at the start, and is part of the line anywhere else', async () => {
  expect(await linesIn(10, '\ufeffa\n\ufeffb')).toEqual([
    [1, 'a'],
    [2, '\ufeffb'],
  ]);
  expect(await linesIn(10, '\ufeff\na')).toEqual([[2, 'a']]);
});

test('chunks may end anywhere, even within a character or between CR and LF', async () => {
  const text = Buffer.from('\ufeffgrün\r\nzwei\r\n');
  const single = [...text].map((byte) => Buffer.from([byte]));
  expect(await linesIn(10, ...single)).toEqual([
    [1, 'grün'],
    [2, 'zwei'],
  ]);
});

test('a line of the greatest length is read; a longer one comes without its bytes, and its neighbours are not affected', async () => {
  const kept = 'x'.repeat(10);
  const expected = [
    [1, kept],
    [2, undefined],
    [3, kept],
    [4, undefined],
  ];
  expect(await linesIn(10, `\ufeff${kept}\r\n${kept}y\n${kept}\n${'z'.repeat(1_000)}`)).toEqual(expected);
  const pieces = ['z'.repeat(400), 'z'.repeat(400), 'z'.repeat(200)];
  expect(await linesIn(10, `\ufeff${kept}\r\n${kept}y\n${kept}\n`, ...pieces)).toEqual(expected);
});

test('batches are full by lines or by bytes, and a single line always fits', async () => {
  const lines = (...lengths: readonly (number | undefined)[]) =>
    lengths.map((length, index): Line => {
      return { number: index + 1, bytes: length === undefined ? undefined : Buffer.alloc(length) };
    });
  async function* given(list: readonly Line[]): AsyncGenerator<Line> {
    yield* list;
  }
  const numbers = async (list: readonly Line[]) => {
    const batches = await all(batchesOf(given(list), { linesMax: 3, bytesMax: 10 }));
    return batches.map((batch) => batch.map((line) => line.number));
  };
  expect(await numbers(lines(1, 1, 1, 1))).toEqual([[1, 2, 3], [4]]);
  expect(await numbers(lines(6, 4, 1))).toEqual([[1, 2], [3]]);
  expect(await numbers(lines(50, 50, undefined))).toEqual([[1], [2], [3]]);
  expect(await numbers([])).toEqual([]);
});
