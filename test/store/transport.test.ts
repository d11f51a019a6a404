// TLS to a server on another host: used whenever the server offers it, and plain text only if the server says that it has none.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { sql } from '../../src/base/sql.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { makeCertificate } from '../support/store/certificate.ts';
import { startTlsProxy, type TlsProxy } from '../support/store/tls-proxy.ts';

const certificate = makeCertificate();
let own: TestDatabase;
let folder: string;
let offering: TlsProxy;
let refusing: TlsProxy;
let breaking: TlsProxy;
beforeAll(async () => {
  own = await createDatabase();
  folder = await mkdtemp(join(tmpdir(), 'orrery-test-'));
  await writeFile(join(folder, 'ca.pem'), certificate.cert);
  offering = await startTlsProxy(own.url, certificate);
  refusing = await startTlsProxy(own.url, 'refuses');
  breaking = await startTlsProxy(own.url, 'breaks');
});
afterAll(async () => {
  for (const proxy of [offering, refusing, breaking]) await proxy.close();
  await own.drop();
  await rm(folder, { recursive: true, force: true });
});

/** An address that leads to this machine and does not say so. */
const elsewhere = '0.0.0.0';

function urlOf(proxy: TlsProxy, host: string, parameters: Readonly<Record<string, string>> = {}): string {
  const url = new URL(proxy.url);
  url.hostname = host;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** How a database at the address is reached, and how the connections to it began. */
async function reached(proxy: TlsProxy, url: string): Promise<string> {
  const before = proxy.beginnings.length;
  const database = await openUnmigrated({ engine: 'server', url });
  try {
    expect(await database.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    const began = [...new Set(proxy.beginnings.slice(before))].toSorted();
    return `${database.facts.transport}: ${began.join(', ')}`;
  } finally {
    await database.close();
  }
}

test('a server on another host that offers TLS is reached with it, and never in plain text', async () => {
  expect(await reached(offering, urlOf(offering, elsewhere))).toBe('tls_unverified: tls wanted');
});

test('a server on another host that refuses TLS is reached in plain text', async () => {
  expect(await reached(refusing, urlOf(refusing, elsewhere))).toBe('plain_text: plain, tls wanted');
});

test('an offer of TLS that breaks is a failure, and nothing is sent in plain text', async () => {
  const opening = openUnmigrated({ engine: 'server', url: urlOf(breaking, elsewhere) });
  await expect(opening).rejects.toBeInstanceOf(Failure);
  expect(new Set(breaking.beginnings)).toEqual(new Set(['tls wanted']));
});

test('the address can ask for more, or for less', async () => {
  expect(await reached(offering, urlOf(offering, elsewhere, { sslmode: 'disable' }))).toBe('plain_text: plain');
  expect(await reached(offering, urlOf(offering, elsewhere, { sslmode: 'require' }))).toBe(
    'tls_unverified: tls wanted',
  );
  const checked = { sslmode: 'verify-full', sslrootcert: join(folder, 'ca.pem') };
  expect(await reached(offering, urlOf(offering, 'localhost', checked))).toBe('tls_verified: tls wanted');
  const unknown = openUnmigrated({ engine: 'server', url: urlOf(offering, 'localhost', { sslmode: 'verify-full' }) });
  await expect(unknown).rejects.toThrow(/TLS failed/);
});

test('this machine is reached without TLS, unless the address prefers it', async () => {
  expect(await reached(offering, urlOf(offering, '127.0.0.1'))).toBe('local: plain');
  expect(await reached(offering, urlOf(offering, '127.0.0.1', { sslmode: 'prefer' }))).toBe(
    'tls_unverified: tls wanted',
  );
  expect(await reached(refusing, urlOf(refusing, '127.0.0.1', { sslmode: 'prefer' }))).toBe('local: plain, tls wanted');
});
