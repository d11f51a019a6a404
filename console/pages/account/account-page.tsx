// Who is signed in, with which sessions, and the password.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { auth, Refused, type SignedIn } from '../../app/auth.ts';
import { bearer, leave } from '../../app/session.ts';
import { Button } from '../../parts/button.tsx';
import { messages } from '../../parts/toasts.tsx';
import { momentText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';

const sessionsKey = ['sessions'];

export default function AccountPage({ who }: { readonly who: SignedIn }) {
  const { member, role, org_id: orgId } = who;
  const signOut = async () => {
    try {
      await auth.signOut(await bearer());
      leave();
    } catch (error) {
      messages.failed(error);
    }
  };
  return (
    <div className="page">
      <header className="page-head">
        <h1>{texts.account}</h1>
        <span className="grow" />
        <Button icon="signOut" onClick={() => void signOut()}>
          {texts.signOut}
        </Button>
      </header>
      <div className="plain-page">
        <section>
          <h2>{member.name}</h2>
          <dl className="facts">
            {member.email !== undefined && (
              <>
                <dt>{texts.email}</dt>
                <dd>{member.email}</dd>
              </>
            )}
            <dt>{texts.org}</dt>
            <dd>{orgId}</dd>
            <dt>{texts.role}</dt>
            <dd>{role}</dd>
          </dl>
        </section>
        <Sessions />
        <PasswordForm />
      </div>
    </div>
  );
}

function Sessions() {
  const queries = useQueryClient();
  const { data: sessions = [] } = useQuery({
    queryKey: sessionsKey,
    queryFn: async () => auth.sessions(await bearer()),
  });
  const end = async (id?: string) => {
    try {
      await auth.endSession(await bearer(), id);
      await queries.invalidateQueries({ queryKey: sessionsKey });
    } catch (error) {
      messages.failed(error);
    }
  };
  return (
    <section>
      <h2>{texts.sessions}</h2>
      <ul className="sessions">
        {sessions.map(({ id, current, way, address, agent, used_at: usedAt }) => (
          <li key={id}>
            <div>
              <p>{texts.sessionText(texts.ways[way as keyof typeof texts.ways] ?? way, address ?? '')}</p>
              <p className="quiet one-line">{`${momentText(usedAt)} · ${agent ?? ''}`}</p>
            </div>
            <span className="grow" />
            {current ? (
              <span className="quiet">{texts.thisSession}</span>
            ) : (
              <Button size="small" onClick={() => void end(id)}>
                {texts.endSession}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && <Button onClick={() => void end()}>{texts.endOthers}</Button>}
    </section>
  );
}

function PasswordForm() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [state, setState] = useState<{ readonly isBad: boolean; readonly text: string }>();
  const save = async () => {
    try {
      const sent = current === '' ? { password: next } : { current_password: current, password: next };
      await auth.changePassword(await bearer(), sent);
      setCurrent('');
      setNext('');
      setState({ isBad: false, text: texts.passwordChanged });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setState({ isBad: true, text: error.message });
    }
  };
  return (
    <section>
      <h2>{texts.password}</h2>
      <form
        className="narrow-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label className="label">
          {texts.currentPassword}
          <input
            className="input"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </label>
        <label className="label">
          {texts.newPassword}
          <input
            className="input"
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
            value={next}
            onChange={(event) => setNext(event.target.value)}
          />
        </label>
        {state !== undefined && (
          <p className={state.isBad ? 'problem' : 'quiet'} role={state.isBad ? 'alert' : 'status'}>
            {state.text}
          </p>
        )}
        <button type="submit" className="button plain">
          {texts.changePassword}
        </button>
      </form>
    </section>
  );
}
