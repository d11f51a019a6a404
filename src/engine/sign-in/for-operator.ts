// What the operator does about signing in: links for members, and the OpenID provider of an org.
import { Failure } from '../../base/failure.ts';
import { administrator, platformTypes } from '../../schema/roles/platform.ts';
import type { Transaction } from '../../store/database.ts';
import { findMembersWith, listRoles } from '../../store/org/members.ts';
import type { SignInMember } from '../../store/sign-in/members.ts';
import {
  findProvider,
  type Provider,
  putProvider,
  removeProvider,
  unbindSubjects,
} from '../../store/sign-in/providers.ts';
import { requireKnown, typeNumbered } from '../admin/require-type.ts';
import { Administration } from '../platform/administration.ts';
import { type CommandEngine, systemCall } from '../process/call.ts';
import { commit } from '../unit/transact.ts';
import { type MadeLink, makeLink } from './links.ts';
import { admitted, findByEmail } from './visitor.ts';

interface LinkRequest {
  readonly orgId: number;
  readonly email: string;
  readonly kind: 'link' | 'invitation';
}

/** The link, and the member that it signs in. */
interface OperatorLink extends MadeLink {
  readonly member: SignInMember;
}

export async function linkForMember(engine: CommandEngine, request: LinkRequest): Promise<OperatorLink> {
  const { orgId, email, kind } = request;
  const member = await requireMember(engine, orgId, email);
  if (admitted(member) === undefined) {
    const why = member.active ? 'has no role' : 'is not active';
    throw new Failure('rows_refused', `The member ${member.memberId} cannot sign in: it ${why}.`, listFix(orgId));
  }
  return { ...(await noted(engine, orgId, member.memberId, kind)), member };
}

async function requireMember(engine: CommandEngine, orgId: number, email: string): Promise<SignInMember> {
  const member = await findByEmail(engine.database, await requireKnown(engine, orgId), email);
  if (member !== undefined) return member;
  const sentence = `Org ${orgId} has no member with the email address ${JSON.stringify(email)}.`;
  throw new Failure('not_found', sentence, listFix(orgId));
}

function listFix(orgId: number): string {
  return `See "orrery member list --org ${orgId}".`;
}

/** Forgets to which accounts of providers a member belongs, and returns how many there were. */
export async function unbindMember(
  engine: CommandEngine,
  orgId: number,
  email: string,
): Promise<{ readonly memberId: string; readonly accounts: number }> {
  const { memberId } = await requireMember(engine, orgId, email);
  const known = await requireKnown(engine, orgId);
  const about = { type: typeNumbered(known, platformTypes.member), id: memberId };
  return commit(
    systemCall(engine, known),
    async (unit) => {
      unit.book(Administration).note({ action: 'member.changed', about, detail: 'oidc unbound' });
      return { memberId, accounts: await unbindSubjects(unit.transaction, orgId, memberId) };
    },
    'assumed',
  );
}

/** A link for an administrator of the org, the one who is a member for longest; undefined if it has none. */
export async function linkForAdministrator(engine: CommandEngine, orgId: number): Promise<MadeLink | undefined> {
  await requireKnown(engine, orgId);
  const role = (await listRoles(engine.database, orgId)).find(({ name }) => name === administrator);
  const members = role === undefined ? [] : await findMembersWith(engine.database, orgId, role.roleId);
  const first = members
    .filter(({ active }) => active)
    .map(({ id }) => id)
    .toSorted()[0];
  return first === undefined ? undefined : noted(engine, orgId, first, 'link');
}

async function noted(
  engine: CommandEngine,
  orgId: number,
  memberId: string,
  kind: LinkRequest['kind'],
): Promise<MadeLink> {
  const known = await requireKnown(engine, orgId);
  const about = { type: typeNumbered(known, platformTypes.member), id: memberId };
  const detail = kind === 'link' ? 'one-time link' : 'invitation';
  return commit(
    systemCall(engine, known),
    async (unit) => {
      unit.book(Administration).note({ action: 'member.changed', about, detail });
      return makeLink(unit.transaction, orgId, memberId, kind);
    },
    'assumed',
  );
}

/** A provider as the operator names it: the role by its name. */
export interface NamedProvider extends Omit<Provider, 'provisionRoleId'> {
  readonly provisionRole: string | null;
}

export async function setProvider(engine: CommandEngine, orgId: number, provider: NamedProvider): Promise<void> {
  const { provisionRole, ...facts } = provider;
  const provisionRoleId = provisionRole === null ? null : await roleNamed(engine, orgId, provisionRole);
  await changed(engine, orgId, 'oidc provider set', (transaction) =>
    putProvider(transaction, orgId, { ...facts, provisionRoleId }),
  );
}

/** Whether there was one. */
export async function dropProvider(engine: CommandEngine, orgId: number): Promise<boolean> {
  return changed(engine, orgId, 'oidc provider removed', (transaction) => removeProvider(transaction, orgId));
}

export async function showProvider(engine: CommandEngine, orgId: number): Promise<NamedProvider | undefined> {
  await requireKnown(engine, orgId);
  const provider = await findProvider(engine.database, orgId);
  if (provider === undefined) return undefined;
  const { provisionRoleId, ...facts } = provider;
  const roles = provisionRoleId === null ? [] : await listRoles(engine.database, orgId);
  return { ...facts, provisionRole: roles.find(({ roleId }) => roleId === provisionRoleId)?.name ?? null };
}

async function changed<T>(
  engine: CommandEngine,
  orgId: number,
  detail: string,
  change: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const known = await requireKnown(engine, orgId);
  return commit(
    systemCall(engine, known),
    async (unit) => {
      unit.book(Administration).note({ action: 'org.changed', detail });
      return change(unit.transaction);
    },
    'assumed',
  );
}

async function roleNamed(engine: CommandEngine, orgId: number, name: string): Promise<string> {
  await requireKnown(engine, orgId);
  const roles = (await listRoles(engine.database, orgId)).filter((role) => role.name !== administrator);
  const role = roles.find((each) => each.name === name);
  if (role !== undefined) return role.roleId;
  const names = roles.map((each) => each.name).join(', ');
  const sentence =
    name === administrator ? `Nobody becomes ${administrator} by signing in.` : `Org ${orgId} has no role "${name}".`;
  throw new Failure(name === administrator ? 'usage' : 'not_found', sentence, `Roles that can be given: ${names}.`);
}
