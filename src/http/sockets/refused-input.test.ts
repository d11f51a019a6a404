// What refused clients still send is read in turns, and of many unused connections a few are closed at once.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { openRefusedInput, type RefusedInput } from './refused-input.ts';

const { closedAtOnce, discardPauseMs, lingerBytes, lingerMs } = bounds.http;
const chunk = Buffer.alloc(65_536);

let input: RefusedInput;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  input = openRefusedInput();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Streams deliver their data in later passes of the event loop. */
async function passes(): Promise<void> {
  for (let count = 0; count < 10; count++) await new Promise(setImmediate);
}

async function pause(): Promise<void> {
  vi.advanceTimersByTime(discardPauseMs);
  await passes();
}

/** A connection on which more is ready whenever somebody reads, and how often that was. */
function newSender(): { readonly connection: Readable; readonly chunks: () => number } {
  let chunks = 0;
  const connection = new Readable({ read: () => void connection.push(chunk) });
  input.discard(connection);
  connection.on('data', () => chunks++);
  return { connection, chunks: () => chunks };
}

test('of those who send without end one is read at a time', async () => {
  const senders = [newSender(), newSender(), newSender()];
  const read = () => senders.map(({ chunks }) => chunks());
  await passes();
  expect(read()).toEqual([1, 1, 1]);
  await pause();
  expect(read()).toEqual([2, 1, 1]);
  await pause();
  expect(read()).toEqual([2, 2, 1]);
  await pause();
  await pause();
  expect(read()).toEqual([3, 2, 2]);
});

test('a connection that sends too much is closed, and then nothing is left to do', async () => {
  const { connection, chunks } = newSender();
  await passes();
  for (let count = 0; count < lingerBytes / chunk.length - 1; count++) await pause();
  expect([chunks() * chunk.length, connection.destroyed]).toEqual([lingerBytes, false]);
  await pause();
  expect(connection.destroyed).toBe(true);
  await pause();
  expect(vi.getTimerCount()).toBe(0);
});

test('of connections that end together a few are closed at once', async () => {
  const connections = Array.from({ length: 2 * closedAtOnce + 1 }, () => new Readable());
  for (const connection of connections) input.close(connection);
  const closed = () => connections.filter(({ destroyed }) => destroyed).length;
  expect(closed()).toBe(0);
  await pause();
  expect(closed()).toBe(closedAtOnce);
  await pause();
  await pause();
  expect(closed()).toBe(connections.length);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['it has come in full', (request: IncomingMessage) => request.push(null)],
  ['its time is over', () => vi.advanceTimersByTime(lingerMs)],
] as const)('the answer to an unwanted body ends when %s', async (_, end) => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  input.linger(response);
  request.push(chunk);
  await passes();
  await pause();
  expect(response.writableEnded).toBe(false);
  end(request);
  await passes();
  expect(response.writableEnded).toBe(true);
});

test('the answer to an unwanted body ends when too much of it has come', async () => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  input.linger(response);
  for (let bytes = 0; bytes < lingerBytes; bytes += chunk.length) request.push(chunk);
  for (let bytes = 0; bytes < lingerBytes; bytes += chunk.length) {
    await passes();
    expect(response.writableEnded).toBe(false);
    vi.advanceTimersByTime(discardPauseMs);
  }
  request.push(chunk);
  await pause();
  expect(response.writableEnded).toBe(true);
});
