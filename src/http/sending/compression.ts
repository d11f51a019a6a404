// Compresses answers for clients that accept it. Short ones are compressed at once, because handing them to another thread takes
// this one about as long (see bench/compression.mjs); long ones piece by piece on other threads. Only a few of these are
// compressed at the same time: the others are sent as they are, so that nobody waits for it.
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib';
import { bounds } from '../../base/limits.ts';
import type { ByteOwner } from '../../engine/shares/bytes.ts';
import { type Coding, chooseCoding } from './content-coding.ts';
import { type Body, bodyText, piecesOf } from './pieces.ts';
import type { Reply } from './reply.ts';

export interface Compression {
  /** The answer, whose body has so many bytes, in the form that the client accepts. Short ones are ready at once. */
  coded(request: IncomingMessage, owner: ByteOwner, reply: Reply, bytes: number): Reply | Promise<Reply>;
}

/** The fastest level of each: the next ones take twice as long to save a tenth. */
const brotli = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 };
const gzip = { level: 1 };

export function openCompression(): Compression {
  /** How many long answers of each owner are being compressed. */
  const active = new Map<ByteOwner, number>();
  const countOf = (owner: ByteOwner) => active.get(owner) ?? 0;
  const isBusy = (owner: ByteOwner) => {
    const all = [...active.values()].reduce((sum, count) => sum + count, 0);
    return countOf(owner) >= bounds.http.compressedOfOwner || all >= bounds.http.compressedAtOnce;
  };
  const compressLong = async (body: Body, coding: Coding, owner: ByteOwner): Promise<Body> => {
    active.set(owner, countOf(owner) + 1);
    try {
      return await compressPieces(body, coding);
    } finally {
      active.set(owner, countOf(owner) - 1);
      if (countOf(owner) === 0) active.delete(owner);
    }
  };
  return {
    coded: (request, owner, reply, bytes) => {
      if (bytes < bounds.http.compressedFromBytes) return reply;
      const varying = { ...reply, headers: { ...reply.headers, Vary: 'Accept-Encoding' } };
      const coding = chooseCoding(request.headers['accept-encoding'], ['br', 'gzip']);
      if (coding === undefined) return varying;
      const { isKept: _, ...sent } = varying;
      const inForm = (body: Body): Reply => ({
        ...sent,
        headers: { ...sent.headers, 'Content-Encoding': coding },
        body,
      });
      if (bytes <= bounds.http.pieceBytes) return inForm(compressed(bodyText(reply.body), coding));
      return isBusy(owner) ? varying : compressLong(reply.body, coding, owner).then(inForm);
    },
  };
}

function compressed(text: string, coding: Coding): Buffer {
  return coding === 'br' ? brotliCompressSync(text, { params: brotli }) : gzipSync(text, gzip);
}

/** The body is forgotten piece by piece, as it is when it is sent. */
async function compressPieces(body: Body, coding: Coding): Promise<Body> {
  const next = piecesOf(body);
  const stream = coding === 'br' ? createBrotliCompress({ params: brotli }) : createGzip(gzip);
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  const write = async () => {
    for (let piece = next(); piece !== undefined; piece = next()) {
      await written(stream, piece.bytes);
      // It is compressed, so that its memory may be used again.
      piece.left();
    }
    stream.end();
  };
  await Promise.all([write(), finished(stream)]);
  return parts;
}

function written(stream: Transform, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error === undefined || error === null ? resolve() : reject(error)));
  });
}
