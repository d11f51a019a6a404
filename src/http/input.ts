// The checks that every operation shares, made from its declaration: only declared parameters, each once; a body of the
// declared shape, or none; valid headers; and an answer that the client accepts. All faults are reported together.
import type { IncomingMessage } from 'node:http';
import { shorten } from '../../client/import/described.ts';
import { bounds } from '../base/limits.ts';
import { nearest } from '../base/nearest.ts';
import { type Fault, Problem, problemOf } from '../base/problem.ts';
import type { BodyDeclaration, Input, KeyCall, KeyOperation, Operation } from '../operations/operation.ts';
import type { Body } from './body.ts';
import { parseConditions } from './conditions.ts';
import type { Route } from './routes.ts';

/** The input of an operation, with all faults that the declaration alone can find. */
export interface Parsed {
  readonly input: Input;
  readonly faults: Fault[];
}

export function parseInput(
  operation: Operation,
  request: IncomingMessage,
  route: Route,
  search: string,
  sent: Body | undefined,
): Parsed {
  const faults: Fault[] = [];
  if (operation.body === undefined) faults.push(...bodyFaults(request));
  const query = search === '' && operation.query === undefined ? noQuery : parseQuery(operation, search, faults);
  const body = sent && operation.body && parseBody(operation.body, sent, faults);
  const conditions = parseConditions(operation, request, route, search, sent?.bytes, faults);
  return { input: { path: route.path, query, body, conditions }, faults };
}

/** The request, if it has no faults. A Problem of the operation, such as for an unknown type, comes after all faults. */
export async function parseRequest<Request>(
  call: KeyCall,
  operation: KeyOperation<Request>,
  { input, faults }: Parsed,
): Promise<Request> {
  const { slice } = call;
  try {
    // After a long body, reading what it asks for takes long too, and so may what follows.
    if (slice?.isOver() === true) await slice.next();
    const request = await operation.parse(call, input, faults);
    if (slice?.isOver() === true) await slice.next();
    if (request !== undefined && faults.length === 0) return request;
  } catch (error) {
    if (faults.length === 0 || !(error instanceof Problem && error.isRefusal)) throw error;
  }
  throw problemOf('invalid_request', faults);
}

function parseBody(declared: BodyDeclaration<unknown>, sent: Body, faults: Fault[]): unknown {
  try {
    return declared.read(sent.json(), faults);
  } catch (error) {
    if (!(error instanceof Problem) || error.errors === undefined) throw error;
    faults.push(...error.errors);
    return undefined;
  }
}

const noQuery: ReadonlyMap<string, string> = new Map();

/** A body that the operation does not take is a fault, because it would be ignored silently. */
function bodyFaults({ headers }: IncomingMessage): readonly Fault[] {
  if (Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined) return [];
  return [{ pointer: '', reason: 'body_not_taken', detail: 'This operation takes no body. Leave it out.' }];
}

function parseQuery(operation: Operation, search: string, faults: Fault[]): ReadonlyMap<string, string> {
  const declared = operation.query ?? {};
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (faults.length >= bounds.http.faultyParameters) break;
    if (!Object.hasOwn(declared, name)) faults.push(unknownParameter(name, Object.keys(declared)));
    else if (query.has(name)) faults.push(repeatedParameter(name));
    else query.set(name, value);
  }
  for (const [name, parameter] of Object.entries(declared)) {
    const value = query.get(name);
    const fault = value === undefined ? undefined : parameter.check?.(value);
    if (fault !== undefined) faults.push(fault);
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
  return { parameter: name, reason: 'repeated_parameter', detail: `The query parameter "${name}" is repeated.` };
}

/** Answers are JSON, so a client that does not accept JSON is refused (RFC 9110, 12.5.1). */
export function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '' || accept === '*/*' || acceptsJson(accept)) return;
  throw new Problem(
    'not_acceptable',
    undefined,
    'Answers are application/json, which the Accept header excludes. Send "Accept: application/json".',
  );
}

/** The media ranges that include JSON, the most specific first. The first one that the client sends decides. */
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
