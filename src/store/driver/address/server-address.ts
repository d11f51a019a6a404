// The address of a PostgreSQL server, and how connections to it are protected. It may name several hosts, of which one at a
// time takes writes. The modes of TLS mean what they mean to every other client of PostgreSQL. Without a mode, TLS is
// preferred for other hosts, and not used within this machine.
import { isIP } from 'node:net';
import pg, { type ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { Failure } from '../../../base/failure.ts';
import { bounds } from '../../../base/limits.ts';
import { errorCode } from '../../pg-error.ts';

export interface HostAddress {
  readonly connection: ClientConfig;
  /** With the defaults of PG… variables, which the driver reads. */
  readonly host: string;
  readonly port: number;
  readonly isLocal: boolean;
  /** `preferred`: used if the server offers it. Otherwise the settings of the connection decide. */
  readonly tls: 'preferred' | 'as set';
}

export interface ServerAddress {
  /** At least one. */
  readonly hosts: readonly HostAddress[];
  /** Whether a server that takes no writes is passed over. With several hosts, it always is. */
  readonly takesWrites: boolean;
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const example = 'Write it as postgres://user:password@host:5432/database?sslmode=verify-full.';
/** What the address may ask of a server, as other clients of PostgreSQL name it. */
const wantedOfServers = ['any', 'read-write', 'primary'];

export function parseAddress(url: string): ServerAddress {
  const parameters = new URLSearchParams(/\?(.*)/s.exec(url)?.[1]);
  const mode = parameters.getAll('sslmode').at(-1);
  checkMode(mode, parameters);
  const wanted = parameters.getAll('target_session_attrs').at(-1) ?? 'any';
  checkWanted(wanted);
  const hosts = eachHost(url).map((each) => parseHost(each, mode));
  if (hosts.length > bounds.store.hosts) {
    const sentence = `The database address names ${hosts.length} hosts; at most ${bounds.store.hosts} are allowed.`;
    throw new Failure('invalid_configuration', sentence, 'Name the servers that can take writes.');
  }
  return { hosts, takesWrites: hosts.length > 1 || wanted !== 'any' };
}

/** The address as it would be written for each of its hosts alone. */
function eachHost(url: string): readonly string[] {
  const parts = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url);
  if (parts === null) return [url];
  const [, begin = '', hosts = '', rest = ''] = parts;
  // The driver has no use for it, and the server would refuse it as an unknown setting.
  const path = rest.replace(/([?&])target_session_attrs=[^&]*&?/g, '$1').replace(/[?&]$/, '');
  const names = hosts.split(',');
  if (names.length > 1 && names.includes('')) {
    throw new Failure(
      'invalid_configuration',
      'The database address has a comma without a host.',
      'Write each host as host or host:port, with a comma between two.',
    );
  }
  return names.map((name) => `${begin}${name}${path}`);
}

function parseHost(url: string, mode: string | undefined): HostAddress {
  const { connection, host, port } = parseUrl(url);
  const isSocket = host.startsWith('/');
  const isLocal = isSocket || isLoopback(host);
  const isSet = connection.ssl !== undefined;
  const isPreferred = mode === undefined ? !isSet && !isLocal : mode === 'prefer' || mode === 'allow';
  if (isPreferred && !isSocket) return { connection, host, port, isLocal, tls: 'preferred' };
  // Explicit, because the driver would read PGSSLMODE otherwise, and give its modes another meaning.
  const ssl = isSet && !isPreferred ? connection.ssl : false;
  return { connection: { ...connection, ssl }, host, port, isLocal, tls: 'as set' };
}

function checkWanted(wanted: string): void {
  if (wantedOfServers.includes(wanted)) return;
  const sentence = `The target_session_attrs "${wanted.slice(0, 40)}" of the database address cannot be used.`;
  throw new Failure('invalid_configuration', sentence, 'Orrery writes: use read-write, or leave it out.');
}

function checkMode(mode: string | undefined, parameters: URLSearchParams): void {
  if (mode !== undefined && !modes.includes(mode)) {
    const sentence = `The sslmode "${mode.slice(0, 40)}" of the database address is unknown.`;
    throw new Failure('invalid_configuration', sentence, `Use one of ${modes.join(', ')}.`);
  }
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) {
    throw new Failure(
      'invalid_configuration',
      'The sslmode "verify-ca" of the database address needs the certificate of its authority.',
      'Add sslrootcert=FILE, or use sslmode=verify-full.',
    );
  }
}

function parseUrl(url: string): Pick<HostAddress, 'connection' | 'host' | 'port'> {
  try {
    if (!/^postgres(ql)?:\/\//.test(url)) throw new TypeError('not a PostgreSQL address');
    const connection = toClientConfig(parse(url, { useLibpqCompat: true }));
    // The driver knows its own defaults; nothing is opened yet.
    const { host, port } = new pg.Client({ ...connection, ssl: connection.ssl ?? false });
    return { connection, host, port };
  } catch (error) {
    const missingFile = errorCode(error) === 'ENOENT';
    throw new Failure(
      'invalid_configuration',
      missingFile
        ? 'A certificate file that the database address names cannot be read.'
        : 'The database address is not a PostgreSQL address.',
      example,
      error,
    );
  }
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return /^(.+\.)?localhost\.?$/i.test(host);
  // URLs write an IPv4 address within IPv6 in hexadecimal.
  return /^127\.|^::ffff:(127\.|7f..:)/i.test(host) || host === '::1';
}
