// Messages are found whatever pieces they arrive in, and mean what the driver's own parser reads in them.
import { EventEmitter } from 'node:events';
import { parse } from 'pg-protocol';
import { expect, test } from 'vitest';
import { Messages, RowMessage } from './row-client.ts';

function message(code: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(code, 0);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function row(...values: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  const fields = values.map((value) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : Buffer.byteLength(value));
    return Buffer.concat([length, Buffer.from(value ?? '')]);
  });
  return message('D', Buffer.concat([count, ...fields]));
}

const bytes = Buffer.concat([
  message('1', Buffer.alloc(0)),
  message('2', Buffer.alloc(0)),
  row('a', null, '', 'ä€😀'),
  row(),
  row('x'.repeat(300)),
  message('C', Buffer.from('SELECT 3\0')),
  row(null),
  message('Z', Buffer.from('I')),
]);

/** A message as a test compares it. */
function plain(each: object): object {
  const { name, length, fields } = each as { name: string; length: number; fields?: unknown };
  return { name, length, ...(fields === undefined ? {} : { fields }) };
}

/** What is read in the bytes if they arrive in pieces of so many. */
function read(size: number): readonly object[] {
  const found: object[] = [];
  const messages = new Messages((each) => found.push(each));
  for (let begin = 0; begin < bytes.length; begin += size) {
    // Memory of its own, as a socket gives it.
    messages.take(Buffer.from(bytes.subarray(begin, begin + size)));
  }
  return found;
}

function readByDriver(): readonly object[] {
  const found: object[] = [];
  const stream = new EventEmitter();
  void parse(stream as unknown as NodeJS.ReadableStream, (each) => found.push(each));
  stream.emit('data', bytes);
  return found;
}

test('pieces of every size give the messages that the driver reads', () => {
  const wanted = readByDriver().map(plain);
  expect(wanted).toHaveLength(8);
  for (let size = 1; size <= bytes.length; size++) expect(read(size).map(plain), `pieces of ${size}`).toEqual(wanted);
});

test('a row that arrives as a whole is not copied', () => {
  const chunk = Buffer.concat([row('first'), row('second')]);
  const found: object[] = [];
  new Messages((each) => found.push(each)).take(chunk);
  expect(found).toHaveLength(2);
  for (const each of found) expect(each instanceof RowMessage && each.bytes === chunk).toBe(true);
});
