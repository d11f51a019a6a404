// A real OpenID provider on loopback: the reference implementation `oidc-provider`, whose accounts and keys a test chooses.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import type { Person } from './person.ts';

export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export const client = { id: 'orrery', secret: 'a-secret-that-the-provider-has-given' };

export class RealProvider {
  readonly issuer: string;
  /** Who signs in next. */
  account: Account = { sub: 'nobody' };
  readonly #accounts = new Map<string, Account>();
  readonly #close: () => Promise<void>;
  readonly #redirects: readonly string[];
  #provider: Provider;

  private constructor(issuer: string, redirects: readonly string[], close: () => Promise<void>) {
    this.issuer = issuer;
    this.#redirects = redirects;
    this.#close = close;
    this.#provider = this.#newProvider();
  }

  /** `services` are the addresses of the services that people come back to. */
  static async start(...services: readonly string[]): Promise<RealProvider> {
    let self: RealProvider | undefined;
    const server = createServer((request, response) => void self?.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      });
    const redirects = services.map((url) => `${url}/auth/oidc/callback`);
    self = new RealProvider(`http://127.0.0.1:${port}`, redirects, close);
    return self;
  }

  /** From now on the provider signs with other keys, and knows nobody any more. */
  replaceKeys(): void {
    this.#provider = this.#newProvider();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) {
      await this.#provider.callback()(request, response);
      return;
    }
    this.#accounts.set(this.account.sub, this.account);
    const login = { accountId: this.account.sub };
    await this.#provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  }

  close(): Promise<void> {
    return this.#close();
  }

  #newProvider(): Provider {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const key = {
      ...privateKey.export({ format: 'jwk' }),
      kid: `key-${Date.now()}-${Math.random()}`,
      use: 'sig',
      alg: 'RS256',
    };
    const provider = new Provider(this.issuer, {
      jwks: { keys: [key] },
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [...this.#redirects],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      cookies: { keys: ['only for tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      adapter: MemoryAdapter,
      ttl: Object.fromEntries(kinds.map((kind) => [kind, () => 600])),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      findAccount: (_, id) => {
        const account = this.#accounts.get(id) ?? { sub: id };
        return { accountId: id, claims: () => ({ ...account }) };
      },
      loadExistingGrant: async (ctx) => {
        const accountId = ctx.oidc.session?.accountId;
        const grant = new provider.Grant({ clientId: client.id, ...(accountId === undefined ? {} : { accountId }) });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    provider.on('server_error', (_, error) => process.stderr.write(`${String(error)}\n`));
    return provider;
  }
}

/** What the provider keeps for a while. */
const kinds = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'];

/** Keeps it in memory, without the warning that this is not for production. */
class MemoryAdapter implements Adapter {
  readonly #kept = new Map<string, AdapterPayload>();

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#kept.set(id, payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#kept.get(id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return [...this.#kept.values()].find((payload) => payload.uid === uid);
  }

  async findByUserCode(): Promise<undefined> {}

  async destroy(id: string): Promise<void> {
    this.#kept.delete(id);
  }

  async consume(id: string): Promise<void> {
    const payload = this.#kept.get(id);
    if (payload !== undefined) this.#kept.set(id, { ...payload, consumed: 1 });
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, payload] of this.#kept) if (payload.grantId === grantId) this.#kept.delete(id);
  }
}

/** Follows the provider's redirects until it sends the person back, and returns the address at which they come back. */
export async function throughProvider(from: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(from);
  for (let step = 0; step < 10; step++) {
    if (at.origin !== issuer) return at;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`${response.status} ${await response.text()}`);
    at = new URL(next, at);
  }
  throw new Error('The provider redirects for ever.');
}

/** The whole way: to the provider, and back to the console. Returns where the browser ends. */
export async function signInThrough(person: Person, orgId: number, issuer: string): Promise<string> {
  const started = await person.send('GET', `oidc/start?org=${orgId}`);
  const to = started.headers.get('location') ?? '';
  if (!to.startsWith(issuer)) return to;
  const back = await throughProvider(to, issuer);
  const finished = await person.send('GET', `oidc/callback${back.search}`);
  return finished.headers.get('location') ?? `status ${finished.status}`;
}
