// Who a person is whom an OpenID provider has identified. The first time, a verified email address finds the member, and binds
// issuer and subject to it; afterwards only those count. Provisioning creates a member whose address has one of the org's
// domains, and never brings back somebody who was deactivated or deleted.
import { emailDigest } from '../../access/secret-text.ts';
import { email as emailType } from '../../schema/fields/email.ts';
import { administrator, platformTypes } from '../../schema/roles/platform.ts';
import { listRoles } from '../../store/org/members.ts';
import { holdOrg } from '../../store/org/orgs.ts';
import { findMember, type SignInMember, wasMember } from '../../store/sign-in/members.ts';
import { bindSubject, findProvider, findSubject, type Provider } from '../../store/sign-in/providers.ts';
import { systemCall } from '../process/call.ts';
import type { KnownOrg } from '../process/directory.ts';
import { createRecord } from '../rules/write.ts';
import { transact } from '../unit/transact.ts';
import type { SignInEngine } from './open-sign-in.ts';
import { type Opened, type OpenSession, openSession } from './sessions.ts';
import { admitted, findByEmail, knownOrg, signInRefused, type Visitor } from './visitor.ts';

/** What is needed to speak with a provider. */
export type ProviderFacts = Pick<Provider, 'issuer' | 'clientId' | 'clientSecret'>;

/** What a sign-in that has begun must bring back. */
export interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Speaks with the providers of orgs, for as long as the process serves. */
export interface Providers {
  /** Where to send the person, and what they must come back with. */
  begin(
    orgId: number,
    provider: ProviderFacts,
    redirectUri: string,
  ): Promise<{ readonly to: URL; readonly begun: Begun }>;
  /** Whom the provider has identified. `came` is the address at which the person came back. */
  finish(orgId: number, provider: ProviderFacts, begun: Begun, came: URL): Promise<Identity>;
}

/** What the provider says of a person, as its signature proves. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
}

/** The provider of an org; undefined if it has none. */
export function providerOf(engine: SignInEngine, orgId: number): Promise<Provider | undefined> {
  return findProvider(engine.database, orgId);
}

export async function signInByOidc(
  engine: SignInEngine,
  orgId: number,
  identity: Identity,
  visitor: Visitor,
  before: OpenSession | undefined,
): Promise<Opened> {
  const known = await knownOrg(engine, orgId);
  const provider = known && (await findProvider(engine.database, orgId));
  if (known === undefined || provider === undefined || !isSameIssuer(provider.issuer, identity.issuer)) {
    engine.refusals.note({ orgId, memberId: undefined, detail: 'oidc', address: visitor.address });
    throw refused();
  }
  const found = await memberOf(engine, known, provider, identity);
  const member = admitted(found);
  if (member === undefined) {
    engine.refusals.note({ orgId, memberId: found?.memberId, detail: 'oidc', address: visitor.address });
    throw refused();
  }
  return openSession(engine, { known, member, way: 'oidc', refusal: refused, visitor, before, also: async () => {} });
}

/** With or without a slash at the end. */
function isSameIssuer(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href;
}

function refused() {
  return signInRefused(
    'Nobody in this org has this account. Ask an administrator to add you with the same email address.',
  );
}

async function memberOf(
  engine: SignInEngine,
  known: KnownOrg,
  provider: Provider,
  identity: Identity,
): Promise<SignInMember | undefined> {
  const { orgId } = known.org;
  const boundTo = await findSubject(engine.database, orgId, identity);
  if (boundTo !== undefined) return findMember(engine.database, orgId, boundTo);
  const { email, isEmailVerified } = identity;
  if (email === undefined || !isEmailVerified || emailType.check(email, []) !== undefined) return undefined;
  const person = { ...identity, email };
  return (await knownMember(engine, known, person)) ?? provision(engine, known, provider, person);
}

/** The member with the address; undefined if there is none, or if it belongs to another subject. */
async function knownMember(
  engine: SignInEngine,
  known: KnownOrg,
  identity: Identity & { readonly email: string },
): Promise<SignInMember | undefined> {
  const { orgId } = known.org;
  return engine.database.transaction(async (transaction) => {
    // Nobody gets or loses an address at this moment.
    await holdOrg(transaction, orgId);
    const member = await findByEmail(transaction, known, identity.email);
    if (member === undefined || admitted(member) === undefined) return member;
    const isBound = await bindSubject(transaction, orgId, identity, member.memberId);
    return isBound || (await findSubject(transaction, orgId, identity)) === member.memberId ? member : undefined;
  });
}

/** Undefined if the org does not want it, or did not want this person any more. */
async function provision(
  engine: SignInEngine,
  known: KnownOrg,
  { provisionRoleId, emailDomains }: Provider,
  identity: Identity & { readonly email: string },
): Promise<SignInMember | undefined> {
  const { orgId } = known.org;
  const { email, name } = identity;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (provisionRoleId === null || !emailDomains.includes(domain)) return undefined;
  const role = (await listRoles(engine.database, orgId)).find((each) => each.roleId === provisionRoleId);
  if (role === undefined || role.name === administrator) return undefined;
  const type = known.typesById.get(platformTypes.member);
  const [pair] = type === undefined ? [] : known.catalog.pairsFrom(type.name, 'svc_member_to_role');
  if (type === undefined || pair === undefined) return undefined;
  const created = await transact(systemCall(engine, known), async (unit) => {
    await unit.govern();
    // Looked at under the lock of the org's administration: nobody is being created or deleted at this moment.
    const taken = await findByEmail(unit.transaction, known, email);
    if (taken !== undefined) return 'taken';
    if (await wasMember(unit.transaction, orgId, emailDigest(email))) return undefined;
    const values = new Map([
      // Not the address, which is hidden from most.
      ['svc_name', shortName(name) ?? 'New member'],
      ['svc_email', email],
    ]);
    const draft = await createRecord(unit, type, values, [{ pair, targetId: role.roleId }], '');
    await unit.flush();
    if (!(await bindSubject(unit.transaction, orgId, identity, draft.id))) throw refused();
    return { memberId: draft.id };
  });
  // The same person has just come in another tab.
  if (created === 'taken') return knownMember(engine, known, { ...identity, email });
  return created && findMember(engine.database, orgId, created.memberId);
}

/** A name of a provider can be of any length, and have any characters. */
function shortName(name: string | undefined): string | undefined {
  const plain = name?.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim() ?? '';
  return plain === '' ? undefined : Array.from(plain).slice(0, 200).join('').trim();
}
