// Nobody gives more than they have: a write of a role, a key or a member needs everything that the record holds, before the
// write and after it.
import type { Reach } from '../../access/caller.ts';
import { covers, type Power } from '../../access/cover.ts';
import { grantFault, parseGrant, readGrants } from '../../access/grant.ts';
import { bounds } from '../../base/limits.ts';
import { type Fault, Problem, problemOf } from '../../base/problem.ts';
import type { Properties } from '../unit/draft.ts';
import type { Unit } from '../unit/unit.ts';

/** What the values of a role or a key give. */
export function powerOf(properties: Properties): Power {
  return { reach: properties['svc_reach'] as Reach, grants: readGrants(textsOf(properties)) };
}

function textsOf(properties: Properties): readonly string[] {
  return (properties['svc_grants'] ?? []) as readonly string[];
}

/** Refuses grants that do not have their form, or that name what does not exist for the caller. */
export function refuseWrongGrants(unit: Unit, properties: Properties, at: string): void {
  const { catalog } = unit.call.session;
  const texts = textsOf(properties);
  const property = 'svc_grants';
  const pointer = `${at}/properties/${property}`;
  if (texts.length > bounds.cli.grantsPerKey) {
    const detail = `Expected at most ${bounds.cli.grantsPerKey} grants; got ${texts.length}. Combine types in one grant.`;
    throw problemOf('validation_failed', [{ pointer, property, reason: 'too_many_values', detail }]);
  }
  const faults = texts.flatMap((text, index): readonly Fault[] => {
    const grant = parseGrant(text);
    const place = { pointer: `${pointer}/${index}`, property };
    if ('wrong' in grant) return [{ ...place, reason: 'wrong_shape', detail: grant.wrong }];
    const fault = grantFault(grant, catalog);
    return fault === undefined ? [] : [{ ...place, ...fault }];
  });
  if (faults.length > 0) throw problemOf('validation_failed', faults);
}

/** Refuses a write of a record that holds more than the caller. */
export function refuseExcess(unit: Unit, held: readonly Power[]): void {
  const { caller, orgCatalog } = unit.call.session;
  if (held.every((power) => covers(caller, power, orgCatalog))) return;
  throw exceeds(
    'This needs every grant and the reach of what it writes, before and after. GET /rest/v1/self/ lists yours.',
  );
}

export function exceeds(detail: string): Problem {
  return new Problem('forbidden', 'grant_exceeds_caller', detail);
}
