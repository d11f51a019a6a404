// The rules of keys. The secret of a key is made here, and given to the answer alone; what is stored is its digest.
import { newCredentialId, newKey } from '../../access/api-key.ts';
import { principalId } from '../../access/caller.ts';
import { digestOf } from '../../access/secret-text.ts';
import { isoText } from '../../base/clock.ts';
import { Problem, problemOf } from '../../base/problem.ts';
import { platformLinks } from '../../schema/roles/platform.ts';
import type { Draft, Properties } from '../unit/draft.ts';
import { trashDraft } from '../unit/trash-draft.ts';
import type { Unit } from '../unit/unit.ts';
import { Administration, changedNames } from './administration.ts';
import type { Guard } from './guard.ts';
import { exceeds, powerOf, refuseExcess, refuseWrongGrants } from './power.ts';

/** How long the former secret of a rotated key still works, in seconds. */
const graces: Readonly<Record<string, number>> = { now: 0, '1h': 3_600, '24h': 86_400, '7d': 604_800 };

/** The command line can ask for any number of seconds; requests have the options of the property. */
function graceOf(rotation: string): number {
  return graces[rotation] ?? Number(rotation);
}

export const accessKeyGuard: Guard = {
  create: async (unit, { draft, links, at }) => {
    const { caller } = unit.call.session;
    const { svc_rotation: _, ...sent } = draft.properties;
    const credentialId = newCredentialId(caller.orgId);
    draft.properties = {
      svc_reach: 'org',
      ...sent,
      svc_key_id: credentialId,
      svc_made_by: principalId(caller),
    };
    const memberId = links.find(({ pair }) => pair.id === platformLinks.keyToMember)?.targetId;
    refuseWrongGrants(unit, draft.properties, at);
    if (draft.properties['svc_reach'] === 'user' && memberId === undefined) throw memberMissing(`${at}/associations`);
    refuseExcess(unit, [powerOf(draft.properties)]);
    refuseOthers(unit, memberId);
    refuseLonger(unit, draft.properties);
    return () => {
      draft.orgVisible = false;
      if (memberId !== undefined) unit.users.link({ typeId: draft.type.id, id: draft.id, userId: memberId });
      makeSecret(unit, draft.id, credentialId, undefined);
      unit.book(Administration).note({ action: 'access_key.created', about: draft });
    };
  },
  change: async (unit, { draft, next: wanted, at }) => {
    const before = draft.properties;
    const { svc_rotation: rotation, ...rest } = wanted;
    const next: Properties = { svc_reach: 'org', ...rest, ...rotatedAt(unit, rotation as string | undefined) };
    if (next['svc_grants'] !== before['svc_grants']) {
      refuseWrongGrants(unit, next, at);
    }
    await refuseUnlinked(unit, draft, next, at);
    refuseOwn(unit, before, next);
    refuseExcess(unit, [powerOf(before), powerOf(next)]);
    const hasOtherRights = ['svc_expires_at', 'svc_grants', 'svc_reach'].some((name) => isOther(before, next, name));
    if (rotation !== undefined || hasOtherRights) refuseLonger(unit, next);
    const detail = changedNames(unrotated(before), unrotated(next));
    return {
      next,
      follow: () => {
        const book = unit.book(Administration);
        if (rotation !== undefined) {
          makeSecret(unit, draft.id, before['svc_key_id'] as string, graceOf(rotation as string));
          book.note({ action: 'access_key.rotated', about: draft });
        }
        if (hasOtherRights) book.withdrawLinksOfKey(before['svc_key_id'] as string);
        if (detail !== '') book.note({ action: 'access_key.changed', about: draft, detail });
      },
    };
  },
  remove: async (unit, draft) => {
    refuseExcess(unit, [powerOf(draft.properties)]);
    return () => noteRevoked(unit, draft);
  },
  restore: async () => {
    throw new Problem('conflict', 'key_revoked', 'A key that was deleted is revoked for good. Create a new one.');
  },
};

/** Revokes a key because its member is deleted. */
export function revokeKey(unit: Unit, draft: Draft, memberId: string): void {
  trashDraft(unit, draft, [memberId]);
  noteRevoked(unit, draft);
}

function noteRevoked(unit: Unit, draft: Draft): void {
  const book = unit.book(Administration);
  book.closeKey(draft.properties['svc_key_id'] as string);
  book.note({ action: 'access_key.revoked', about: draft });
}

function makeSecret(unit: Unit, recordId: string, credentialId: string, graceSeconds: number | undefined): void {
  const text = newKey(credentialId);
  unit.book(Administration).makeSecret({ recordId, credentialId, text, digest: digestOf(text), graceSeconds });
}

function rotatedAt(unit: Unit, rotation: string | undefined): Properties {
  return rotation === undefined ? {} : { svc_rotated_at: isoText(unit.nowMs()) };
}

function unrotated({ svc_rotated_at: _, ...others }: Properties): Properties {
  return others;
}

function memberMissing(pointer: string): Problem {
  const detail = 'A key of reach "user" acts for a member. Link it with svc_access_key_to_member when it is created.';
  return problemOf('validation_failed', [{ pointer, reason: 'required_missing', detail }]);
}

async function refuseUnlinked(unit: Unit, { id }: Draft, next: Properties, at: string): Promise<void> {
  if (next['svc_reach'] !== 'user') return;
  const link = await unit.links.target({ sourceId: id, associationTypeId: platformLinks.keyToMember });
  if (link === undefined) throw memberMissing(`${at}/properties/svc_reach`);
}

/** A credential that acts for a member within that member's reach makes keys for nobody else. */
function refuseOthers(unit: Unit, memberId: string | undefined): void {
  const { reach, userId } = unit.call.session.caller;
  if (reach === 'org' || memberId === userId) return;
  throw exceeds('A credential of reach "user" can create keys only for its own member.');
}

function refuseOwn(unit: Unit, before: Properties, next: Properties): void {
  if (unit.call.session.caller.credentialId !== before['svc_key_id']) return;
  const own = ['svc_grants', 'svc_reach', 'svc_expires_at'].find((name) => isOther(before, next, name));
  if (own !== undefined) throw exceeds(`A key cannot change its own ${own}. Use another credential.`);
}

function isOther(before: Properties, next: Properties, name: string): boolean {
  return JSON.stringify(before[name]) !== JSON.stringify(next[name]);
}

/** A credential that ends gives nothing that lasts longer. */
function refuseLonger(unit: Unit, properties: Properties): void {
  const { expiresAt } = unit.call.session.caller;
  if (expiresAt === null) return;
  const ends = properties['svc_expires_at'] as string | undefined;
  if (ends !== undefined && Date.parse(ends) <= expiresAt.getTime()) return;
  throw exceeds(`Your credential expires at ${expiresAt.toISOString()}, and the key would last longer.`);
}
