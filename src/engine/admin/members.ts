// Creates, deactivates and lists members for the command line, by the rules of their records.
import type { Clock } from '../../base/clock.ts';
import { Failure } from '../../base/failure.ts';
import { Problem } from '../../base/problem.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import type { Database } from '../../store/database.ts';
import {
  listMembers as listMembersOf,
  listRoles as listRolesOf,
  type Member,
  type Role,
} from '../../store/org/members.ts';
import { type CommandEngine, systemCall } from '../process/call.ts';
import { withCommandEngine } from '../process/command-engine.ts';
import { createRecord, updateRecord } from '../rules/write.ts';
import { transact } from '../unit/transact.ts';
import { requireOrg } from './orgs.ts';
import { requireKnown, typeNumbered } from './require-type.ts';

interface MemberRequest {
  readonly orgId: number;
  readonly name: string;
  readonly email: string | null;
  /** The name of a role. */
  readonly role?: string | undefined;
}

/** Dated by the clock; without one, by the database's. */
export async function createMember(database: Database, request: MemberRequest, clock?: Clock): Promise<string> {
  const { orgId, name, email } = request;
  const create = async (engine: CommandEngine): Promise<string> => {
    const known = await requireKnown(engine, orgId);
    const role = request.role === undefined ? undefined : await requireRole(database, orgId, request.role);
    const type = typeNumbered(known, platformTypes.member);
    const [pair] = known.catalog.pairsFrom(type.name, 'svc_member_to_role');
    const links = role === undefined || pair === undefined ? [] : [{ pair, targetId: role.roleId }];
    const values = new Map([['svc_name', name], ...(email === null ? [] : [['svc_email', email] as const])]);
    try {
      const draft = await transact(systemCall(engine, known), async (unit) => {
        await unit.govern();
        return createRecord(unit, type, values, links, '');
      });
      return draft.id;
    } catch (error) {
      throw emailTaken(error, orgId, email);
    }
  };
  return withCommandEngine(database, create, clock);
}

function emailTaken(error: unknown, orgId: number, email: string | null): unknown {
  if (!(error instanceof Problem) || error.reason !== 'unique_value_taken') return error;
  const sentence = `Another member of org ${orgId} has the email address ${email}.`;
  return new Failure('rows_refused', sentence, `See "orrery member list --org ${orgId}".`, error);
}

/** Suspends the keys of a member; returns false if it was not active. */
export async function deactivateMember(database: Database, orgId: number, memberId: string): Promise<boolean> {
  return withCommandEngine(database, async (engine) => {
    const known = await requireKnown(engine, orgId);
    return transact(systemCall(engine, known), async (unit) => {
      await unit.govern();
      const draft = await unit.records.lock(typeNumbered(known, platformTypes.member), memberId);
      if (draft === undefined) throw noMember(orgId, memberId);
      const before = draft.version;
      await updateRecord(unit, draft, new Map([['svc_active', false]]), [], '').catch((error: unknown) => {
        throw error instanceof Problem && error.reason === 'last_administrator'
          ? new Failure('rows_refused', error.message, 'See "orrery member list".', error)
          : error;
      });
      return draft.version > before;
    });
  });
}

function noMember(orgId: number, memberId: string): Failure {
  const fix = `See "orrery member list --org ${orgId}".`;
  return new Failure('not_found', `Org ${orgId} has no member ${memberId}.`, fix);
}

export async function listMembers(database: Database, orgId: number): Promise<readonly Member[]> {
  await requireOrg(database, orgId);
  return listMembersOf(database, orgId);
}

export async function listRoles(database: Database, orgId: number): Promise<readonly Role[]> {
  await requireOrg(database, orgId);
  return listRolesOf(database, orgId);
}

async function requireRole(database: Database, orgId: number, name: string): Promise<Role> {
  const roles = await listRoles(database, orgId);
  const role = roles.find((each) => each.name === name);
  if (role !== undefined) return role;
  const names = roles.map((each) => each.name).join(', ');
  throw new Failure('not_found', `Org ${orgId} has no role "${name}".`, `Its roles are ${names}.`);
}
