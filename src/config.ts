// Reads flags and environment variables into one frozen Config; nothing else reads the environment. An unknown ORRERY_
// variable is an error, because a misspelt setting would silently have no effect.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDatetime } from '../client/import/cells/calendar.ts';
import manifest from '../package.json' with { type: 'json' };
import { Failure } from './base/failure.ts';
import { bounds } from './base/limits.ts';
import { nearest } from './base/nearest.ts';
import { withTlsVariables } from './store/driver/address/tls-variables.ts';
import type { Place } from './store/driver/open.ts';

export const release: string = manifest.version;

export interface Config {
  readonly place: Place;
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly publicUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly logLevel: string;
  readonly trashDays: number;
  readonly changesDays: number;
  readonly auditDays: number;
  readonly deprecation: { readonly since: Date; readonly sunset: Date } | undefined;
  /** Every setting with its source, for `orrery config`. Passwords are masked. */
  readonly settings: readonly Setting[];
}

interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly source: 'flag' | 'environment' | 'default';
  readonly variable: string;
  readonly flag: string | null;
  readonly description: string;
}

interface Declaration {
  readonly variable: string;
  readonly flag?: string;
  /** The name of the value in the help. */
  readonly placeholder?: string;
  /** Every command takes the flag; without this, only the commands that serve. */
  readonly global?: true;
  readonly description: string;
  readonly fallback?: (environment: Environment) => string;
  /** The end of the sentence "… must be …" that refuses a bad value. */
  readonly mustBe?: string;
  readonly admits?: (text: string) => boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type Flags = Readonly<Record<string, unknown>>;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const declarations = {
  dataDir: {
    variable: 'ORRERY_DATA_DIR',
    flag: '--data-dir',
    placeholder: 'DIR',
    global: true,
    description: 'The folder of the embedded database.',
    fallback: defaultDataDir,
    mustBe: 'a folder',
    admits: (text) => text.trim() !== '',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    flag: '--database-url',
    placeholder: 'URL',
    global: true,
    description:
      'The address of a PostgreSQL server, used instead of the embedded database. It may name several hosts.',
    mustBe: 'an address such as postgres://user:password@host:5432/database',
    admits: (text) => /^postgres(ql)?:\/\/./.test(text),
  },
  host: {
    variable: 'ORRERY_HOST',
    flag: '--host',
    placeholder: 'ADDRESS',
    description: 'The address to listen on.',
    fallback: () => '127.0.0.1',
    mustBe: 'an address such as 127.0.0.1 or a host name',
    admits: (text) => /^[^\s]+$/.test(text),
  },
  port: {
    variable: 'ORRERY_PORT',
    flag: '--port',
    placeholder: 'PORT',
    description: 'The port to listen on; 0 chooses a free one.',
    fallback: () => '4610',
    mustBe: 'a number from 0 to 65535',
    admits: (text) => /^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535,
  },
  workers: {
    variable: 'ORRERY_WORKERS',
    flag: '--workers',
    placeholder: 'N',
    description: 'The number of serving processes.',
    fallback: () => '1',
    mustBe: 'a number from 1 to 24',
    admits: (text) => /^[1-9][0-9]?$/.test(text) && Number(text) <= 24,
  },
  publicUrl: {
    variable: 'ORRERY_PUBLIC_URL',
    flag: '--public-url',
    placeholder: 'URL',
    description: 'The address at which clients reach the service, if it differs from the Host header.',
    mustBe: 'an address such as https://crm.example.com',
    admits: (text) => isOrigin(text.replace(/\/$/, '')),
  },
  corsOrigins: {
    variable: 'ORRERY_CORS_ORIGIN',
    flag: '--cors-origin',
    placeholder: 'URL...',
    description: 'The origins whose pages may call the service; in ORRERY_CORS_ORIGIN, separated by commas.',
    mustBe: 'a list of origins such as https://app.example.com',
    admits: (text) => text.split(',').every(isOrigin),
  },
  logLevel: {
    variable: 'ORRERY_LOG_LEVEL',
    flag: '--log-level',
    placeholder: 'LEVEL',
    description: `The least severe level to log: ${logLevels.join(', ')}.`,
    fallback: () => 'info',
    mustBe: `one of ${logLevels.join(', ')}`,
    admits: (text) => logLevels.includes(text),
  },
  trashDays: {
    variable: 'ORRERY_TRASH_DAYS',
    description: 'How many days a deleted record can be restored.',
    fallback: () => '30',
    mustBe: 'a number of days from 1 to 3650',
    admits: (text) => /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= 3_650,
  },
  changesDays: {
    variable: 'ORRERY_CHANGES_DAYS',
    description: 'How many days the change feed is kept.',
    fallback: () => '30',
    mustBe: 'a number of days from 1 to 3650',
    admits: (text) => /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= 3_650,
  },
  auditDays: {
    variable: 'ORRERY_AUDIT_DAYS',
    description: 'How many days entries of the audit and ended jobs are kept.',
    fallback: () => '365',
    mustBe: 'a number of days from 1 to 3650',
    admits: (text) => /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= 3_650,
  },
  deprecation: {
    variable: 'ORRERY_DEPRECATION',
    description: 'The moment from which v1 is deprecated; needs ORRERY_SUNSET.',
    mustBe: 'a moment such as 2027-01-01T00:00:00Z',
    admits: isDatetime,
  },
  sunset: {
    variable: 'ORRERY_SUNSET',
    description: 'The moment at which a deprecated v1 ends.',
    mustBe: 'a moment such as 2027-07-01T00:00:00Z',
    admits: isDatetime,
  },
} as const satisfies Record<string, Declaration>;

type Name = keyof typeof declarations;
/** Known to clients and to users of the command line, but not settings of the service. */
const otherVariables = ['ORRERY_KEY', 'ORRERY_URL'];

interface SettingFlag {
  readonly flags: string;
  readonly description: string;
}

/** The flags of every command, as `--help` shows them. */
export const globalFlags = flagsOf((declaration) => declaration.global === true);
/** The flags of the commands that serve, besides the global ones. */
export const serveFlags = flagsOf((declaration) => declaration.global !== true);

function flagsOf(select: (declaration: Declaration) => boolean): readonly SettingFlag[] {
  return Object.values<Declaration>(declarations)
    .filter(select)
    .flatMap(({ flag, placeholder, description, fallback }) => {
      if (flag === undefined || placeholder === undefined) return [];
      const usual = fallback === undefined || fallback === defaultDataDir ? '' : ` (default: ${fallback({})})`;
      // The help writes descriptions of flags in lower case, without a full stop.
      const text = `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
      return [{ flags: `${flag} <${placeholder}>`, description: `${text}${usual}` }];
    });
}

export function readConfig(flags: Flags, environment: Environment = process.env): Config {
  refuseUnknown(environment);
  const read = Object.fromEntries(
    (Object.keys(declarations) as Name[]).map((name) => [name, readSetting(name, flags, environment)]),
  ) as Record<Name, Setting>;
  const { since, sunset } = { since: read.deprecation.value, sunset: read.sunset.value };
  if (
    (since === null) !== (sunset === null) ||
    (since !== null && sunset !== null && new Date(sunset) < new Date(since))
  ) {
    const sentence = 'ORRERY_DEPRECATION and ORRERY_SUNSET must be set together, and the sunset must not be earlier.';
    throw new Failure('invalid_configuration', sentence, 'Correct them, or unset both.');
  }
  return Object.freeze({
    place: { ...placeOf(read, environment), connections: connectionsFor(Number(read.workers.value)) },
    host: read.host.value ?? '',
    port: Number(read.port.value),
    workers: Number(read.workers.value),
    publicUrl: read.publicUrl.value?.replace(/\/$/, ''),
    // Browsers send origins in lower case, and origins are compared exactly.
    corsOrigins: read.corsOrigins.value?.toLowerCase().split(',') ?? [],
    logLevel: read.logLevel.value ?? 'info',
    trashDays: Number(read.trashDays.value),
    changesDays: Number(read.changesDays.value),
    auditDays: Number(read.auditDays.value),
    deprecation: since === null || sunset === null ? undefined : { since: new Date(since), sunset: new Date(sunset) },
    settings: Object.values(read).map((setting) => ({ ...setting, value: maskPassword(setting.value) })),
  });
}

function readSetting(name: Name, flags: Flags, environment: Environment): Setting {
  const declaration: Declaration = declarations[name];
  const flag = flags[name];
  const fromFlag = Array.isArray(flag) ? flag.join(',') : typeof flag === 'string' ? flag : undefined;
  const fromEnvironment = environment[declaration.variable] || undefined;
  const value = fromFlag ?? fromEnvironment ?? declaration.fallback?.(environment) ?? null;
  const source = fromFlag !== undefined ? 'flag' : fromEnvironment !== undefined ? 'environment' : 'default';
  if (value !== null && source !== 'default' && declaration.admits?.(value) === false) {
    const [where, omit] = source === 'flag' ? [declaration.flag, 'omit'] : [declaration.variable, 'unset'];
    throw new Failure('invalid_configuration', `${where} must be ${declaration.mustBe}.`, `Correct it, or ${omit} it.`);
  }
  const { variable, description } = declaration;
  return { name, value, source, variable, flag: declaration.flag ?? null, description };
}

/** A flag beats the environment. Within the environment the server beats the folder; giving both flags is an error. */
function placeOf(
  { dataDir, databaseUrl }: Record<'dataDir' | 'databaseUrl', Setting>,
  environment: Environment,
): Place {
  if (dataDir.source === 'flag' && databaseUrl.source === 'flag') {
    throw new Failure(
      'usage',
      '--data-dir and --database-url exclude each other.',
      'Use the first for the embedded database, or the second for a PostgreSQL server.',
    );
  }
  if (databaseUrl.value !== null && dataDir.source !== 'flag') {
    return { engine: 'server', url: withTlsVariables(databaseUrl.value, environment) };
  }
  return { engine: 'embedded', dataDir: resolve(dataDir.value ?? '') };
}

/** The embedded PostgreSQL has 100 connections: all workers together leave some for the command line. */
function connectionsFor(workers: number): number {
  return Math.max(1, Math.min(bounds.store.poolConnections, Math.floor(80 / workers) - bounds.store.urgentConnections));
}

function refuseUnknown(environment: Environment): void {
  const known = [...Object.values(declarations).map((each) => each.variable), ...otherVariables];
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith('ORRERY_') || known.includes(variable)) continue;
    const near = nearest(variable, known);
    throw new Failure(
      'invalid_configuration',
      `The environment variable ${variable} is unknown.`,
      near === undefined ? 'Unset it, or see "orrery config".' : `Did you mean ${near}? Otherwise unset it.`,
    );
  }
}

/** Run by root, the database belongs to an unprivileged user, who cannot enter the home of root. */
function defaultDataDir(environment: Environment): string {
  if (process.getuid?.() === 0) return '/var/lib/orrery';
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'orrery');
  return join(environment['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'orrery');
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text.toLowerCase();
}

function maskPassword(value: string | null): string | null {
  const masked = value?.replace(/^(postgres(?:ql)?:\/\/[^:@/?#]*):.*@/s, '$1:•••@');
  return masked?.replace(/([?&]password=)[^&#]*/gi, '$1•••') ?? null;
}
