// What query and aggregate share of reading their bodies: the selection, the limit and the cursor, with all faults.
import { describe, isObject } from '../../base/json.ts';
import type { Fault } from '../../base/problem.ts';
import type { Call } from '../../engine/process/call.ts';
import { FaultList, type Members } from '../../query/fault-list.ts';
import { canonical, parseFilter } from '../../query/filter.ts';
import type { Selection } from '../../query/plan.ts';
import { parseSearch } from '../../query/search.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Input } from '../operation.ts';

/** A body that was read: its faults, or what it asks for. Neither where there is no such type. */
export interface Parsed<Request> {
  readonly faults: readonly Fault[];
  readonly request?: Request;
}

type Parse<Request> = (call: Call, type: ObjectType, body: Members, faults: FaultList) => Promise<Request>;

/** Reads each body once, for its faults and for its run. */
export function readOnce<Request>(parse: Parse<Request>): {
  readonly faults: (call: Call, input: Input) => Promise<readonly Fault[]>;
  readonly request: (call: Call, input: Input) => Promise<Request>;
} {
  const known = new WeakMap<Input, Promise<Parsed<Request>>>();
  const read = async (call: Call, { path, body }: Input): Promise<Parsed<Request>> => {
    const type = call.session.catalog.objectTypes.get(path['object_type'] ?? '');
    if (type === undefined || !isObject(body)) return { faults: [] };
    const faults = new FaultList();
    const request = await parse(call, type, body, faults);
    return faults.list.length > 0 ? { faults: faults.list } : { faults: [], request };
  };
  const once = (call: Call, input: Input) => {
    const reading = known.get(input) ?? read(call, input);
    known.set(input, reading);
    return reading;
  };
  return {
    faults: async (call, input) => (await once(call, input)).faults,
    request: async (call, input) => {
      const { request } = await once(call, input);
      if (request === undefined) throw new TypeError('A request that has faults is run.');
      return request;
    },
  };
}

export function parseSelection({ session }: Call, type: ObjectType, body: Members, faults: FaultList): Selection {
  const condition = Object.hasOwn(body, 'filter')
    ? parseFilter(session.catalog, type, body['filter'], faults)
    : undefined;
  return { type, condition, words: parseSearch(body['search'], faults) };
}

export function parseLimit(body: Members, fallback: number, most: number, faults: FaultList): number {
  const { limit } = body;
  if (limit === undefined) return fallback;
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= most) return Number(limit);
  const detail = `Expected a whole number from 1 to ${most}; got ${describe(limit)}.`;
  const reason = typeof limit === 'number' ? 'limit_out_of_range' : 'invalid_member';
  faults.add({
    pointer: '/limit',
    reason,
    detail,
    expected: { type: 'integer', minimum: 1, maximum: most },
  });
  return fallback;
}

/** What a cursor is bound to beside org and credential: everything that decides which entries come in which order. */
export function scopeOf(
  operation: string,
  type: ObjectType,
  body: Members,
  names: readonly string[],
): readonly string[] {
  return [operation, type.name, ...names.map((name) => JSON.stringify(canonical(body[name])))];
}

/** Where the page before ended; undefined without a cursor, or with a faulty one. */
export async function openCursor<Place>(
  { engine, session }: Call,
  scope: readonly string[],
  body: Members,
  parse: (text: string) => Place | undefined,
  faults: FaultList,
): Promise<Place | undefined> {
  const { cursor } = body;
  if (typeof cursor !== 'string') return undefined;
  const text = await engine.cursors.open(session, scope, cursor);
  const place = text === undefined ? undefined : parse(text);
  if (place === undefined) {
    faults.add({
      pointer: '/cursor',
      reason: 'invalid_cursor',
      detail: 'This is no cursor that this request gave to this key. Begin again without one.',
    });
  }
  return place;
}
