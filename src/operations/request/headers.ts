// The request headers that operations heed (contract 2), each parsed once, here. A precondition that an operation does
// not heed is refused on writes: a client that sends one relies on it.
import { Type } from 'typebox';
import type { Fault } from '../../base/problem.ts';
import type { Idempotency } from '../../engine/unit/transact.ts';
import type { Parameter } from './parameter.ts';

export type RequestHeader = 'If-Match' | 'If-None-Match' | 'Idempotency-Key' | 'Svc-Dry-Run';

/** What the headers of a request ask for. */
export interface Conditions {
  /** The versions of which the record must have one. Without the header, undefined. */
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
      'The ETag that the record must have, in its quotes, or a list of them, or `*`. Otherwise nothing is written, and it ' +
      'is 412 `version_mismatch`.',
    schema: Type.String(),
  },
  'If-None-Match': {
    description: '`*` creates and never updates: a record that matches is 412 `already_exists`.',
    schema: Type.String({ const: '*' }),
  },
  'Idempotency-Key': {
    description:
      'A text of 1 to 255 characters, quoted or not, that names this request. Sent again within 24 hours by the same ' +
      'key, to the same path and query and with the same body, it gets the stored answer, with `Svc-Idempotent-Replay`. ' +
      'With another body it is 422 `idempotency_key_reused`, while the first is still under way 409 ' +
      '`idempotency_in_progress`. A request that was refused leaves the text free.',
    schema: Type.String({ minLength: 1, maxLength: 257 }),
  },
  'Svc-Dry-Run': {
    description:
      '`true` checks everything and stores nothing: the answer has the status that the write would have had, and `dry_run` ' +
      'beside `data`.',
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

/** The key without its quotes; undefined when it is none. */
export function parseIdempotencyKey(text: string): string | undefined {
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text);
  const key = quoted === null ? text : (quoted[1] ?? '').replaceAll(/\\(.)/g, '$1');
  return /^[\x20-\x7e]{1,255}$/.test(key) && (quoted !== null || !text.startsWith('"')) ? key : undefined;
}

export function invalidHeader(parameter: string, detail: string): Fault {
  return { parameter, reason: 'invalid_header', detail };
}
