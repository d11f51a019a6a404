// The checks that every operation shares, from its own declaration: only declared parameters, each once, no body where
// none is taken, and an answer that the client accepts. All faults of the query come together.
import type { IncomingMessage } from 'node:http';
import { nearest } from '../base/nearest.ts';
import { type Fault, Problem, problemOf } from '../base/problem.ts';
import type { Operation } from '../operations/operation.ts';

/** The query's parameters by name; throws one Problem for all that is wrong with them. */
export function parseQuery(operation: Operation, search: string): ReadonlyMap<string, string> {
  const declared = Object.keys(operation.query ?? {});
  const query = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (!declared.includes(name)) faults.push(unknownParameter(name, declared));
    else if (query.has(name)) faults.push(repeatedParameter(name));
    else query.set(name, value);
  }
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  return query;
}

function unknownParameter(name: string, declared: readonly string[]): Fault {
  const near = nearest(name, declared);
  const parameter = name.slice(0, 64);
  return {
    parameter,
    reason: 'unknown_parameter',
    detail: `This operation has no query parameter ${JSON.stringify(parameter)}.`,
    ...(near === undefined ? { allowed: declared } : { nearest: near }),
  };
}

function repeatedParameter(name: string): Fault {
  return { parameter: name, reason: 'repeated_parameter', detail: `The query parameter "${name}" stands here twice.` };
}

/** Refuses a body where the operation takes none: it would be ignored, and nothing is ignored here. */
export function refuseBody({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined) return;
  throw new Problem('invalid_request', 'body_not_taken', 'This operation takes no body. Leave it out.', {
    headers: { Connection: 'close' },
  });
}

/** Answers are JSON; a client that accepts no JSON gets none (RFC 9110, 12.5.1). */
export function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '*/*' || acceptsJson(accept)) return;
  throw new Problem(
    'not_acceptable',
    undefined,
    'Answers are application/json, which the Accept header leaves out. Send "Accept: application/json".',
  );
}

/** The ranges that cover JSON. The most specific one that the client names decides, whatever the others say. */
const jsonRanges = ['application/json', 'application/*', '*/*'];

function acceptsJson(accept: string): boolean {
  const named = new Map<string, boolean>();
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    named.set(range, !parameters.some((each) => /^q=0(\.0{0,3})?$/.test(each)));
  }
  const deciding = jsonRanges.find((range) => named.has(range));
  return deciding !== undefined && named.get(deciding) === true;
}
