// The members that the bodies of query and aggregate share: the selection, the limit and the cursor. The bodies are parsed
// even if they do not match their schemas, so that all faults are reported together.
import { describe } from '../../../client/import/described.ts';
import type { Call } from '../../engine/process/call.ts';
import type { FaultList, Members } from '../../query/fault-list.ts';
import { canonical, parseFilter } from '../../query/filter.ts';
import type { Selection } from '../../query/plan.ts';
import { parseSearch } from '../../query/search.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { openCursor, type Scope } from './page-cursor.ts';

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

/** The scope of a cursor: the operation and the members that decide which entries come in which order. */
export function scopeOf(operation: string, type: ObjectType, body: Members, names: readonly string[]): Scope {
  return () => [operation, type.name, ...names.map((name) => JSON.stringify(canonical(body[name])))];
}

/** The place where the previous page ended; a cursor that is not a string is reported by the shape of the body. */
export async function parseCursor<Place>(
  call: Call,
  scope: Scope,
  { cursor }: Members,
  parse: (text: string) => Place | undefined,
  faults: FaultList,
): Promise<Place | undefined> {
  const text = typeof cursor === 'string' ? cursor : undefined;
  return openCursor(call, scope, text, parse, (fault) => faults.add({ pointer: '/cursor', ...fault }));
}
