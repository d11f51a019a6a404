// orrery oidc set: the OpenID provider with which the members of an org sign in.
import { readFile } from 'node:fs/promises';
import { setProvider } from '../../engine/sign-in/for-operator.ts';
import type { Command } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { withEngine } from '../with-database.ts';

export const oidcSet: Command = {
  name: 'oidc set',
  summary: 'Let the members of an org sign in with an OpenID provider',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--issuer <URL>', description: 'the address of the provider', required: true },
    { flags: '--client-id <ID>', description: 'the id that the provider has given to this service', required: true },
    {
      flags: '--client-secret-file <FILE>',
      description: 'the file with the secret that belongs to it',
      required: true,
    },
    { flags: '--provision <ROLE>', description: 'create members when they first sign in, with this role' },
    { flags: '--email-domain <DOMAIN>', description: 'the domain of their email addresses', repeatable: true },
  ],
  example: [
    'orrery oidc set --org 1 --issuer https://accounts.google.com --client-id ID --client-secret-file secret.txt',
    '',
    'Tell the provider that people come back to https://YOUR-ADDRESS/auth/oidc/callback.',
  ].join('\n'),
  run: async (context) => {
    const { options } = context;
    const orgId = parseOrgId(options.text('org'));
    const issuer = parseIssuer(options.text('issuer') ?? '');
    const clientId = options.text('clientId') ?? '';
    if (clientId === '' || clientId.length > 500)
      throw usage('--client-id must have 1 to 500 characters.', 'The provider shows it.');
    const provisionRole = options.text('provision') ?? null;
    const emailDomains = options.list('emailDomain').map(parseDomain);
    if ((provisionRole === null) !== (emailDomains.length === 0)) {
      throw usage(
        '--provision needs at least one --email-domain, and the other way round.',
        'For example: --provision Member --email-domain example.com.',
      );
    }
    const file = options.text('clientSecretFile') ?? '';
    await withEngine(context, async (engine) => {
      const clientSecret = await readSecret(file);
      await setProvider(engine, orgId, { issuer, clientId, clientSecret, provisionRole, emailDomains });
    });
    context.print(
      { org_id: orgId, issuer, client_id: clientId, provision: provisionRole, email_domains: emailDomains },
      `Members of org ${orgId} can sign in with ${issuer}.`,
    );
  },
};

/** Over plain http anybody on the way could sign in as somebody else; on this machine there is no way. */
function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isPlain =
    url !== undefined && url.search === '' && url.hash === '' && url.username === '' && text.length <= 500;
  if (isPlain && (url.protocol === 'https:' || isLocal)) return text;
  throw usage(
    '--issuer must be the https address of an OpenID provider.',
    'For example: --issuer https://accounts.google.com.',
  );
}

function parseDomain(text: string): string {
  const domain = text.toLowerCase();
  if (/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/.test(domain)) return domain;
  throw usage(
    `--email-domain must be a domain; got ${JSON.stringify(text.slice(0, 80))}.`,
    'For example: --email-domain example.com.',
  );
}

async function readSecret(file: string): Promise<string> {
  const secret = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (secret === undefined)
    throw usage(`The file ${file} cannot be read.`, 'Put the client secret of the provider into it.');
  if (secret !== '' && secret.length <= 2_000 && !/\s/.test(secret)) return secret;
  throw usage(`The file ${file} must have the client secret, and nothing else.`, 'The provider shows it.');
}
