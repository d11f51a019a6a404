// The page on which people sign in by a link, a password or an OpenID provider, see who they are, and sign out. The bearer
// stays in the memory of this page; the cookie that fetches the next one is out of reach of any script.

const card = document.getElementById('card');
const hint = document.getElementById('hint');
const orgOfAddress = Number(new URLSearchParams(location.search).get('org')) || undefined;

/** Why a sign-in with a provider ended, in words. */
const outcomes = {
  none: 'This org has no sign-in service. Sign in another way.',
  provider: 'The sign-in service did not answer as it should. Try again, or ask an administrator.',
  expired: 'This sign-in took too long, or was begun in another browser. Try again.',
  cancelled: 'You have cancelled the sign-in.',
  refused: 'Nobody in this org has this account. Ask an administrator to add you with the same email address.',
  busy: 'Too many people are signing in at the moment. Try again.',
};

const ways = {
  link: 'a one-time link',
  invitation: 'an invitation',
  password: 'a password',
  oidc: 'the sign-in service',
};

/** What a refusal says, or that nobody has answered. */
class Refused extends Error {}

async function post(path, body, bearer) {
  const headers = { 'Content-Type': 'application/json' };
  if (bearer !== undefined) headers.Authorization = `Bearer ${bearer}`;
  const sent = { method: 'POST', headers, body: JSON.stringify(body), credentials: 'same-origin' };
  const response = await fetch(`/auth/${path}`, sent).catch(() => {
    throw new Refused('The service cannot be reached. Check your connection and try again.');
  });
  const answer = await response.json().catch(() => {
    throw new Refused(`The service answered with status ${response.status}. Try again.`);
  });
  if (!response.ok) throw new Refused(answer.detail ?? answer.title);
  return answer.data;
}

/** An element with attributes, and with texts or elements inside. Texts stay texts. */
function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}

function show(...content) {
  card.replaceChildren(...content);
  card.querySelector('input')?.focus();
}

function help(...content) {
  hint.replaceChildren(...content);
}

/** A form that says what went wrong, and can be sent again. */
function form(fields, label, send) {
  const problem = make('p', { class: 'problem', role: 'alert', hidden: '' });
  const button = make('button', { type: 'submit' }, label);
  const element = make('form', {}, ...fields, problem, button);
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.hidden = true;
    try {
      await send(new FormData(element));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problem.textContent = error.message;
      problem.hidden = false;
    } finally {
      button.disabled = false;
    }
  });
  return element;
}

function field(name, label, attributes) {
  const id = `field-${name}`;
  return [make('label', { for: id }, label), make('input', { id, name, required: '', ...attributes })];
}

function notice(text) {
  return text === undefined ? [] : [make('p', { class: 'problem', role: 'alert' }, text)];
}

async function showSignIn(text) {
  const { org_id: orgId, org_name: name, oidc } = await post('ways', orgOfAddress ? { org_id: orgOfAddress } : {});
  const org = orgId === null ? field('org', 'Number of your org', { inputmode: 'numeric', pattern: '[0-9]+' }) : [];
  const email = field('email', 'Email', { type: 'email', autocomplete: 'username', maxlength: '254' });
  const password = field('password', 'Password', { type: 'password', autocomplete: 'current-password' });
  const send = async (typed) => {
    const chosen = orgId ?? Number(typed.get('org'));
    const body = { org_id: chosen, email: typed.get('email').trim(), password: typed.get('password') };
    await showMember(await post('password', body));
  };
  const other =
    oidc === null || orgId === null
      ? []
      : [
          make('p', { class: 'or' }, 'or'),
          make('a', { class: 'button plain', href: `/auth/oidc/start?org=${orgId}` }, `Continue with ${oidc}`),
        ];
  show(
    make('h1', {}, `Sign in to ${name ?? (orgId === null ? 'Orrery' : `org ${orgId}`)}`),
    make('p', { class: 'quiet' }, location.host),
    ...notice(text),
    form([...org, ...email, ...password], 'Sign in', send),
    ...other,
  );
  help(
    make(
      'p',
      {},
      'No password yet, or forgotten? Ask an administrator for a link. At the command line, this makes one:',
    ),
    make('code', {}, `orrery member link --org ${orgId ?? 1} EMAIL`),
  );
}

/** A link signs in only when a person says so: programs that look at mail open links too. */
async function showLink(token, signedIn) {
  let link;
  try {
    link = await post('link/show', { token });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (signedIn === null) return showSignIn(error.message);
    return showMember(signedIn, error.message);
  }
  const { member, org_name: orgName, invitation } = link;
  const isOther = signedIn !== null && signedIn.member.id !== member.id;
  const fields = invitation
    ? [
        ...field('password', 'New password, at least 12 characters', {
          type: 'password',
          autocomplete: 'new-password',
          minlength: '12',
        }),
      ]
    : [];
  const send = async (typed) => {
    const password = typed.get('password');
    const body = { token, replace: isOther, ...(password === null ? {} : { password }) };
    const answer = await post('link', body);
    // Somebody has signed in meanwhile, in another tab.
    if (answer.replaces) await showLink(token, await post('bearer', {}));
    else await showMember(answer);
  };
  const said = isOther
    ? `You are signed in as ${signedIn.member.name}. This link is for somebody else: go on only if you trust who gave it to you.`
    : 'This link works once.';
  show(
    make('h1', {}, `Sign in to ${orgName} as ${member.name}?`),
    make('p', { class: 'quiet' }, member.email ?? location.host),
    make('p', {}, said),
    form(fields, `Sign in as ${member.name}`, send),
    ...(isOther
      ? [make('button', { class: 'plain', type: 'button', click: () => showMember(signedIn) }, 'Stay signed in')]
      : []),
  );
  help();
}

async function showMember(signedIn, text) {
  const { bearer, member, role, org_id: orgId } = signedIn;
  const sessions = await post('sessions', {}, bearer);
  const act = (path, body) => async () => {
    try {
      const next = await post('bearer', {});
      if (next !== null) await post(path, body, next.bearer);
      await start();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      card.querySelector('.problem')?.remove();
      card.append(...notice(error.message));
    }
  };
  const rows = sessions.map(({ id, current, way, address, used_at: usedAt }) =>
    make(
      'li',
      {},
      make('span', {}, `With ${ways[way] ?? way} from ${address}, ${new Date(usedAt).toLocaleString()}`),
      current
        ? make('span', { class: 'quiet' }, 'this one')
        : make('button', { class: 'plain small', type: 'button', click: act('sessions/end', { id }) }, 'End'),
    ),
  );
  show(
    make('h1', {}, member.name),
    make('p', { class: 'quiet' }, member.email ?? ''),
    ...notice(text),
    make('dl', {}, make('dt', {}, 'Org'), make('dd', {}, String(orgId)), make('dt', {}, 'Role'), make('dd', {}, role)),
    make('h2', {}, 'Sessions'),
    make('ul', {}, ...rows),
    make('button', { class: 'plain', type: 'button', click: act('sign-out', {}) }, 'Sign out'),
  );
  help();
}

/** What follows # in the address, once: it must not stay in the history. */
function takeFragment() {
  const said = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return { token: said.get('link'), outcome: outcomes[said.get('sign-in')] };
}

async function start() {
  const { token, outcome } = takeFragment();
  try {
    const signedIn = await post('bearer', {});
    if (token !== null) await showLink(token, signedIn);
    else if (signedIn === null) await showSignIn(outcome);
    else if (orgOfAddress === undefined || orgOfAddress === signedIn.org_id) await showMember(signedIn, outcome);
    else await showSignIn(outcome ?? `You are signed in to org ${signedIn.org_id}. Signing in here ends that.`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    show(
      make('h1', {}, 'Sign in'),
      ...notice(error.message),
      make('button', { type: 'button', click: start }, 'Try again'),
    );
  }
}

addEventListener('hashchange', () => void start());
await start();
