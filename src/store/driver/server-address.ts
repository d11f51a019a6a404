// The address of a PostgreSQL server, and how the connection to it is protected. The modes of TLS mean what they mean to every
// other client of PostgreSQL. Without a mode, TLS is preferred for other hosts, and not used within this machine.
import { isIP } from 'node:net';
import pg, { type ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { Failure } from '../../base/failure.ts';
import { errorCode } from '../pg-error.ts';

export interface ServerAddress {
  readonly connection: ClientConfig;
  /** With the defaults of PG… variables, which the driver reads. */
  readonly host: string;
  readonly port: number;
  readonly isLocal: boolean;
  /** `preferred`: used if the server offers it. Otherwise the settings of the connection decide. */
  readonly tls: 'preferred' | 'as set';
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const example = 'Write it as postgres://user:password@host:5432/database?sslmode=verify-full.';

export function parseAddress(url: string): ServerAddress {
  const parameters = new URLSearchParams(/\?(.*)/s.exec(url)?.[1]);
  const mode = parameters.getAll('sslmode').at(-1);
  checkMode(mode, parameters);
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

function parseUrl(url: string): Pick<ServerAddress, 'connection' | 'host' | 'port'> {
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
