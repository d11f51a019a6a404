// orrery demo: serves, and creates a demo org on the first start. If an org exists nothing is created, and the same
// addresses and keys continue to work.
import { type Demo, makeDemo } from '../../../demo/write/make-demo.ts';
import { systemClock } from '../../base/clock.ts';
import { type Config, serveFlags } from '../../config.ts';
import { withCommandEngine } from '../../engine/process/command-engine.ts';
import { linkForAdministrator } from '../../engine/sign-in/for-operator.ts';
import { linkAddress } from '../../http/auth/routes.ts';
import type { Database } from '../../store/database.ts';
import { databaseExists } from '../../store/driver/open.ts';
import { listOrgs } from '../../store/org/orgs.ts';
import type { Command, Context } from '../command.ts';
import { serveUntilStopped } from '../serve/serve.ts';
import { shownAddress } from '../terminal/addresses.ts';
import { envFileOf, type KeptAddress, keepAddress, keepKeys } from './env-file.ts';
import { apiUrl, coloured, docsUrl, firstScreen, plain, quoted, type Screen } from './first-screen.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Serve with a demo org; the first start creates it and prints its addresses and key',
  options: serveFlags,
  example: 'orrery demo --port 8080',
  run: async (context) => {
    // A person reads this terminal, so requests are not logged by default.
    const quiet = isDefault(context.config, 'logLevel');
    const config: Config = quiet ? { ...context.config, logLevel: 'warn' } : context.config;
    const file = envFileOf(config.place);
    if (process.stderr.isTTY && !(await databaseExists(config.place))) {
      process.stderr.write('Creating a database and a demo org; this takes a few seconds.\n');
    }
    let made: Demo | undefined;
    let kept: KeptAddress | undefined;
    try {
      await serveUntilStopped(config, {
        opened: async (database) => {
          made = await makeDemo(database, systemClock.nowMs(), async (keys) => {
            if (file !== undefined) await keepKeys(file, keys);
          });
        },
        ready: async (database, url) => {
          const shown = shownAddress(config, url);
          kept = file === undefined ? undefined : await keepAddress(file, shown);
          const keyFile = kept === undefined ? undefined : file;
          const orgId = made?.orgId ?? (await listOrgs(database))[0]?.orgId ?? 1;
          const console = await consoleOf(database, orgId, shown);
          show(context, { facts: database.facts, url: shown, console, orgId, demo: made, keyFile });
        },
      });
    } finally {
      await kept?.withdraw();
    }
  },
};

/** A new link for an administrator on every start: the person who starts the service is trusted with it. */
async function consoleOf(database: Database, orgId: number, url: string): Promise<Screen['console']> {
  const link = await withCommandEngine(database, (engine) => linkForAdministrator(engine, orgId));
  const { origin } = new URL(url);
  return link === undefined
    ? { url: `${origin}/console/?org=${orgId}`, signsIn: false }
    : { url: linkAddress(origin, link.token), signsIn: true };
}

function show(context: Context, found: Omit<Screen, 'readySeconds' | 'databaseFlags'>): void {
  const { facts, url, console, orgId, demo: made, keyFile } = found;
  const readySeconds = (systemClock.monotonicMs() / 1_000).toFixed(1);
  const value = {
    engine: facts.engine,
    place: facts.place,
    ready_seconds: Number(readySeconds),
    console_url: console.url,
    api_url: apiUrl(url),
    docs_url: docsUrl(url),
    org_id: orgId,
    made: made === undefined ? {} : Object.fromEntries(made.counts),
    key: made?.keys.full,
    limited_key: made?.keys.limited,
    key_file: keyFile,
  };
  // Node knows whether the terminal has colours, and respects NO_COLOR.
  const paint = process.stdout.isTTY && process.stdout.hasColors() ? coloured : plain;
  const screen = { ...found, readySeconds, databaseFlags: flagsOf(context.config) };
  context.print(value, firstScreen(screen, paint));
}

/** The flags with which a command in another terminal, without these environment variables, finds the same database. */
function flagsOf({ place, settings }: Config): string {
  const wanted = place.engine === 'embedded' ? 'dataDir' : 'databaseUrl';
  const chosen = settings.filter(({ name, source }) => name === wanted && source !== 'default');
  return chosen.map(({ flag, value }) => ` ${flag} ${quoted(value ?? '')}`).join('');
}

function isDefault({ settings }: Config, wanted: string): boolean {
  return settings.some(({ name, source }) => name === wanted && source === 'default');
}
