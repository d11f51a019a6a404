// Speaks with the OpenID providers of orgs. What a provider says about itself is kept for a while; its keys are read for each
// sign-in, so that a provider can replace them at any time. Every answer is bounded in time and size.
import type * as OpenId from 'openid-client';
import type { Clock } from '../../base/clock.ts';
import { dropOldest } from '../../base/drop-oldest.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { Begun, Identity, ProviderFacts, Providers } from '../../engine/sign-in/oidc.ts';

/** The provider did not answer, or not as it must. The cause is for the log. */
export class ProviderFault extends Error {}

type Library = typeof OpenId;

/** Loaded when it is first needed: most processes never sign anybody in with a provider. */
const library = (): Promise<Library> => import('openid-client');

export function openProviders(clock: Clock): Providers {
  const known = openMetadata(clock);
  const running: number[] = [];
  // Providers belong to orgs: one that does not answer must not keep the members of others waiting.
  const inTurn = async <T>(orgId: number, work: (openid: Library) => Promise<T>): Promise<T> => {
    const { providerRequestsAtOnce: most, providerRequestsPerOrg: share } = bounds.signIn;
    if (running.length >= most || running.filter((other) => other === orgId).length >= share) {
      throw overloaded('Too many people are signing in at the moment.');
    }
    running.push(orgId);
    try {
      return await work(await library());
    } catch (error) {
      throw new ProviderFault('The OpenID provider did not answer as it must.', { cause: error });
    } finally {
      running.splice(running.indexOf(orgId), 1);
    }
  };
  return {
    begin: (orgId, facts, redirectUri) =>
      inTurn(orgId, async (openid) => begin(openid, await known(openid, orgId, facts), { orgId, redirectUri })),
    finish: (orgId, facts, begun, came) =>
      inTurn(orgId, async (openid) => finish(openid, await known(openid, orgId, facts), begun, came)),
  };
}

interface Known {
  readonly issuer: string;
  readonly server: Promise<OpenId.ServerMetadata>;
  /** Later for an answer than for the lack of one. */
  freshUntilMs: number;
}

/** A new configuration each time: it keeps the keys of the provider, which may have changed. */
function openMetadata(clock: Clock) {
  const { providerKeptMs, providerFaultMs } = bounds.signIn;
  const known = new Map<number, Known>();
  return async (openid: Library, orgId: number, facts: ProviderFacts): Promise<OpenId.Configuration> => {
    const found = known.get(orgId);
    const isFresh = found !== undefined && clock.monotonicMs() < found.freshUntilMs;
    if (isFresh && found.issuer === facts.issuer) return configurationOf(openid, await found.server, facts);
    known.delete(orgId);
    dropOldest(known, bounds.signIn.providersKept);
    // All who come meanwhile wait for the same answer.
    const server = discover(openid, facts);
    const read: Known = { issuer: facts.issuer, server, freshUntilMs: clock.monotonicMs() + providerKeptMs };
    known.set(orgId, read);
    server.catch(() => {
      read.freshUntilMs = clock.monotonicMs() + providerFaultMs;
    });
    return configurationOf(openid, await server, facts);
  };
}

const seconds = bounds.signIn.providerMs / 1_000;

async function discover(openid: Library, facts: ProviderFacts): Promise<OpenId.ServerMetadata> {
  const { issuer, clientId } = facts;
  const options = { execute: [...insecurely(openid, issuer)], timeout: seconds, [openid.customFetch]: boundedFetch };
  const config = await openid.discovery(new URL(issuer), clientId, metadataOf(openid, facts), undefined, options);
  return config.serverMetadata();
}

function configurationOf(openid: Library, server: OpenId.ServerMetadata, facts: ProviderFacts): OpenId.Configuration {
  const config = new openid.Configuration(server, facts.clientId, metadataOf(openid, facts));
  config.timeout = seconds;
  config[openid.customFetch] = boundedFetch;
  for (const allow of insecurely(openid, facts.issuer)) allow(config);
  openid.enableNonRepudiationChecks(config);
  return config;
}

function metadataOf(openid: Library, { clientSecret }: ProviderFacts): Partial<OpenId.ClientMetadata> {
  return { client_secret: clientSecret, [openid.clockTolerance]: bounds.signIn.clockSkewSeconds };
}

/** Plain http is for a provider on this machine: no other issuer can be set with it. */
function insecurely(openid: Library, issuer: string): readonly ((config: OpenId.Configuration) => void)[] {
  return issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [];
}

async function begin(
  openid: Library,
  config: OpenId.Configuration,
  { orgId, redirectUri }: { readonly orgId: number; readonly redirectUri: string },
): Promise<{ readonly to: URL; readonly begun: Begun }> {
  const begun = {
    state: `${orgId}.${openid.randomState()}`,
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
  };
  const to = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    code_challenge: await openid.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
    state: begun.state,
    nonce: begun.nonce,
  });
  return { to, begun };
}

async function finish(openid: Library, config: OpenId.Configuration, begun: Begun, came: URL): Promise<Identity> {
  const tokens = await openid.authorizationCodeGrant(config, came, {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError('The answer of the provider has no claims.');
  if (isVerified(claims) || config.serverMetadata().userinfo_endpoint === undefined) return identityOf(claims, claims);
  // Strict providers tell addresses only to those who ask. What verifies an address must come with it.
  const told = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
  const person = claims['email'] === undefined || told.email === claims['email'] ? told : claims;
  return identityOf(claims, { ...person, iss: claims.iss });
}

type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/** Exported for its test: nobody can be Microsoft there. */
export function identityOf({ iss, sub, name }: Claims, person: Claims): Identity {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    issuer: iss,
    subject: sub,
    name: text(name) ?? text(person['name']),
    email: text(person['email']),
    isEmailVerified: isVerified(person),
  };
}

function isVerified(claims: Claims): boolean {
  if (claims['email'] === undefined) return false;
  return claims['email_verified'] === true || (isEntra(claims.iss) && isTrue(claims['xms_edov']));
}

/** Microsoft Entra has no `email_verified`; its `xms_edov` says that the domain of the address belongs to the tenant. */
function isEntra(issuer: string): boolean {
  return issuer.startsWith('https://login.microsoftonline.com/');
}

function isTrue(claim: unknown): boolean {
  return claim === true || claim === 1 || claim === '1' || claim === 'true';
}

/** Reads the whole answer, as long as it has a sensible size. */
const boundedFetch: OpenId.CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > bounds.signIn.providerBytes) throw new RangeError('The answer of the provider is too long.');
    chunks.push(chunk as Uint8Array);
  }
  const { status, headers } = response;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers });
};
