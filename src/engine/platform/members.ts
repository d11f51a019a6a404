// The rules of members. Deactivating one suspends its keys, deleting one revokes them, and both end its sessions; the last
// administrator stays.
import type { Power } from '../../access/cover.ts';
import { Problem } from '../../base/problem.ts';
import { administrator, platformLinks, platformTypes } from '../../schema/roles/platform.ts';
import { findKeysOf, findMembersWith } from '../../store/org/members.ts';
import type { RecordRef } from '../../store/record-ref.ts';
import type { Draft, Properties } from '../unit/draft.ts';
import { type LinkEffect, madeBy, removedBy } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import { revokeKey } from './access-keys.ts';
import { Administration, changedNames } from './administration.ts';
import type { Guard } from './guard.ts';
import { powerOf, refuseExcess } from './power.ts';
import { roleOf } from './roles.ts';

export const memberGuard: Guard = {
  create: async (unit, { draft, links }) => {
    const roleId = links.find(({ pair }) => pair.id === platformLinks.memberToRole)?.targetId;
    const role = await roleOf(unit, roleId);
    refuseExcess(unit, powersOf(role));
    if (draft.properties['svc_active'] === undefined) draft.properties = { ...draft.properties, svc_active: true };
    return () => unit.book(Administration).note({ action: 'member.created', about: draft });
  },
  change: async (unit, { draft, next: wanted, effects }) => {
    const next = activeByDefault(wanted);
    const before = draft.properties;
    const role = await currentRole(unit, draft);
    const later = isAboutRole(effects) ? await roleOf(unit, newRoleId(effects)) : role;
    const wasActive = before['svc_active'] === true;
    const isActive = next['svc_active'] === true;
    const keys = wasActive === isActive ? [] : await keysOf(unit, draft);
    refuseExcess(unit, [...powersOf(role), ...powersOf(later), ...keys.map(({ properties }) => powerOf(properties))]);
    if (wasActive && isAdministrator(role) && !(isActive && isAdministrator(later))) await refuseLast(unit, draft);
    const detail = [changedNames(before, next), ...(isAboutRole(effects) ? ['svc_member_to_role'] : [])];
    const text = detail.filter((part) => part !== '').join(', ');
    return {
      next,
      follow: () => {
        const book = unit.book(Administration);
        book.note({ action: 'member.changed', about: draft, detail: text });
        if (wasActive && !isActive) book.closeSessions(draft);
        else if (isAboutRole(effects)) book.withdrawLinks([draft.id]);
      },
    };
  },
  remove: async (unit, draft) => {
    const role = await currentRole(unit, draft);
    const keys = await keysOf(unit, draft);
    refuseExcess(unit, [...powersOf(role), ...keys.map(({ properties }) => powerOf(properties))]);
    if (draft.properties['svc_active'] === true && isAdministrator(role)) await refuseLast(unit, draft);
    return () => {
      const book = unit.book(Administration);
      book.note({ action: 'member.deleted', about: draft });
      book.forgetMember(draft);
      for (const key of keys) revokeKey(unit, key, draft.id);
    };
  },
  restore: async (unit, draft) => {
    refuseExcess(unit, powersOf(await currentRole(unit, draft)));
    return () => unit.book(Administration).note({ action: 'member.changed', about: draft, detail: 'restored' });
  },
};

/** A member is active or not: without a value it is active. */
function activeByDefault(next: Properties): Properties {
  return next['svc_active'] === undefined ? { ...next, svc_active: true } : next;
}

function powersOf(role: Draft | undefined): readonly Power[] {
  return role === undefined ? [] : [powerOf(role.properties)];
}

async function currentRole(unit: Unit, { id }: Draft): Promise<Draft | undefined> {
  const link = await unit.links.target({ sourceId: id, associationTypeId: platformLinks.memberToRole });
  return roleOf(unit, link?.targetId);
}

function isAboutRole(effects: readonly LinkEffect[]): boolean {
  return effects.some((effect) => {
    const { pair } = madeBy(effect) ?? removedBy(effect) ?? {};
    return pair?.id === platformLinks.memberToRole;
  });
}

function newRoleId(effects: readonly LinkEffect[]): string | undefined {
  return effects.flatMap((effect) => madeBy(effect) ?? []).find(({ pair }) => pair.id === platformLinks.memberToRole)
    ?.targetId;
}

function isAdministrator(role: Draft | undefined): boolean {
  return role?.properties['svc_name'] === administrator;
}

/** The live keys of the member, locked. */
async function keysOf(unit: Unit, { id }: Draft): Promise<readonly Draft[]> {
  await unit.flush();
  const ids = await findKeysOf(unit.transaction, unit.call.session.caller.orgId, id);
  const drafts: Draft[] = [];
  let refs: readonly RecordRef[] = ids.map((keyId) => ({ typeId: platformTypes.accessKey, id: keyId }));
  // Ends, because each step locks some of them.
  while (refs.length > 0) {
    const step = await unit.records.lockForService(refs);
    drafts.push(...step.drafts);
    refs = step.later;
  }
  return drafts;
}

/** Somebody must be able to administer the org. The org is locked, so nobody else is changing its members. */
async function refuseLast(unit: Unit, { id }: Draft): Promise<void> {
  await unit.flush();
  const { orgId } = unit.call.session.caller;
  const link = await unit.links.target({ sourceId: id, associationTypeId: platformLinks.memberToRole });
  const others = link === undefined ? [] : await findMembersWith(unit.transaction, orgId, link.targetId);
  if (others.some((other) => other.active && other.id !== id)) return;
  const detail = `This is the last active member with the role ${administrator}. Give the role to another member first.`;
  throw new Problem('conflict', 'last_administrator', detail);
}
