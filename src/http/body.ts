// Reads a JSON body of bounded size, with a declared length or in chunks. A body that is not declared as JSON is refused
// before a byte of it is read; one that nests too deep or has too many values, while it arrives. A long body is read and
// parsed in slices of its org's turns on the thread.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { shorten } from '../../client/import/described.ts';
import { Chunks } from '../base/chunks.ts';
import { type Excess, JsonScan } from '../base/json-text/scan.ts';
import { bounds } from '../base/limits.ts';
import { Problem, problemOf } from '../base/problem.ts';
import type { Slice } from '../engine/shares/thread.ts';
import type { BodyDeclaration } from '../operations/operation.ts';
import { parseLong, parseShort, type ToJson } from './parse-json.ts';
import { chunksOf, isFlood } from './sockets/chunks.ts';

export interface Body {
  readonly bytes: Buffer;
  /** Slices for the work on a long body. */
  readonly slice: Slice | undefined;
  readonly json: ToJson;
}

/** What the org has for a body: units of its rate limit, bytes in flight, and turns on the thread. */
interface BodyTerms {
  /** Spends as many units as a body of this size costs. Throws a Problem if the quota does not cover them. */
  charge(units: number): Promise<void>;
  /** Counts bytes of the body before they arrive, or refuses them. */
  reserve(bytes: number): void;
  /** Waits until the body may be worked on; undefined if it may at once. */
  turn(): Promise<void> | undefined;
  /** Slices for one request. */
  slice(): Slice;
}

/** The body of the request. A client that waits for a 100 before it sends (RFC 9110, 10.1.1) gets it here and not earlier. */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  declared: BodyDeclaration<unknown>,
  terms: BodyTerms,
): Promise<Body> {
  const length = Number(request.headers['content-length'] ?? 0);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  if (length > declared.bytesMax) throw tooLarge(declared.bytesMax);
  if (length === 0 && !isChunked) throw bodyRequired();
  checkMediaType(request);
  checkSingle(request);
  if (length > bounds.shares.bodyBytesPerUnit) await terms.charge(unitsOf(length, 0));
  if (!isChunked && isCounted(request)) terms.reserve(length);
  if (request.headers.expect !== undefined) response.writeContinue();
  const { bytes, scan, units, slice } = await collect(request, declared, terms);
  if (bytes.length === 0) throw bodyRequired();
  if (isChunked && units > 1) await terms.charge(units);
  const turn = terms.turn();
  if (turn !== undefined) await turn;
  if (bytes.length <= bounds.shares.shortBodyBytes && scan.values <= bounds.shares.shortBodyValues) {
    return { bytes, slice: undefined, json: () => parseShort(bytes, scan.names) };
  }
  return { bytes, slice: slice(), json: await parseLong(bytes, scan, slice()) };
}

function unitsOf(bytes: number, chunks: number): number {
  return Math.max(
    Math.ceil(bytes / bounds.shares.bodyBytesPerUnit),
    Math.ceil(chunks / bounds.shares.bodyChunksPerUnit),
  );
}

interface Received {
  readonly bytes: Buffer;
  readonly scan: JsonScan;
  /** What it costs. */
  readonly units: number;
  readonly slice: () => Slice;
}

/** What has arrived of a body. */
interface Arrived {
  readonly chunks: Chunks;
  readonly scan: JsonScan;
  /** Measures the next bytes. Throws a Problem if they are too many, or too much of something. */
  take(chunk: Buffer): void;
  units(): number;
}

/** A body without a declared length is counted as it arrives. */
function measure(
  request: IncomingMessage,
  { bytesMax, valuesMax }: BodyDeclaration<unknown>,
  terms: BodyTerms,
): Arrived {
  const { bodyDepth: depth, bodyMembers: members, bodyRunBytes: run } = bounds.shares;
  const scan = new JsonScan({ depth, values: valuesMax, members, run });
  const chunks = new Chunks();
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  return {
    chunks,
    scan,
    take: (chunk) => {
      chunks.add(chunk);
      if (chunks.bytes > bytesMax) throw tooLarge(bytesMax);
      const excess = scan.feed(chunk);
      if (excess !== undefined) throw excesses[excess](valuesMax);
      if (isChunked) terms.reserve(chunk.length);
    },
    units: () => unitsOf(chunks.bytes, chunksOf(request)),
  };
}

/** A body without a declared length is paid as it arrives. */
function collect(request: IncomingMessage, declared: BodyDeclaration<unknown>, terms: BodyTerms): Promise<Received> {
  const arrived = measure(request, declared, terms);
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const slice = once(() => terms.slice());
  let sizeOfTurn = 0;
  const nextTurn = async (): Promise<void> => {
    sizeOfTurn = 0;
    if (isChunked) await terms.charge(arrived.units());
    await slice().next();
  };
  return new Promise((resolve, reject) => {
    const refuse = (problem: unknown): void => {
      clearTimeout(timer);
      // The rest is discarded as it arrives; the answer does not wait for it.
      request.removeAllListeners('data');
      reject(problem);
    };
    const timer = isCounted(request)
      ? setTimeout(() => {
          if (request.isPaused()) timer?.refresh();
          else refuse(tooSlow());
        }, bounds.http.stalledMs)
      : undefined;
    request.on('data', (chunk: Buffer) => {
      if (isFlood(request)) {
        terms.charge(arrived.units()).then(() => refuse(tooManyChunks()), refuse);
        return;
      }
      try {
        arrived.take(chunk);
      } catch (error) {
        return refuse(error);
      }
      timer?.refresh();
      sizeOfTurn += chunk.length + bounds.shares.chunkBytes;
      const { shortBodyBytes, bodyBytesAtOnce } = bounds.shares;
      if (sizeOfTurn < shortBodyBytes || (sizeOfTurn < bodyBytesAtOnce && !slice().isOver())) return;
      // Stops reading from the connection until it is the org's turn again.
      request.pause();
      nextTurn().then(() => request.resume(), refuse);
    });
    let hasEnded = false;
    request.on('end', () => {
      hasEnded = true;
      resolve({ bytes: arrived.chunks.joined(), scan: arrived.scan, units: arrived.units(), slice });
    });
    request.on('close', () => {
      clearTimeout(timer);
      // It has not ended if it was waiting for its turn, even if everything had arrived.
      if (!hasEnded) reject(brokenOff());
    });
    request.on('error', () => {});
  });
}

/** A short body takes so little that it is neither counted nor watched. The time of a whole request bounds it as well. */
function isCounted({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > bounds.shares.uncountedBytes;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Requires `application/json` without a content coding; a charset, if given, must be UTF-8. */
function checkMediaType({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupported(`The Content-Encoding is ${JSON.stringify(shorten(coding))}. Send the body without an encoding.`);
  }
  if (type === 'application/json') return;
  const form = /^application\/json\s*(;\s*(charset\s*=\s*"?utf-8"?\s*)?)*$/i;
  if (type !== undefined && form.test(type.trim())) return;
  const sent = type === undefined ? 'missing' : JSON.stringify(shorten(type));
  throw unsupported(`The Content-Type is ${sent}. Send "Content-Type: application/json".`);
}

/** Node keeps the first of two media types, while a proxy in front of it may have kept the second. */
function checkSingle({ rawHeaders }: IncomingMessage): void {
  let times = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 'content-type'.length && name.toLowerCase() === 'content-type') times++;
  }
  if (times === 1) return;
  const detail = `The header Content-Type is sent ${times} times. Send it once.`;
  throw problemOf('invalid_request', [{ parameter: 'Content-Type', reason: 'invalid_header', detail }]);
}

function unsupported(detail: string): Problem {
  return new Problem('unsupported_media_type', undefined, detail);
}

function tooLarge(bytesMax: number): Problem {
  return new Problem(
    'payload_too_large',
    'body_too_large',
    `The body is larger than the ${bytesMax} bytes that this operation accepts. Send less at once.`,
  );
}

const excesses: Readonly<Record<Excess, (valuesMax: number) => Problem>> = {
  too_deep: () =>
    new Problem(
      'invalid_request',
      'too_deep',
      `The body nests objects and arrays more than ${bounds.shares.bodyDepth} levels deep. No operation needs that.`,
    ),
  body_values: (valuesMax) =>
    new Problem(
      'payload_too_large',
      'body_values',
      `The body has more than the ${valuesMax} members and elements that this operation accepts. Send less at once.`,
    ),
  too_many_blanks: () =>
    new Problem(
      'payload_too_large',
      'too_many_blanks',
      `The body has more than ${bounds.shares.bodyRunBytes} blanks, or digits of a number, one after the other. Leave out the blanks.`,
    ),
  too_many_members: () =>
    new Problem(
      'payload_too_large',
      'too_many_members',
      `An object in the body has more than ${bounds.shares.bodyMembers} members. No operation takes that many.`,
    ),
};

function tooManyChunks(): Problem {
  const { bodyChunks, tinyChunks, tinyChunkBytes } = bounds.shares;
  return new Problem(
    'payload_too_large',
    'too_many_chunks',
    `The body came in more than ${bodyChunks} chunks, or in more than ${tinyChunks} of less than ${tinyChunkBytes} bytes on average. Send larger chunks, or a Content-Length.`,
  );
}

function tooSlow(): Problem {
  return new Problem('invalid_request', 'request_too_slow', 'The body did not arrive in time.');
}

function bodyRequired(): Problem {
  const detail = 'This operation requires a JSON body.';
  return problemOf('invalid_request', [{ pointer: '', reason: 'body_required', detail }]);
}

function brokenOff(): Problem {
  return new Problem('invalid_request', 'malformed_http', 'The request ended before its body did.');
}
