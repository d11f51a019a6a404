// The checks that every operation shares, from its own declaration: only declared parameters, each once, no body where
// none is taken, and an answer that the client accepts. All faults of the query come together.
import type { IncomingMessage } from 'node:http';
import { shorten } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { type Fault, Problem, problemOf } from '../base/problem.ts';
import type { Input, Operation } from '../operations/operation.ts';
import type { Route } from './routes.ts';

/** What was sent, as the operation declares it; throws one Problem for all that is wrong with it. */
export function parseInput(operation: Operation, request: IncomingMessage, route: Route, search: string): Input {
  const faults: Fault[] = [...bodyFaults(request)];
  const query = parseQuery(operation, search, faults);
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  return { path: route.path, query };
}

/** A body where the operation takes none would be ignored, and nothing is ignored here. */
function bodyFaults({ headers }: IncomingMessage): readonly Fault[] {
  if (Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined) return [];
  return [{ pointer: '', reason: 'body_not_taken', detail: 'This operation takes no body. Leave it out.' }];
}

function parseQuery(operation: Operation, search: string, faults: Fault[]): ReadonlyMap<string, string> {
  const declared = Object.keys(operation.query ?? {});
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!declared.includes(name)) faults.push(unknownParameter(name, declared));
    else if (query.has(name)) faults.push(repeatedParameter(name));
    else query.set(name, value);
  }
  return query;
}

function unknownParameter(name: string, declared: readonly string[]): Fault {
  const near = nearest(name, declared);
  const parameter = shorten(name, 64);
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

/** Answers are JSON; a client that accepts no JSON gets none (RFC 9110, 12.5.1). */
export function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '' || accept === '*/*' || acceptsJson(accept)) return;
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
