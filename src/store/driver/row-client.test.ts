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
  const messages = new Messages((each) => found.push(plain(each)));
  // One memory for all pieces, as the client has it.
  const chunk = Buffer.alloc(size);
  for (let begin = 0; begin < bytes.length; begin += size) {
    const length = bytes.copy(chunk, 0, begin, begin + size);
    messages.take(chunk.subarray(0, length));
    chunk.fill(0);
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
  for (let size = 1; size <= bytes.length; size++) expect(read(size), `pieces of ${size}`).toEqual(wanted);
});

test('a part of a row stays as it is, also if the memory of the piece is used again', () => {
  for (const size of [100, 400, 10_000]) {
    const chunk = Buffer.alloc(size);
    const parts: Buffer[] = [];
    const messages = new Messages((each) => {
      if (!(each instanceof RowMessage)) return;
      each.forEachField((begin, end) => parts.push(each.part(begin, end)));
    });
    const sent = Buffer.concat([row('first'.repeat(50)), row('second'.repeat(50))]);
    for (let begin = 0; begin < sent.length; begin += size) {
      messages.take(chunk.subarray(0, sent.copy(chunk, 0, begin, begin + size)));
      chunk.fill(0);
    }
    expect(parts.map(String)).toEqual(['first'.repeat(50), 'second'.repeat(50)]);
  }
});
