// Issues, rotates, revokes and lists keys for the command line, by the rules of their records. The secret of a key is
// returned once and never stored; its digest is.
import { parseCredentialId } from '../../access/api-key.ts';
import type { Reach } from '../../access/caller.ts';
import { type Grant, type GrantFault, grantFault, grantText } from '../../access/grant.ts';
import { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { Changes } from '../../schema/check-values.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Database } from '../../store/database.ts';
import { type ListedKey, listKeys as listKeysOf, locateKey } from '../../store/org/credentials.ts';
import { findMemberIds } from '../../store/org/members.ts';
import { listOrgs } from '../../store/org/orgs.ts';
import { takeKeyMade } from '../platform/administration.ts';
import { type CommandEngine, systemCall } from '../process/call.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import type { KnownOrg } from '../process/directory.ts';
import { changeRecord, createRecord, deleteRecord } from '../rules/write.ts';
import type { Draft } from '../unit/draft.ts';
import { transact } from '../unit/transact.ts';
import type { Unit } from '../unit/unit.ts';
import { requireOrg } from './orgs.ts';
import { requireKnown, typeNumbered } from './require-type.ts';

export interface IssuedKey {
  readonly credentialId: string;
  /** The secret: shown once and never stored. */
  readonly key: string;
}

interface KeyRequest {
  readonly orgId: number;
  readonly name: string;
  readonly userId: string | null;
  readonly reach: Reach;
  readonly grants: readonly Grant[];
  readonly expiresAt: Date | null;
}

export async function issueKey(database: Database, request: KeyRequest): Promise<IssuedKey> {
  return withCommandEngine(database, async (engine) => {
    const known = await requireKnown(engine, request.orgId);
    await checkMember(database, request);
    checkGrants(known, request);
    const type = typeNumbered(known, platformTypes.accessKey);
    return transact(systemCall(engine, known), async (unit) => {
      await unit.govern();
      const [pair] = known.catalog.pairsFrom(type.name, 'svc_access_key_to_member');
      const links = request.userId === null || pair === undefined ? [] : [{ pair, targetId: request.userId }];
      return issued(unit, await createRecord(unit, type, valuesOf(request), links, ''));
    });
  });
}

function valuesOf({ name, reach, grants, expiresAt }: KeyRequest): Changes {
  return new Map<string, Json>([
    ['svc_name', name],
    ['svc_reach', reach],
    ['svc_grants', grants.map(grantText)],
    ['svc_expires_at', expiresAt === null ? null : expiresAt.toISOString()],
  ]);
}

function issued(unit: Unit, draft: Draft): IssuedKey {
  const key = takeKeyMade(unit, draft);
  if (key === undefined) throw new TypeError('The write of a key has made no secret.');
  return { credentialId: draft.properties['svc_key_id'] as string, key };
}

/** Issues a new secret for a key; the old one works for the grace period. */
export async function rotateKey(database: Database, credentialId: string, graceSeconds: number): Promise<IssuedKey> {
  return changeKey(database, credentialId, async (unit, draft, engine) => {
    const ends = draft?.properties['svc_expires_at'] as string | undefined;
    if (draft === undefined || (ends !== undefined && Date.parse(ends) <= engine.clock.nowMs())) {
      const fix = `Create a new one with "orrery key create --org ${unit.call.session.caller.orgId}".`;
      throw new Failure('not_found', `The key ${credentialId} was revoked or has expired.`, fix);
    }
    await changeRecord(unit, draft, { ...draft.properties, svc_rotation: String(graceSeconds) }, [], '');
    return issued(unit, draft);
  });
}

/** A key that is revoked already stays so. */
export async function revokeKey(database: Database, credentialId: string): Promise<void> {
  await changeKey(database, credentialId, async (unit, draft) => {
    if (draft !== undefined) await deleteRecord(unit, draft);
  });
}

/** The keys of one org, or of all orgs one after the other: no statement spans orgs. */
export async function listKeys(database: Database, orgId: number | undefined): Promise<readonly ListedKey[]> {
  if (orgId !== undefined) {
    await requireOrg(database, orgId);
    return listKeysOf(database, orgId);
  }
  const lists: ListedKey[] = [];
  for (const org of await listOrgs(database)) lists.push(...(await listKeysOf(database, org.orgId)));
  return lists;
}

/** The draft is undefined if the key was revoked. */
async function changeKey<T>(
  database: Database,
  credentialId: string,
  change: (unit: Unit, draft: Draft | undefined, engine: CommandEngine) => Promise<T>,
): Promise<T> {
  const address = parseCredentialId(credentialId);
  const recordId = address && (await locateKey(database, address.orgId, credentialId));
  if (address === undefined || recordId === undefined) {
    throw new Failure('not_found', `There is no key with the id ${credentialId}.`, 'See "orrery key list".');
  }
  return withCommandEngine(database, async (engine) => {
    const known = await requireKnown(engine, address.orgId);
    return transact(systemCall(engine, known), async (unit) => {
      await unit.govern();
      return change(unit, await unit.records.lock(typeNumbered(known, platformTypes.accessKey), recordId), engine);
    });
  });
}

async function checkMember(database: Database, { orgId, userId, reach }: KeyRequest): Promise<void> {
  if (userId === null && reach === 'user') {
    throw new Failure('usage', 'A key with reach "user" needs a member.', 'Name one with --user, or use --reach org.');
  }
  if (userId !== null && (await findMemberIds(database, orgId, [userId])).length === 0) {
    throw new Failure(
      'not_found',
      `Org ${orgId} has no member ${userId}.`,
      `See "orrery member list --org ${orgId}", or create one with "orrery member create".`,
    );
  }
}

function checkGrants({ catalog }: KnownOrg, { orgId, grants }: KeyRequest): void {
  for (const grant of grants) {
    const fault = grantFault(grant, catalog);
    if (fault === undefined) continue;
    const { reason, detail, nearest } = fault;
    const fix = nearest === undefined ? fixes[reason](orgId) : `Did you mean "${nearest}"?`;
    throw new Failure(isUnknown(fault) ? 'not_found' : 'usage', `Org ${orgId}: ${detail}`, fix);
  }
}

function isUnknown({ reason }: GrantFault): boolean {
  return reason === 'unknown_object_type' || reason === 'unknown_property';
}

const listTypes = (orgId: number) => `"orrery types --org ${orgId}" lists all types and their properties.`;
const fixes: Readonly<Record<GrantFault['reason'], (orgId: number) => string>> = {
  unknown_object_type: listTypes,
  unknown_property: listTypes,
  required_missing: () => 'Leave out "create", or do not hide the property.',
  wrong_shape: () => 'Every key sees when a record was created and changed.',
};
