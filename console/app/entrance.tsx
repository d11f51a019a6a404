// The way in: by a link that somebody has handed over, a password or an OpenID provider.
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { asText } from '../data/as-text.ts';
import { Button } from '../parts/button.tsx';
import { Modal } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Starting } from '../parts/loading.tsx';
import { messages } from '../parts/toasts.tsx';
import { texts } from '../text/texts.ts';
import { auth, Refused, type ShownLink, type SignedIn, type Ways } from './auth.ts';
import { enter, leave, orgOfAddress, type SessionState, startSession, stay } from './session.ts';

export function Entrance({
  session,
}: {
  readonly session: Exclude<SessionState, { phase: 'starting' | 'signed-in' }>;
}) {
  return (
    <div className="entrance">
      <main className="entrance-main">
        <p className="brand">
          <span className="brand-mark" aria-hidden="true" />
          Orrery
        </p>
        {session.phase === 'unreachable' && (
          <section className="entrance-card">
            <h1>{texts.signIn}</h1>
            <p className="problem" role="alert">
              {session.message}
            </p>
            <Button look="primary" onClick={() => void startSession()}>
              {texts.retry}
            </Button>
          </section>
        )}
        {session.phase === 'signed-out' && <SignIn notice={session.notice} />}
        {session.phase === 'link' && <OpenLink key={session.token} token={session.token} before={session.before} />}
      </main>
      <footer className="entrance-foot">
        <a href="/docs/quick-start/">{texts.guide}</a>
        <a href="/docs/">{texts.reference}</a>
      </footer>
    </div>
  );
}

/** In front of the page, which stays as it was. */
export function SignInAgain({ notice, who }: { readonly notice: string; readonly who: SignedIn }) {
  const id = useId();
  return (
    <Modal label={id} className="dialog narrow" onClose={() => undefined}>
      <h2 id={id} className="sr-only">
        {texts.signIn}
      </h2>
      <SignIn notice={notice} ofOrg={who.org_id} />
      <Button look="quiet" onClick={() => leave()}>
        {texts.signOut}
      </Button>
    </Modal>
  );
}

/** A form that says what went wrong, and can be sent again. */
function SendForm({
  label,
  send,
  children,
}: {
  readonly label: string;
  readonly send: (typed: FormData) => Promise<void>;
  readonly children?: ReactNode;
}) {
  const [state, setState] = useState<{ readonly isSending: boolean; readonly problem?: string }>({ isSending: false });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setState({ isSending: true });
    try {
      await send(new FormData(event.currentTarget));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setState({ isSending: false, problem: error.message });
    }
  };
  return (
    <form className="entrance-form" onSubmit={(event) => void submit(event)}>
      {children}
      {state.problem !== undefined && (
        <p className="problem" role="alert">
          {state.problem}
        </p>
      )}
      <button type="submit" className="button primary large" disabled={state.isSending}>
        {label}
      </button>
    </form>
  );
}

function TextField({
  label,
  ...rest
}: { readonly label: string } & Readonly<Record<string, string | boolean | number>>) {
  const id = useId();
  return (
    <div className="form-line">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input id={id} className="input large" required {...rest} />
    </div>
  );
}

function SignIn({ notice, ofOrg }: { readonly notice: string | undefined; readonly ofOrg?: number }) {
  const [ways, setWays] = useState<Ways>();
  const [problem, setProblem] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt asks again.
  useEffect(() => {
    setProblem(undefined);
    auth.ways(ofOrg ?? orgOfAddress()).then(setWays, (error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      setProblem(error.message);
    });
  }, [ofOrg, attempt]);
  if (problem !== undefined) {
    return (
      <section className="entrance-card">
        <p className="problem" role="alert">
          {problem}
        </p>
        <Button onClick={() => setAttempt(attempt + 1)}>{texts.retry}</Button>
      </section>
    );
  }
  if (ways === undefined) return <Starting />;
  const { org_id: orgId, org_name: name, oidc } = ways;
  const where = name ?? (orgId === null ? 'Orrery' : texts.orgNumber(orgId));
  const send = async (typed: FormData) => {
    const text = (field: string) => asText(typed.get(field));
    const chosen = orgId ?? Number(text('org'));
    enter(await auth.password({ org_id: chosen, email: text('email').trim(), password: text('password') }));
  };
  return (
    <>
      <section className="entrance-card">
        <h1>{texts.signInTo(where)}</h1>
        <p className="quiet">{location.host}</p>
        {notice !== undefined && (
          <p className="problem" role="alert">
            {notice}
          </p>
        )}
        <SendForm label={texts.signIn} send={send}>
          {orgId === null && <TextField label={texts.orgOfYours} name="org" inputMode="numeric" pattern="[0-9]+" />}
          <TextField label={texts.email} name="email" type="email" autoComplete="username" maxLength={254} autoFocus />
          <TextField label={texts.password} name="password" type="password" autoComplete="current-password" />
        </SendForm>
        {oidc !== null && orgId !== null && (
          <>
            <p className="or">{texts.or}</p>
            <a className="button plain large" href={`/auth/oidc/start?org=${orgId}`}>
              <Icon name="key" />
              {texts.continueWith(oidc)}
            </a>
          </>
        )}
      </section>
      <div className="entrance-hint">
        <p>{texts.noPassword}</p>
        <code>{`orrery member link --org ${orgId ?? 1} EMAIL`}</code>
      </div>
    </>
  );
}

/** A link signs in only when a person says so: programs that look at mail open links too. */
function OpenLink({ token, before }: { readonly token: string; readonly before: SignedIn | null }) {
  const [link, setLink] = useState<ShownLink>();
  useEffect(() => {
    auth.showLink(token).then(setLink, (error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      if (before === null) leave(error.message);
      else {
        stay(before);
        messages.failed(error);
      }
    });
  }, [token, before]);
  if (link === undefined) return <Starting />;
  const { member, org_name: orgName, invitation } = link;
  const isOther = before !== null && before.member.id !== member.id;
  const send = async (typed: FormData) => {
    const password = typed.get('password');
    const sent = { token, replace: isOther, ...(typeof password === 'string' ? { password } : {}) };
    const answer = await auth.openLink(sent);
    // Somebody has signed in meanwhile, in another tab.
    if ('replaces' in answer) await startSession();
    else enter(answer);
  };
  return (
    <section className="entrance-card">
      <h1>{texts.signInAsTo(orgName, member.name)}</h1>
      <p className="quiet">{member.email ?? location.host}</p>
      <p>{isOther ? texts.otherSignedIn(before.member.name) : texts.worksOnce}</p>
      <SendForm label={texts.signInAs(member.name)} send={send}>
        {invitation && (
          <TextField
            label={texts.newPassword}
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={12}
            autoFocus
          />
        )}
      </SendForm>
      {isOther && <Button onClick={() => stay(before)}>{texts.staySignedIn}</Button>}
    </section>
  );
}
