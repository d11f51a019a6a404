// orrery demo: serve with an org and a key on the first start, and say how to use them. The key is shown once; for the
// embedded database it is also kept in a file that only its owner can read.
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fullGrant } from '../access/grant.ts';
import { systemClock } from '../base/clock.ts';
import { orgPolicyDefault } from '../base/limits.ts';
import { type Config, release } from '../config.ts';
import { issueKey } from '../engine/keys.ts';
import { createOrg } from '../engine/orgs.ts';
import { basePath } from '../operations/operation.ts';
import type { Database } from '../store/database.ts';
import { listOrgs } from '../store/orgs.ts';
import type { Command } from './command.ts';
import { serveUntilStopped } from './serve.ts';
import { serveFlags } from './serve-flags.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Serve with a demo org, and print its addresses and key on the first start',
  options: serveFlags,
  example: 'orrery demo --port 8080',
  run: async (context) => {
    const startedMs = systemClock.monotonicMs();
    // A person reads this terminal: requests are not logged unless asked for.
    const quiet = context.config.settings.some((each) => each.name === 'logLevel' && each.source === 'default');
    const config: Config = quiet ? { ...context.config, logLevel: 'warn' } : context.config;
    await serveUntilStopped(config, async (database, url) => {
      const key = await firstKey(database, url, config);
      const seconds = ((systemClock.monotonicMs() - startedMs) / 1_000).toFixed(1);
      const value = { api_url: `${url}${basePath}/`, docs_url: `${url}/docs/`, key: key.key, key_file: key.file };
      context.print(value, firstScreen(database, url, key, seconds));
    });
  },
};

interface DemoKey {
  /** The text of the key, if it was made just now. */
  readonly key: string | undefined;
  readonly file: string | undefined;
}

async function firstKey(database: Database, url: string, { place }: Config): Promise<DemoKey> {
  const file = place.engine === 'embedded' ? join(place.dataDir, 'demo.env') : undefined;
  const [known] = await listOrgs(database);
  if (known !== undefined) return { key: undefined, file: (await isThere(file)) ? file : undefined };
  const { quota: rateQuota, windowSeconds: rateWindowSeconds } = orgPolicyDefault;
  const orgId = await createOrg(database, { name: 'Demo', currency: 'USD', rateQuota, rateWindowSeconds });
  const { key } = await issueKey(database, {
    orgId,
    name: 'demo',
    userId: null,
    reach: 'org',
    grants: [fullGrant],
    expiresAt: null,
  });
  if (file !== undefined) {
    // Made anew, and only if nothing is there: the folder may belong to another user, who could have laid a link.
    await rm(file, { force: true });
    await writeFile(file, `ORRERY_URL=${url}\nORRERY_KEY=${key}\n`, { mode: 0o600, flag: 'wx' });
  }
  return { key, file };
}

function firstScreen(database: Database, url: string, { key, file }: DemoKey, seconds: string): string {
  const { engine, version, place } = database.facts;
  const where = engine === 'embedded' ? `embedded in ${place}` : `at ${place}`;
  const saved = file === undefined ? '' : key === undefined ? `in ${file}` : `; saved in ${file}`;
  const shownKey = key ?? (file === undefined ? '<your key>' : '$ORRERY_KEY');
  const source = key === undefined && file !== undefined ? `. '${file.replaceAll("'", "'\\''")}' && ` : '';
  return [
    `Orrery ${release} · PostgreSQL ${version} ${where} · ready in ${seconds} s`,
    '',
    `  API   ${url}/rest/v1/`,
    `  Docs  ${url}/docs/`,
    key === undefined
      ? `  Key   as on the first start ${saved || '(make another with "orrery key create")'}`
      : `  Key   ${key} (shown once${saved})`,
    `  Try   ${source}curl -H "Authorization: Bearer ${shownKey}" ${url}/rest/v1/objects/`,
    '  Next  bin/orrery key list, bin/orrery schema apply --help',
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

async function isThere(file: string | undefined): Promise<boolean> {
  if (file === undefined) return false;
  return access(file).then(
    () => true,
    () => false,
  );
}
