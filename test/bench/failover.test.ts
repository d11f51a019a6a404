// The driver of the soak on a database pair: its proxy cuts a network as a real one is cut, it counts a pause from write to
// write, it finds what must not be, and it says what is not installed.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { differences, lineOf, linkText } from '../support/feed/copy.ts';

interface Proxy {
  readonly port: number;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

interface Network {
  proxyTo(port: number): Promise<Proxy>;
  close(): Promise<unknown>;
}

interface Pause {
  readonly beganMs: number;
  readonly endedMs: number;
}

interface Stored {
  readonly lines: readonly string[];
  readonly links: readonly string[];
}

interface Driver {
  readonly openNetwork: () => Network;
  readonly longestPause: (moments: readonly number[], fromMs: number, untilMs: number) => Pause;
  readonly partsOf: (pause: Pause, openMs: number) => { all: number; after: number };
  readonly eventFindings: (events: readonly object[]) => readonly string[];
  readonly copyFindings: (copy: object, stored: Stored, compare: object) => readonly string[];
  readonly errorFindings: (way: string, file: string) => Promise<readonly string[]>;
  readonly whatIsMissing: (programs: Readonly<Record<string, string | undefined>>) => string | undefined;
}

// The benchmarks are plain JavaScript, so their types are said here.
const files = ['network', 'gaps', 'report', 'service-log', 'programs'].map(
  (name) => import(String(new URL(`../../bench/failover/${name}.mjs`, import.meta.url))),
);
const driver: Driver = Object.assign({}, ...(await Promise.all(files)));

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

/** A server that answers everything with itself, behind a proxy. */
async function openEcho(): Promise<Proxy> {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  opened.push(server);
  const network = driver.openNetwork();
  opened.push(network);
  return network.proxyTo((server.address() as AddressInfo).port);
}

/** A client, and everything that it has received. */
async function openClient({ port }: Proxy): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect({ host: '127.0.0.1', port });
  opened.push({ close: () => socket.destroy() });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(socket, 'connect');
  return { socket, text: () => text };
}

test('while the network is cut nothing passes, and what was sent meanwhile arrives once it is mended', async () => {
  const proxy = await openEcho();
  const before = await openClient(proxy);
  before.socket.write('one ');
  await expect.poll(before.text).toBe('one ');
  await proxy.cut();
  const during = await openClient(proxy);
  const leaving = await openClient(proxy);
  before.socket.write('two ');
  during.socket.write('three ');
  leaving.socket.destroy();
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  expect([before.text(), during.text()]).toEqual(['one ', '']);
  await proxy.mend();
  await expect.poll(() => [before.text(), during.text()]).toEqual(['one two ', 'three ']);
  expect([before.socket.destroyed, during.socket.destroyed]).toEqual([false, false]);
});

test('a pause is counted from the last write before to the first one after, and its end apart', () => {
  const moments = [0, 50, 100, 5_000, 5_050, 5_400, 9_000];
  expect(driver.longestPause(moments, 120, 5_500)).toEqual({ beganMs: 100, endedMs: 5_000 });
  expect(driver.longestPause(moments, 5_010, 5_100)).toEqual({ beganMs: 5_050, endedMs: 5_400 });
  expect(driver.partsOf({ beganMs: 100, endedMs: 5_000 }, 4_200)).toEqual({ all: 4_900, after: 800 });
  expect(driver.partsOf({ beganMs: 100, endedMs: 5_000 }, 5_020)).toEqual({ all: 4_900, after: 0 });
  expect(driver.partsOf({ beganMs: 100, endedMs: 5_000 }, 20)).toEqual({ all: 4_900, after: 4_900 });
});

test('a write that a former primary accepts, and writes that are late after the switch, are findings', () => {
  const way = { gap_ms: 20_000, after_switch_ms: 3_000 };
  const event = { event: 'server hung', haproxy: way, hosts: way, former_primary: { accepted: 0 } };
  expect(driver.eventFindings([event, { event: 'PostgreSQL killed' }])).toEqual([]);
  const late = { ...event, hosts: { ...way, after_switch_ms: 3_001 }, former_primary: { accepted: 1 } };
  expect(driver.eventFindings([late])).toEqual([
    'server hung: the former primary accepted a write',
    'server hung by hosts: 3001 ms after the switch',
  ]);
});

test('a copy that has to be loaded again is a finding if it is more than one of ten', () => {
  const way = { gap_ms: 20_000, after_switch_ms: 3_000 };
  const event = { event: 'server hung', haproxy: way, hosts: way, loaded_again: { haproxy: 0, hosts: 0 } };
  const again = { ...event, loaded_again: { haproxy: 1, hosts: 0 } };
  expect(driver.eventFindings([again, event, event, event, event])).toEqual([]);
  const told = 'server hung: the copy by haproxy had to be loaded again';
  expect(driver.eventFindings([again, event, event, again, event])).toEqual([told, told]);
});

test('a copy is compared with what is stored of its types, records and links', () => {
  const contact = { id: 'c', object_type: 'svc_contact', version: '1', properties: { svc_last_name: 'Berg' } };
  const copy = {
    way: 'hosts',
    findings: [],
    records: [contact],
    links: [{ type: 'svc_contact_to_company', source: 'c', target: 'd' }],
  };
  const stored = {
    lines: [lineOf(contact), lineOf({ ...contact, object_type: 'svc_deal' })],
    links: [linkText('svc_contact_to_company', 'c', 'd'), linkText('svc_deal_to_company', 'e', 'd')],
  };
  const find = (changed: object) =>
    driver.copyFindings({ ...copy, ...changed }, stored, { differences, lineOf, linkText });
  expect(find({})).toEqual([]);
  expect(find({ records: [{ ...contact, version: '2' }] })).toHaveLength(2);
  expect(find({ links: [] })).toEqual(['the copy by hosts lacks svc_contact_to_company from c to d']);
  expect(find({ findings: ['it has no end'] })).toEqual(['it has no end']);
});

test('an error of the service itself is a finding, once for each message', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-log-'));
  opened.push({ close: () => rm(folder, { recursive: true }) });
  const line = (level: string, err?: string) =>
    JSON.stringify({ level, msg: 'request failed', ...(err === undefined ? {} : { err: { message: err } }) });
  const lines = [line('warn', 'no database'), line('error', 'a'), line('error', 'b'), line('info'), line('error', 'a')];
  await writeFile(join(folder, 'log'), `${lines.join('\n')}\n`);
  expect(await driver.errorFindings('hosts', join(folder, 'log'))).toEqual([
    `the service by hosts: "request failed: a" 2 times: ${lines[1]}`,
    `the service by hosts: "request failed: b" 1 times: ${lines[2]}`,
  ]);
});

test('one sentence says which packages to install', () => {
  const programs = { etcd: '/usr/bin/etcd', haproxy: '/usr/sbin/haproxy', postgresBin: '/usr/lib/postgresql/15/bin' };
  expect(driver.whatIsMissing(programs)).toBeUndefined();
  expect(driver.whatIsMissing({ ...programs, etcd: undefined, postgresBin: undefined })).toBe(
    'The part "failover" needs etcd, PostgreSQL 15 or later: install Debian\'s packages with "apt-get install patroni etcd-server haproxy postgresql".',
  );
});
