// A body in very many chunks. Node's parser calls a function for each of them, and goes through all bytes that have arrived
// before anything else runs: 64 KiB can hold ten thousand chunks. So short chunks are joined where they leave the parser, and
// beyond the bound the parser has no functions to call: the rest of what has arrived costs little, and nobody sees it.
import type { IncomingMessage } from 'node:http';
import { bounds } from '../../base/limits.ts';

const counts = new WeakMap<IncomingMessage, number>();
const floods = new WeakSet<IncomingMessage>();

/** How many chunks of the body have come so far; 0 if its length was declared. */
export function chunksOf(request: IncomingMessage): number {
  return counts.get(request) ?? 0;
}

/** Whether the body has come in too many chunks. Nothing follows then: the request never completes. */
export function isFlood(request: IncomingMessage): boolean {
  return floods.has(request);
}

/** Must be called before any of the body is parsed. */
export function joinChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  const push = request.push.bind(request);
  let count = 0;
  let bytes = 0;
  let held: Buffer[] = [];
  const flush = (): boolean => {
    const joined = Buffer.concat(held);
    held = [];
    return joined.length === 0 || request.destroyed || push(joined);
  };
  request.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      flush();
      return push(null);
    }
    counts.set(request, ++count);
    bytes += chunk.length;
    if (isTooMany(count, bytes)) {
      floods.add(request);
      deafen(request);
    }
    if (held.length === 0) {
      if (chunk.length >= bounds.http.shortChunkBytes) return push(chunk);
      setImmediate(flush);
    }
    held.push(chunk);
    return chunk.length < bounds.http.shortChunkBytes || flush();
  };
}

function isTooMany(count: number, bytes: number): boolean {
  const { bodyChunks, tinyChunks, tinyChunkBytes } = bounds.shares;
  return count > bodyChunks || (count > tinyChunks && bytes < count * tinyChunkBytes);
}

/** The functions that a parser of Node calls with headers, the end of the headers, parts of the body and its end. */
const functions = [1, 2, 3, 4] as const;

interface Parsed {
  readonly parser?: Partial<Record<number, unknown>> | null;
}

/** Stops reading, and takes its functions from the parser. It is used again for other connections, so it gets them back at the end. */
function deafen(request: IncomingMessage): void {
  const { socket } = request;
  socket.pause();
  // A request that has been read reads on.
  request._read = () => {};
  const { parser } = socket as Parsed;
  if (!parser) return;
  const taken = functions.map((index) => parser[index]);
  for (const index of functions) parser[index] = undefined;
  socket.once('close', () => {
    for (const [place, index] of functions.entries()) parser[index] = taken[place];
  });
}
