import { expect, test } from 'vitest';
import { Failure } from '../../../base/failure.ts';
import { type HostAddress, parseAddress } from './server-address.ts';

const hostsAt = (host: string, more = '') => parseAddress(`postgres://orrery:secret@${host}/orrery${more}`);
const at = (host: string, more = ''): HostAddress => {
  const [first] = hostsAt(host, more).hosts;
  if (first === undefined) throw new Error('An address names a host.');
  return first;
};

test.each(['localhost', 'localhost.', 'db.localhost', '127.0.0.1', '127.8.8.8', '[::1]', '[::ffff:127.0.0.1]'])(
  '%s is this machine, where TLS is not used unless it is asked for',
  (host) => {
    expect(at(host)).toMatchObject({ isLocal: true, tls: 'as set', connection: { ssl: false } });
    expect(at(host, '?sslmode=prefer')).toMatchObject({ tls: 'preferred' });
  },
);

test('a socket never has TLS', () => {
  for (const more of ['', '&sslmode=prefer', '&sslmode=disable']) {
    const address = at('localhost', `?host=/run/postgresql${more}`);
    expect(address).toMatchObject({
      host: '/run/postgresql',
      isLocal: true,
      tls: 'as set',
      connection: { ssl: false },
    });
  }
});

test.each(['database', 'db.example.com', 'localhost.example.com', '10.0.0.1', '128.0.0.1', '[fd00::1]', '0.0.0.0'])(
  '%s is another host, where TLS is preferred unless the address says otherwise',
  (host) => {
    for (const more of ['', '?sslmode=prefer', '?sslmode=allow', '?application_name=x']) {
      expect(at(host, more)).toMatchObject({ isLocal: false, tls: 'preferred' });
    }
    expect(at(host, '?sslmode=disable')).toMatchObject({ tls: 'as set', connection: { ssl: false } });
    expect(at(host, '?sslmode=require')).toMatchObject({ connection: { ssl: { rejectUnauthorized: false } } });
    expect(at(host, '?sslmode=verify-full')).toMatchObject({ tls: 'as set', connection: { ssl: {} } });
    expect(at(host, '?sslmode=verify-full').connection.ssl).not.toHaveProperty('rejectUnauthorized');
    expect(at(host, '?ssl=true')).toMatchObject({ tls: 'as set', connection: { ssl: true } });
  },
);

test.each([
  ['?sslmode=verify', 'Use one of disable, allow, prefer, require, verify-ca, verify-full.'],
  ['?sslmode=no-verify', 'Use one of disable, allow, prefer, require, verify-ca, verify-full.'],
  ['?sslmode=', 'Use one of disable, allow, prefer, require, verify-ca, verify-full.'],
  ['?sslmode=require&sslmode=REQUIRE', 'Use one of disable, allow, prefer, require, verify-ca, verify-full.'],
  ['?sslmode=verify-ca', 'Add sslrootcert=FILE, or use sslmode=verify-full.'],
])('%s is refused, with what to write', (more, fix) => {
  let failure: unknown;
  try {
    at('db.example.com', more);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ kind: 'invalid_configuration', fix });
  expect((failure as Failure).message).not.toContain('secret');
});

test('several hosts, each with its port, are all of one address, and one of them has to take writes', () => {
  const { hosts, takesWrites } = hostsAt('db1:5433,db2,[::1]:6000', '?target_session_attrs=read-write&sslmode=require');
  expect(takesWrites).toBe(true);
  expect(hosts.map(({ host, port }) => [host, port])).toEqual([
    ['db1', 5433],
    ['db2', 5432],
    ['::1', 6000],
  ]);
  for (const { connection } of hosts) {
    expect(connection).toMatchObject({ user: 'orrery', password: 'secret', database: 'orrery' });
    expect(connection).toHaveProperty('ssl.rejectUnauthorized', false);
    expect(connection).not.toHaveProperty('target_session_attrs');
  }
  expect(hostsAt('db1,db2').takesWrites).toBe(true);
  expect(hostsAt('db1').takesWrites).toBe(false);
  expect(hostsAt('db1', '?target_session_attrs=primary')).toMatchObject({
    takesWrites: true,
    hosts: [{ host: 'db1' }],
  });
  expect(hostsAt('db1', '?target_session_attrs=any&application_name=x').hosts[0]?.connection).toMatchObject({
    application_name: 'x',
  });
});

test.each([
  ['db1', '?target_session_attrs=standby', 'Orrery writes: use read-write, or leave it out.'],
  [Array.from({ length: 9 }, (_, at) => `db${at}`).join(), '', 'Name the servers that can take writes.'],
  ['db1,,db2', '', 'Write each host as host or host:port, with a comma between two.'],
])('%s%s is refused, with what to write', (host, more, fix) => {
  let failure: unknown;
  try {
    hostsAt(host, more);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ kind: 'invalid_configuration', fix });
});
