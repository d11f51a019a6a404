// The rules of roles. Administrator is built in; a role that a member has is not deleted.
import { Problem } from '../../base/problem.ts';
import { administrator, platformTypes } from '../../schema/roles/platform.ts';
import { findMembersWith } from '../../store/org/members.ts';
import type { Draft } from '../unit/draft.ts';
import type { Unit } from '../unit/unit.ts';
import { Administration, changedNames } from './administration.ts';
import type { Guard } from './guard.ts';
import { powerOf, refuseExcess, refuseWrongGrants } from './power.ts';

export const roleGuard: Guard = {
  create: async (unit, { draft, at }) => {
    refuseWrongGrants(unit, draft.properties, at);
    refuseExcess(unit, [powerOf(draft.properties)]);
    return () => unit.book(Administration).note({ action: 'role.created', about: draft });
  },
  change: async (unit, { draft, next, at }) => {
    refuseBuiltIn(draft);
    const before = draft.properties;
    if (next['svc_grants'] !== before['svc_grants']) refuseWrongGrants(unit, next, at);
    refuseExcess(unit, [powerOf(before), powerOf(next)]);
    const detail = changedNames(before, next);
    const members = await membersWith(unit, draft);
    return {
      next,
      follow: () => {
        unit.book(Administration).note({ action: 'role.changed', about: draft, detail });
        unit.book(Administration).withdrawLinks(members.map(({ id }) => id));
      },
    };
  },
  remove: async (unit, draft) => {
    refuseBuiltIn(draft);
    refuseExcess(unit, [powerOf(draft.properties)]);
    await refuseInUse(unit, draft);
    return () => unit.book(Administration).note({ action: 'role.deleted', about: draft });
  },
  restore: async (unit, draft) => {
    refuseExcess(unit, [powerOf(draft.properties)]);
    return () => unit.book(Administration).note({ action: 'role.changed', about: draft, detail: 'restored' });
  },
};

function refuseBuiltIn({ properties }: Draft): void {
  if (properties['svc_name'] !== administrator) return;
  throw new Problem('forbidden', 'built_in', `${administrator} is built in. Create another role.`);
}

async function membersWith(unit: Unit, { id }: Draft): ReturnType<typeof findMembersWith> {
  // The links that this unit has made or removed count too.
  await unit.flush();
  return findMembersWith(unit.transaction, unit.call.session.caller.orgId, id);
}

async function refuseInUse(unit: Unit, role: Draft): Promise<void> {
  const [member] = await membersWith(unit, role);
  if (member === undefined) return;
  throw new Problem('conflict', 'role_in_use', 'A member has this role. Give its members another role first.');
}

/** The values of the role that a member has, or is to have; undefined if there is none. */
export async function roleOf(unit: Unit, roleId: string | undefined): Promise<Draft | undefined> {
  const type = unit.call.session.orgTypes.get(platformTypes.role);
  return roleId === undefined || type === undefined ? undefined : unit.records.lock(type, roleId);
}
