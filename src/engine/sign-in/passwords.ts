// Signing in with a password, and changing it. A wrong email address and a wrong password are answered alike and take the same
// time; after ten failures of an account or an address, further tries have to wait.
import { digestOf, sameDigest } from '../../access/secret-text.ts';
import { bounds } from '../../base/limits.ts';
import { Problem, problemOf } from '../../base/problem.ts';
import { countTry, findPassword, forgiveTry, type StoredPassword } from '../../store/sign-in/passwords.ts';
import { findLiveSession } from '../../store/sign-in/sessions.ts';
import { networkOf } from '../shares/network.ts';
import { commit } from '../unit/transact.ts';
import { newPassword, newSalt } from './digests.ts';
import { setPassword } from './links.ts';
import type { SignInEngine } from './open-sign-in.ts';
import { type Opened, type OpenSession, openSession } from './sessions.ts';
import { admitted, findByEmail, knownOrg, memberCall, signInRefused, type Visitor } from './visitor.ts';

interface Typed {
  readonly orgId: number;
  readonly email: string;
  readonly password: string;
}

/** What nobody has as a password, compared with whatever is typed for an account without one. */
const nobody = { ...newSalt(), digest: Buffer.alloc(32) };

export async function signInByPassword(
  engine: SignInEngine,
  typed: Typed,
  visitor: Visitor,
  before: OpenSession | undefined,
): Promise<Opened> {
  const { orgId, email, password } = typed;
  const network = networkBehind(visitor);
  return engine.digests.withPlace(network, async (digest) => {
    const known = await knownOrg(engine, orgId);
    const account = subjectOf('account', email.toLowerCase());
    const others = network === undefined ? [] : [subjectOf('address', network)];
    if (known === undefined) refuseInvented(engine, subjectOf('account', `${orgId} ${email.toLowerCase()}`), others);
    else await refuseHasty(engine, orgId, [account, ...others], visitor);
    const member = known && (await findByEmail(engine.database, known, email));
    const stored = member && (await findPassword(engine.database, orgId, member.memberId));
    const expected = stored ?? { ...nobody, cost: bounds.signIn.scryptCost };
    const isRight = sameDigest(await digest(password, expected), expected.digest) && stored !== undefined;
    const allowed = isRight ? admitted(member) : undefined;
    if (known === undefined || allowed === undefined) {
      engine.refusals.note({ orgId, memberId: member?.memberId, detail: 'password', address: visitor.address });
      throw wrongPassword();
    }
    return openSession(engine, {
      known,
      member: allowed,
      way: 'password',
      refusal: wrongPassword,
      visitor,
      before,
      also: async (unit) => {
        const now = await findPassword(unit.transaction, orgId, allowed.memberId);
        if (now === undefined || !sameDigest(now.digest, expected.digest)) throw wrongPassword();
        await forgiveTry(unit.transaction, orgId, account, others);
      },
    });
  });
}

/** Undefined behind a proxy, where everybody has the same address. */
function networkBehind({ isBehindProxy, address }: Visitor): string | undefined {
  return isBehindProxy ? undefined : networkOf(address);
}

function wrongPassword(): Problem {
  return signInRefused('This email address and this password do not belong together. Try again, or ask for a link.');
}

/** Accounts that do not exist are counted like others: otherwise the answer would tell which do. */
async function refuseHasty(
  engine: SignInEngine,
  orgId: number,
  subjects: readonly string[],
  { address }: Visitor,
): Promise<void> {
  const seconds = await engine.database.transaction((transaction) => countTry(transaction, orgId, subjects));
  if (seconds === 0) return;
  engine.refusals.note({ orgId, memberId: undefined, detail: 'too many failures', address });
  throw tooManyFailures(seconds);
}

/** The addresses are counted for all orgs that do not exist together: there are as many as anybody likes. */
function refuseInvented(engine: SignInEngine, account: string, others: readonly string[]): void {
  const seconds = engine.inventedOrgs.countTry([account, ...others]);
  if (seconds > 0) throw tooManyFailures(seconds);
}

function tooManyFailures(seconds: number): Problem {
  const detail = `Too many wrong passwords. Try again in ${seconds} s, or ask an administrator for a link.`;
  return new Problem('rate_limited', 'too_many_failures', detail, { headers: { 'Retry-After': String(seconds) } });
}

function subjectOf(kind: 'account' | 'address' | 'member', text: string): string {
  return digestOf(`${kind} ${text}`).toString('hex');
}

/** Refuses a password that is too short or too long. Computes its digest otherwise. */
export async function digestOfNew(
  engine: SignInEngine,
  password: string,
  pointer: string,
  visitor: Visitor,
): Promise<StoredPassword> {
  refuseWeak(password, pointer);
  return engine.digests.withPlace(networkBehind(visitor), (digest) => newPassword(digest, password));
}

function refuseWeak(password: string, pointer: string): void {
  const { passwordCharactersMin: least, passwordCharactersMax: most } = bounds.signIn;
  const characters = Array.from(password).length;
  if (characters >= least && characters <= most) return;
  const detail = `Expected a password of ${least} to ${most} characters; got ${characters}.`;
  throw problemOf('validation_failed', [{ pointer, reason: 'wrong_shape', detail }]);
}

/** Changing a password needs the current one, if there is one. The other sessions end. */
export async function changePassword(
  engine: SignInEngine,
  own: OpenSession,
  { current, password }: { readonly current: string | undefined; readonly password: string },
  visitor: Visitor,
): Promise<void> {
  refuseWeak(password, '/password');
  const { orgId, memberId, sessionId } = own;
  await engine.digests.withPlace(networkBehind(visitor), async (digest) => {
    const known = await knownOrg(engine, orgId);
    if (known === undefined) return;
    const account = subjectOf('member', memberId);
    const stored = await findPassword(engine.database, orgId, memberId);
    if (stored !== undefined) {
      await refuseHasty(engine, orgId, [account], visitor);
      const isRight = current !== undefined && sameDigest(await digest(current, stored), stored.digest);
      if (!isRight) {
        const detail = 'The current password is not right. Try again, or ask an administrator for an invitation.';
        throw problemOf('validation_failed', [{ pointer: '/current_password', reason: 'wrong_shape', detail }]);
      }
    }
    const made = await newPassword(digest, password);
    await commit(
      memberCall(engine, known, own, visitor),
      async (unit) => {
        await unit.govern();
        // Computing digests takes a while: meanwhile the session may have ended, or the password may be another one.
        const session = await findLiveSession(unit.transaction, orgId, sessionId);
        const now = await findPassword(unit.transaction, orgId, memberId);
        const isSame = now === undefined ? stored === undefined : stored?.digest.equals(now.digest) === true;
        if (session === undefined || !isSame) throw sessionEnded();
        await forgiveTry(unit.transaction, orgId, account, []);
        await setPassword(unit, memberId, made, { allBut: sessionId });
      },
      'assumed',
    );
  });
}

function sessionEnded(): Problem {
  return new Problem(
    'unauthenticated',
    'session_ended',
    'This session has ended, or the password has just changed. Sign in again.',
  );
}
