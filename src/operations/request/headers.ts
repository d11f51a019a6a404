// The request headers that operations support (contract 2), each parsed once, here. On writes, a precondition that the
// operation does not support is refused: a client that sends one relies on it.
import { Type } from 'typebox';
import type { Fault } from '../../base/problem.ts';
import type { Idempotency } from '../../engine/unit/idempotency.ts';
import type { Parameter } from './parameters.ts';

export type RequestHeader = 'If-Match' | 'If-None-Match' | 'Idempotency-Key' | 'Svc-Dry-Run';

/** The conditions that a request's headers set. */
export interface Conditions {
  /** The record must have one of these versions; undefined without the header. */
  readonly ifMatch: readonly string[] | '*' | undefined;
  readonly createOnly: boolean;
  readonly idempotency: Idempotency | undefined;
  readonly dryRun: boolean;
}

export const noConditions: Conditions = {
  ifMatch: undefined,
  createOnly: false,
  idempotency: undefined,
  dryRun: false,
};

export const requestHeaders: Readonly<Record<RequestHeader, Parameter>> = {
  'If-Match': {
    description:
      'The ETag that the record must have, in quotes, or a list of ETags, or `*`. If the record has another version, ' +
      'nothing is written, and the answer is 412 `version_mismatch`.',
    schema: Type.String(),
  },
  'If-None-Match': {
    description: '`*` creates and never updates: if a record matches, the answer is 412 `already_exists`.',
    schema: Type.String({ const: '*' }),
  },
  'Idempotency-Key': {
    description:
      'A text of 1 to 255 characters, with or without quotes, that identifies this request. If the same key sends it ' +
      'again within 24 hours to the same path and query, with the same body, it gets the stored answer, with ' +
      '`Svc-Idempotent-Replay`. With another body the answer is 422 `idempotency_key_reused`; while the first request is ' +
      'still running it is 409 `idempotency_in_progress`. After a refused request the text can be used again.',
    schema: Type.String({ minLength: 1, maxLength: 257 }),
  },
  'Svc-Dry-Run': {
    description:
      '`true` checks everything and stores nothing. The answer has the status that the write would have had, and ' +
      '`dry_run` beside `data`.',
    schema: Type.String({ enum: ['true', 'false'] }),
  },
};

/** The versions named by If-Match. Weak tags are dropped: they never match strongly (RFC 9110, 13.1.1). */
export function parseIfMatch(text: string): readonly string[] | '*' | undefined {
  if (text.trim() === '*') return '*';
  const tags = text.split(',').map((part) => /^\s*(W\/)?"([\x21\x23-\x7e]*)"\s*$/.exec(part));
  if (tags.some((tag) => tag === null)) return undefined;
  return tags.flatMap((tag) => (tag === null || tag[1] !== undefined ? [] : [tag[2] ?? '']));
}

/** The key without its quotes; undefined if the text is not a key. */
export function parseIdempotencyKey(text: string): string | undefined {
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text);
  const key = quoted === null ? text : (quoted[1] ?? '').replaceAll(/\\(.)/g, '$1');
  return /^[\x20-\x7e]{1,255}$/.test(key) && (quoted !== null || !text.startsWith('"')) ? key : undefined;
}

export function invalidHeader(parameter: string, detail: string): Fault {
  return { parameter, reason: 'invalid_header', detail };
}
