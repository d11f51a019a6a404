// The ends of all links that are named with a record, found together; what is absent is told together.
import { type Fault, Problem, problemOf } from '../../base/problem.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Unit } from '../unit/unit.ts';
import { resolveLink } from './link.ts';
import type { LinkRequest, ResolvedLink } from './link-effect.ts';
import { loadLinks } from './preload.ts';

/** Finds the ends of the links that a body names. A type that has one target takes one. */
export async function resolveLinks(
  unit: Unit,
  type: ObjectType,
  links: readonly LinkRequest[],
  at: string,
): Promise<readonly ResolvedLink[]> {
  if (links.length === 0) return [];
  await loadLinks(unit, [{ type, links }]);
  const resolved: ResolvedLink[] = [];
  const faults: Fault[] = [];
  const refusals: Problem[] = [];
  for (const [index, link] of links.entries()) {
    const pointer = `${at}/associations/${index}`;
    const pointers = { type: `${pointer}/association_type`, target: `${pointer}/target_id` };
    const found = await resolveLink(unit, type, link, pointers).catch(absentIn(refusals));
    if (found === undefined) continue;
    const rival = resolved.find(({ pair }) => pair.id === found.pair.id && pair.cardinality === 'many_to_one');
    if (rival !== undefined && rival.targetId !== found.targetId) {
      const detail = `${found.pair.name} takes one target, and two are given.`;
      faults.push({ pointer, reason: 'invalid_member', detail });
    }
    resolved.push(found);
  }
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  const [first] = refusals;
  if (first === undefined) return resolved;
  const errors = refusals.flatMap((refusal) => refusal.errors ?? []);
  throw new Problem(first.code, first.reason, first.message, { errors });
}

/** Gathers what is absent, so that all of it is told together; anything else is thrown on. */
function absentIn(refusals: Problem[]) {
  return (error: unknown): undefined => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    refusals.push(error);
  };
}
