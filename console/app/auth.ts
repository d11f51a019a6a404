// What the page asks at /auth.
import { texts } from '../text/texts.ts';
import { ask } from './auth-request.ts';

/** What a refusal says, or that nobody has answered. */
export class Refused extends Error {
  readonly reason: string | undefined;

  constructor(message: string, reason?: string) {
    super(message);
    this.reason = reason;
  }
}

export interface SignedIn {
  readonly bearer: string;
  readonly expires_at: string;
  readonly org_id: number;
  readonly session_id: string;
  readonly member: Person;
  readonly role: string;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
}

export interface Ways {
  readonly org_id: number | null;
  readonly org_name?: string;
  /** The host of the OpenID provider. */
  readonly oidc: string | null;
}

export interface ShownLink {
  readonly org_id: number;
  readonly org_name: string;
  readonly member: Person;
  readonly invitation: boolean;
  readonly expires_at: string;
}

export interface ListedSession {
  readonly id: string;
  readonly current: boolean;
  readonly way: string;
  readonly address: string | null;
  readonly agent: string | null;
  readonly opened_at: string;
  readonly used_at: string;
}

export interface Invitation {
  readonly link: string;
  readonly expires_at: string;
}

async function post<T>(path: string, body: object, bearer?: string): Promise<T> {
  const response = await ask(path, body, bearer).catch(() => {
    throw new Refused(texts.unreachable, 'offline');
  });
  const answer = (await response.json().catch(() => {
    throw new Refused(texts.answeredWith(response.status));
  })) as { data: T; detail?: string; title?: string; reason?: string };
  if (!response.ok) throw new Refused(answer.detail ?? answer.title ?? texts.refusedIt, answer.reason);
  return answer.data;
}

export const auth = {
  ways: (orgId: number | undefined) => post<Ways>('ways', orgId === undefined ? {} : { org_id: orgId }),
  bearer: () => post<SignedIn | null>('bearer', {}),
  password: (typed: { readonly org_id: number; readonly email: string; readonly password: string }) =>
    post<SignedIn>('password', typed),
  showLink: (token: string) => post<ShownLink>('link/show', { token }),
  /** Signs in; tells instead whom the link is for if somebody else is signed in and `replace` is false. */
  openLink: (sent: { readonly token: string; readonly password?: string; readonly replace: boolean }) =>
    post<SignedIn | (ShownLink & { readonly replaces: true })>('link', sent),
  signOut: (bearer: string) => post<null>('sign-out', {}, bearer),
  sessions: (bearer: string) => post<readonly ListedSession[]>('sessions', {}, bearer),
  /** Without an id: all others. */
  endSession: (bearer: string, id?: string) =>
    post<{ readonly ended: number }>('sessions/end', id === undefined ? {} : { id }, bearer),
  /** A link of 7 days with which the member signs in and chooses a password. */
  invite: (bearer: string, memberId: string) => post<Invitation>('invitations', { member_id: memberId }, bearer),
  changePassword: (bearer: string, sent: { readonly current_password?: string; readonly password: string }) =>
    post<null>('password/change', sent, bearer),
};
