// An OpenID provider that a test can make do anything: sign wrong tokens, answer late, or not at all.
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Claims = Readonly<Record<string, unknown>>;

export class FalseProvider {
  readonly issuer: string;
  /** Changes the claims of the next tokens. */
  claims: (usual: Claims) => Claims = (usual) => usual;
  header: Claims = {};
  /** What it tells about the person to those who ask; without it, it has no such path. */
  person: Claims | undefined;
  /** Replaces the answer of a path; returns false to answer as usual. */
  instead: (path: string, response: ServerResponse) => boolean = () => false;
  /** What the last request for a token sent. */
  sent = new URLSearchParams();
  readonly close: () => Promise<void>;
  readonly #key: KeyObject;
  readonly #jwk: object;
  #nonce = '';

  private constructor(issuer: string, close: () => Promise<void>) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    this.issuer = issuer;
    this.close = close;
    this.#key = privateKey;
    this.#jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' };
  }

  static async start(): Promise<FalseProvider> {
    let self: FalseProvider | undefined;
    const server = createServer((request, response) => void self?.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    self = new FalseProvider(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
    return self;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    if (this.instead(url.pathname, response)) return;
    const json = (value: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(value));
    };
    if (url.pathname === '/.well-known/openid-configuration') json(this.#metadata());
    else if (url.pathname === '/jwks') json({ keys: [this.#jwk] });
    else if (url.pathname === '/person') json(this.person);
    else if (url.pathname === '/authorize') {
      this.#nonce = url.searchParams.get('nonce') ?? '';
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'a-code');
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(303, { location: back.href });
      response.end();
    } else {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      this.sent = new URLSearchParams(Buffer.concat(chunks).toString());
      json({ access_token: 'access', token_type: 'bearer', expires_in: 60, id_token: this.#token() });
    }
  }

  #metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      ...(this.person === undefined ? {} : { userinfo_endpoint: `${this.issuer}/person` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  #token(): string {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.issuer, aud: 'orrery', sub: 'subject', iat: now, exp: now + 300, nonce: this.#nonce };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const head = { alg: 'RS256', kid: 'one', ...this.header };
    const body = `${part(head)}.${part(this.claims({ ...usual, email_verified: true }))}`;
    if (head.alg === 'none') return `${body}.`;
    return `${body}.${createSign('RSA-SHA256').update(body).sign(this.#key).toString('base64url')}`;
  }
}
