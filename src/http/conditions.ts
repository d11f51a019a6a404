// The conditions in the headers of a request, for the operations that support them. On a write, a precondition that the
// operation does not support is a fault: ignoring it would write something that the client did not want.
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Fault } from '../base/problem.ts';
import type { Operation } from '../operations/operation.ts';
import {
  type Conditions,
  invalidHeader,
  noConditions,
  parseIdempotencyKey,
  parseIfMatch,
  type RequestHeader,
} from '../operations/request/headers.ts';
import type { Route } from './routes.ts';

export function parseConditions(
  operation: Operation,
  request: IncomingMessage,
  route: Route,
  search: string,
  bytes: Buffer | undefined,
  faults: Fault[],
): Conditions {
  if (operation.method === 'GET') return noConditions;
  const read = (name: RequestHeader) => readHeader(operation, request, name, faults);
  const ifMatch = read('If-Match');
  const ifNoneMatch = read('If-None-Match');
  const key = read('Idempotency-Key');
  const dryRun = read('Svc-Dry-Run');
  if (ifMatch === undefined && ifNoneMatch === undefined && key === undefined && dryRun === undefined) {
    return noConditions;
  }
  const versions = ifMatch === undefined ? undefined : parseIfMatch(ifMatch);
  if (ifMatch !== undefined && versions === undefined) {
    faults.push(invalidHeader('If-Match', 'Expected an ETag in quotes such as "3", a list of ETags, or *.'));
  }
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    faults.push(
      invalidHeader('If-None-Match', 'Expected *, which means "create, never update"; no other value is supported.'),
    );
  }
  const idempotencyKey = key === undefined ? undefined : parseIdempotencyKey(key);
  if (key !== undefined && idempotencyKey === undefined) {
    faults.push(
      invalidHeader('Idempotency-Key', 'Expected 1 to 255 printable ASCII characters, with or without quotes.'),
    );
  }
  if (dryRun !== undefined && dryRun !== 'true' && dryRun !== 'false') {
    faults.push(invalidHeader('Svc-Dry-Run', 'Expected true or false.'));
  }
  return {
    ifMatch: versions,
    createOnly: ifNoneMatch !== undefined,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : { key: idempotencyKey, target: targetOf(operation, route, search), bodyDigest: digest(bytes ?? '') },
    dryRun: dryRun === 'true',
  };
}

/** The value of a header that the operation supports. Two values for one header would be ambiguous. */
function readHeader(
  operation: Operation,
  request: IncomingMessage,
  name: RequestHeader,
  faults: Fault[],
): string | undefined {
  const text = request.headers[name.toLowerCase()];
  if (typeof text !== 'string') return undefined;
  if (operation.headers?.includes(name) !== true) {
    // Operations without it are idempotent anyway, and many clients send this header with every request.
    if (name !== 'Idempotency-Key') {
      faults.push(invalidHeader(name, `This operation does not support ${name}. Leave the header out.`));
    }
    return undefined;
  }
  const sent = request.rawHeaders.filter((raw, index) => index % 2 === 0 && raw.toLowerCase() === name.toLowerCase());
  if (sent.length > 1)
    faults.push(invalidHeader(name, `The header ${name} is sent ${sent.length} times. Send it once.`));
  return text;
}

/** Operation, path and query in a fixed length. A trailing slash makes no difference. */
function targetOf(operation: Operation, { path }: Route, search: string): Buffer {
  return digest(JSON.stringify([operation.id, path, search]));
}

function digest(data: string | Buffer): Buffer {
  return hash('sha256', data, 'buffer');
}
