// Flags and environment as one configuration: which wins, what is refused, and what is never shown.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from './base/failure.ts';
import { type Flags, readConfig } from './config.ts';

type Environment = Readonly<Record<string, string>>;

function failureOf(flags: Flags, environment: Environment = {}): Failure {
  try {
    readConfig(flags, environment);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

function setting(name: string, flags: Flags, environment: Environment = {}) {
  const { settings } = readConfig(flags, environment);
  const found = settings.find((each) => each.name === name);
  return [found?.value, found?.source];
}

test('without flags and variables the defaults of the contract hold', () => {
  const config = readConfig({}, {});
  expect(config).toMatchObject({
    place: { engine: 'embedded' },
    host: '127.0.0.1',
    port: 4610,
    workers: 1,
    publicUrl: undefined,
    corsOrigins: [],
    logLevel: 'info',
    deprecation: undefined,
  });
  expect(config.settings.every((each) => each.source === 'default')).toBe(true);
  expect(Object.isFrozen(config)).toBe(true);
});

test('a flag beats the environment, which beats the default, and each setting names its source', () => {
  const environment = { ORRERY_PORT: '8080' };
  expect(setting('port', {})).toEqual(['4610', 'default']);
  expect(setting('port', {}, environment)).toEqual(['8080', 'environment']);
  expect(setting('port', { port: '9090' }, environment)).toEqual(['9090', 'flag']);
  expect(readConfig({ port: '9090' }, environment).port).toBe(9090);
});

test('every setting can be given in the environment, and all but two as a flag', () => {
  const environment = {
    ORRERY_DATA_DIR: 'data',
    ORRERY_HOST: '0.0.0.0',
    ORRERY_PORT: '0',
    ORRERY_WORKERS: '24',
    ORRERY_PUBLIC_URL: 'https://crm.example.com/',
    ORRERY_CORS_ORIGIN: 'https://a.example,http://b.example:8080',
    ORRERY_LOG_LEVEL: 'debug',
    ORRERY_DEPRECATION: '2027-01-01T00:00:00Z',
    ORRERY_SUNSET: '2027-07-01T00:00:00+02:00',
  };
  expect(readConfig({}, environment)).toMatchObject({
    place: { engine: 'embedded', dataDir: resolve('data') },
    host: '0.0.0.0',
    port: 0,
    workers: 24,
    publicUrl: 'https://crm.example.com',
    corsOrigins: ['https://a.example', 'http://b.example:8080'],
    logLevel: 'debug',
    deprecation: { since: new Date('2027-01-01T00:00:00Z'), sunset: new Date('2027-06-30T22:00:00Z') },
  });
  const flags = {
    host: '::1',
    publicUrl: 'http://localhost:4610',
    corsOrigins: ['https://c.example', 'https://d.example'],
    logLevel: 'silent',
  };
  expect(readConfig({ ...flags, dataDir: 'other', port: '65535', workers: '2' }, environment)).toMatchObject({
    ...flags,
    place: { engine: 'embedded', dataDir: resolve('other') },
    port: 65_535,
    workers: 2,
  });
});

test('a variable that is set to nothing counts as unset', () => {
  expect(setting('port', {}, { ORRERY_PORT: '' })).toEqual(['4610', 'default']);
  expect(readConfig({}, { DATABASE_URL: '' }).place.engine).toBe('embedded');
});

test('an unknown ORRERY_ variable is refused, with the nearest known one', () => {
  const failure = failureOf({}, { ORRERY_PROT: '8080' });
  expect(failure.kind).toBe('invalid_configuration');
  expect(failure.message).toContain('ORRERY_PROT');
  expect(failure.fix).toContain('ORRERY_PORT');
  expect(failureOf({}, { ORRERY_LOGLEVEL: 'info' }).fix).toContain('ORRERY_LOG_LEVEL');
  expect(failureOf({}, { ORRERY_SOMETHING_ELSE_ALTOGETHER: '' }).fix).not.toContain('Did you mean');
  expect(failureOf({}, { ORRERY_: '' }).kind).toBe('invalid_configuration');
});

test('variables that do not belong to the service are ignored', () => {
  const environment = { ORRERY_KEY: 'x', ORRERY_URL: 'x', PORT: 'x', HOST: 'x', orrery_port: 'x', MY_ORRERY_PORT: 'x' };
  expect(readConfig({}, environment)).toEqual(readConfig({}, {}));
});

const server = 'postgres://ada@db.example/crm';

test('the database is a server if one is given, otherwise the folder', () => {
  expect(readConfig({}, { DATABASE_URL: server }).place).toMatchObject({ engine: 'server', url: server });
  expect(readConfig({ databaseUrl: server }, {}).place).toMatchObject({ engine: 'server', url: server });
  expect(readConfig({}, { DATABASE_URL: server, ORRERY_DATA_DIR: 'data' }).place.engine).toBe('server');
  expect(readConfig({ databaseUrl: server }, { ORRERY_DATA_DIR: 'data' }).place.engine).toBe('server');
});

test('the variables of PostgreSQL say how to reach a server, as far as its address does not', () => {
  const url = (address: string, environment: Environment) => {
    const { place } = readConfig({ databaseUrl: address }, environment);
    return place.engine === 'server' ? place.url : undefined;
  };
  expect(url(server, { PGSSLMODE: 'require' })).toBe(`${server}?sslmode=require`);
  expect(url(server, { PGSSLMODE: 'verify-ca', PGSSLROOTCERT: '/a b.pem' })).toBe(
    `${server}?sslmode=verify-ca&sslrootcert=%2Fa%20b.pem`,
  );
  expect(url(`${server}?sslmode=disable`, { PGSSLMODE: 'require' })).toBe(`${server}?sslmode=disable`);
  expect(url(`${server}?user=b`, { PGSSLMODE: 'require' })).toBe(`${server}?user=b&sslmode=require`);
  expect(url(server, { PGSSLMODE: '' })).toBe(server);
});

test('a folder given as a flag beats a server of the environment', () => {
  const { place } = readConfig({ dataDir: 'data' }, { DATABASE_URL: server });
  expect(place).toMatchObject({ engine: 'embedded', dataDir: resolve('data') });
});

test('both databases as flags are a usage error', () => {
  const failure = failureOf({ dataDir: 'data', databaseUrl: server });
  expect(failure.kind).toBe('usage');
  expect(failure.message).toContain('--data-dir');
  expect(failure.message).toContain('--database-url');
});

test.each([
  'postgres://ada:secret@db.example:5432/crm',
  'postgresql://ada:secret@db.example/crm',
  'postgres://:secret@db.example/crm',
  'postgres://ada:secret@/crm?host=/run/postgresql',
  'postgres://ada:0:secret@db.example/crm',
  'postgres://ada:%40secret%2F@db.example/crm',
  'postgres://ada:0@secret@db.example/crm',
  'postgres://ada:0/secret@db.example/crm',
  'postgres://ada:secret#0@db.example/crm',
  'postgres://db.example/crm?user=ada&password=secret',
  'postgres://db.example/crm?password=secret&sslmode=require',
])('a password in the address of the database is used and never shown: %s', (url) => {
  const { place, settings } = readConfig({ databaseUrl: url }, {});
  expect(place).toMatchObject({ engine: 'server', url });
  expect(JSON.stringify(settings)).not.toContain('secret');
});

test('the rest of the address is shown, so that the database can be recognized', () => {
  const [value] = setting('databaseUrl', { databaseUrl: 'postgres://ada:secret@db.example:5432/crm?sslmode=require' });
  expect(value).toMatch(/^postgres:\/\/ada:[^a-z]+@db\.example:5432\/crm\?sslmode=require$/);
  expect(setting('databaseUrl', { databaseUrl: server })).toEqual([server, 'flag']);
});

test('a failure does not repeat an address that may contain a password', () => {
  const failure = failureOf({}, { DATABASE_URL: 'mysql://ada:secret@db.example/crm' });
  expect(failure.message + failure.fix).not.toContain('secret');
});

test.each([
  ['port', '--port', ['', '65536', '-1', '80.5', 'http', '0x50', '123456', ' 80']],
  ['workers', '--workers', ['', '0', '25', '-1', '1.5', 'all', '100', '01']],
  ['publicUrl', '--public-url', ['', 'crm.example.com', 'ftp://crm.example.com', 'https://crm.example.com/path', '/']],
  ['corsOrigins', '--cors-origin', ['', '*', 'null', 'app.example.com', 'https://a.example/', 'https://a.example/x']],
  ['corsOrigins', '--cors-origin', ['https://a.example,', 'https://a.example, https://b.example', 'file:///x']],
  ['logLevel', '--log-level', ['', 'verbose', 'INFO', 'toString']],
  ['databaseUrl', '--database-url', ['', 'postgres://', 'mysql://a', 'db.example', 'file:crm.db']],
  ['host', '--host', ['']],
  ['dataDir', '--data-dir', ['']],
] as const)('a bad %s is refused with a sentence that names %s', (name, flag, values) => {
  for (const value of values) {
    const failure = failureOf({ [name]: value });
    expect(failure.kind, value).toBe('invalid_configuration');
    expect(failure.message).toMatch(new RegExp(`^${flag} must be .+\\.$`));
    expect(failure.fix).toMatch(/^\S.*\.$/);
  }
});

test.each([
  ['ORRERY_PORT', '70000'],
  ['ORRERY_WORKERS', '0'],
  ['ORRERY_PUBLIC_URL', 'crm'],
  ['ORRERY_CORS_ORIGIN', '*'],
  ['ORRERY_LOG_LEVEL', 'loud'],
  ['DATABASE_URL', 'crm'],
  ['ORRERY_DEPRECATION', '2027-01-01'],
  ['ORRERY_SUNSET', 'soon'],
])('a bad value of the environment is refused with a sentence that names %s', (variable, value) => {
  const failure = failureOf({}, { [variable]: value });
  expect(failure.kind).toBe('invalid_configuration');
  expect(failure.message).toMatch(new RegExp(`^${variable} must be .+\\.$`));
});

test('one bad origin among good ones is refused', () => {
  expect(failureOf({ corsOrigins: ['https://a.example', 'https://b.example/'] }).message).toContain('--cors-origin');
});

test('an origin written with capitals is kept as browsers send it', () => {
  const { corsOrigins } = readConfig({ corsOrigins: ['https://App.Example.com'] }, {});
  expect(corsOrigins).toEqual(['https://app.example.com']);
});

test('a deprecation needs a sunset, which must not be earlier', () => {
  const early = '2027-01-01T00:00:00Z';
  const late = '2027-07-01T00:00:00Z';
  expect(failureOf({}, { ORRERY_DEPRECATION: early }).message).toContain('ORRERY_SUNSET');
  expect(failureOf({}, { ORRERY_SUNSET: late }).message).toContain('ORRERY_DEPRECATION');
  expect(failureOf({}, { ORRERY_DEPRECATION: late, ORRERY_SUNSET: early }).kind).toBe('invalid_configuration');
  // Later by the clock, but earlier as a moment.
  const behind = { ORRERY_DEPRECATION: '2027-01-01T00:00:00Z', ORRERY_SUNSET: '2027-01-01T01:00:00+02:00' };
  expect(failureOf({}, behind).kind).toBe('invalid_configuration');
  expect(readConfig({}, { ORRERY_DEPRECATION: early, ORRERY_SUNSET: late }).deprecation).toEqual({
    since: new Date(early),
    sunset: new Date(late),
  });
  expect(readConfig({}, { ORRERY_DEPRECATION: early, ORRERY_SUNSET: early }).deprecation?.sunset).toEqual(
    new Date(early),
  );
});
