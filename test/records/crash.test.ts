// Real processes that are killed while writing: the service, its PostgreSQL, and both at once. What was acknowledged is
// stored, no batch is half stored, and what is sent again with its Idempotency-Key is stored once.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import { sleep } from '../../src/base/clock.ts';
import { newId } from '../../src/base/id.ts';
import { sql } from '../../src/base/sql.ts';
import { issueKey } from '../../src/engine/admin/keys.ts';
import { createOrg } from '../../src/engine/admin/orgs.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { entryKinds } from '../../src/store/feed/entries.ts';
import { type ServeProcess, startServe } from '../support/cli.ts';
import { Client } from '../support/client.ts';
import { cleanUp, isRunning, newFolder, postmasterPid, processesNaming, until } from '../support/embedded/harness.ts';
import { findingsIn } from '../support/integrity.ts';

let dataDir: string;
let orgId: number;
let key: string;
beforeAll(async () => {
  dataDir = join(newFolder(), 'data');
  const database = await openMigrated({ engine: 'embedded', dataDir });
  const policy = { rateQuota: 1_000_000, rateWindowSeconds: 60, storageQuota: null };
  orgId = await createOrg(database, { name: 'Crash', currency: 'USD', ...policy });
  const issued = { orgId, name: 'crash', userId: null, reach: 'org', grants: [fullGrant], expiresAt: null } as const;
  ({ key } = await issueKey(database, issued));
  await database.close();
});

let serving: ServeProcess | undefined;
afterEach(async () => {
  await serving?.stop('SIGKILL');
  serving = undefined;
});
afterAll(cleanUp);

function serve(): Promise<ServeProcess> {
  return startServe(['--data-dir', dataDir]).then((started) => {
    serving = started;
    return started;
  });
}

/** One write, by a mark that is in everything that it sets. */
interface Write {
  readonly mark: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: unknown;
  readonly keyed: boolean;
  /** How many entries of the feed it makes. */
  readonly entries: number;
  state: 'sent' | 'acknowledged' | 'unknown';
  /** The id and version of each record in the answer. */
  records: readonly { readonly id: string; readonly version: string }[];
}

const contacts = '/rest/v1/objects/svc_contact/records/';

function createOf(mark: string, keyed: boolean): Write {
  const properties = { svc_last_name: mark, svc_email: [`${mark}@example.com`] };
  return { mark, method: 'POST', path: contacts, body: { properties }, keyed, entries: 1, state: 'sent', records: [] };
}

function updateOf(mark: string, keyed: boolean, id: string): Write {
  const properties = { svc_headline: mark, svc_email: [`${mark}@example.com`] };
  const path = `${contacts}${id}/`;
  return { mark, method: 'PATCH', path, body: { properties }, keyed, entries: 1, state: 'sent', records: [] };
}

/** Three contacts, a company that they work at, and an update: five entries and three links. */
function batchOf(mark: string, keyed: boolean, id: string, atomic: boolean): Write {
  const company = { operation: 'create', object_type: 'svc_company', properties: { svc_name: mark }, ref: 'company' };
  const works = { association_type: 'svc_contact_to_company', target_id: { ref: 'company' } };
  const contact = (index: number) => ({
    operation: 'create',
    object_type: 'svc_contact',
    properties: { svc_job_title: mark, svc_email: [`${mark}-${index}@example.com`] },
    associations: [works],
  });
  const update = { operation: 'update', object_type: 'svc_contact', id, properties: { svc_location: mark } };
  const body = { atomic, operations: [company, contact(0), contact(1), contact(2), update] };
  return { mark, method: 'POST', path: '/rest/v1/batch/', body, keyed, entries: 5, state: 'sent', records: [] };
}

/** Clients that write until they are stopped, and the answers that they got. */
class Writers {
  readonly writes: Write[] = [];
  /** Answers that no client should have got. */
  readonly unexpected: string[] = [];
  acknowledged = 0;
  unavailable = 0;
  lost = 0;
  service: Promise<ServeProcess>;
  writing = true;
  readonly #done: Promise<unknown>;

  constructor(service: Promise<ServeProcess>) {
    this.service = service;
    this.#done = Promise.all(Array.from({ length: 6 }, (_, lane) => this.#write(lane)));
  }

  async stop(): Promise<void> {
    this.writing = false;
    await this.#done;
  }

  /** Resolves when this many more writes are acknowledged, with the time that it took. */
  async progress(count: number): Promise<number> {
    const beganMs = performance.now();
    const enough = this.acknowledged + count;
    await until(() => this.acknowledged >= enough || this.unexpected.length > 0);
    return performance.now() - beganMs;
  }

  async #write(lane: number): Promise<void> {
    let own: string | undefined;
    for (let turn = lane; this.writing; turn++) {
      const mark = `m${newId()}`;
      const keyed = turn % 2 === 0;
      const write =
        own === undefined || turn % 3 === 0
          ? createOf(mark, keyed)
          : turn % 3 === 1
            ? updateOf(mark, keyed, own)
            : batchOf(mark, keyed, own, turn % 4 < 2);
      this.writes.push(write);
      await this.#send(write);
      if (write.method === 'POST' && write.records.length === 1) own = write.records[0]?.id;
    }
  }

  /** With a key it is sent until it is acknowledged; without one, once. */
  async #send(write: Write): Promise<void> {
    do {
      const { url } = await this.service;
      const answer = await new Client(url, key)
        .raw(write.method, write.path, {
          headers: { 'content-type': 'application/json', ...(write.keyed ? { 'idempotency-key': write.mark } : {}) },
          body: JSON.stringify(write.body),
        })
        .catch(() => undefined);
      if (answer === undefined) this.lost++;
      else if (answer.status === 200 || answer.status === 201) {
        const { data } = answer.body;
        write.records = data.results ?? [data];
        write.state = 'acknowledged';
        this.acknowledged++;
        return;
      } else if (answer.status === 503 && Number(answer.headers.get('retry-after')) > 0) this.unavailable++;
      else if (answer.body?.reason !== 'idempotency_in_progress') this.unexpected.push(answer.text);
      await sleep(20);
    } while (write.keyed && this.unexpected.length === 0);
    write.state = 'unknown';
  }
}

/** Compares the database with what the clients know. */
async function findingsOf({ writes, unexpected }: Writers): Promise<readonly string[]> {
  const database = await openMigrated({ engine: 'embedded', dataDir });
  try {
    const found = await database.query<{ kind: number; id: string; version: string; changed: string }>(sql`
      select kind, record_id as id, version, changed from orrery.change
      where org_id = ${orgId} and kind <= ${entryKinds['record.updated']}`);
    const entries = new Map<string, string[]>();
    for (const { kind, id, version, changed } of found) {
      const told = JSON.parse(changed) as Record<string, unknown>;
      const values =
        kind === entryKinds['record.created']
          ? told
          : Object.values(told).map((each) => (each as { new: unknown }).new);
      // Marks in lists of addresses come with other letters, so each entry has its mark once in this form.
      const mark = Object.values(values).find((value) => typeof value === 'string' && value.startsWith('m0')) as string;
      entries.set(mark, [...(entries.get(mark) ?? []), `${id} ${version}`]);
    }
    const findings = writes.flatMap(({ mark, state, records, entries: wanted, body }) => {
      const made = entries.get(mark) ?? [];
      const whole = made.length === wanted || (state === 'unknown' && made.length === 0);
      const missing = records.filter(({ id, version }) => !made.includes(`${id} ${version}`));
      return [
        ...(whole ? [] : [`${state}, ${made.length} of ${wanted} entries: ${JSON.stringify(body)}`]),
        ...missing.map(({ id, version }) => `acknowledged and not there: ${id} at version ${version}`),
        ...(state === 'sent' ? [`never ended: ${mark}`] : []),
      ];
    });
    return [...unexpected, ...findings, ...(await findingsIn(database, orgId))];
  } finally {
    await database.close();
  }
}

/** From 20 to 79: how many writes pass before the next kill. */
function someWrites(): number {
  return 20 + Math.floor(Math.random() * 60);
}

async function expectKept(writers: Writers): Promise<void> {
  expect(writers.writes.filter(({ state }) => state === 'acknowledged').length).toBeGreaterThan(100);
  expect(await findingsOf(writers)).toEqual([]);
  const service = await writers.service;
  const client = new Client(service.url, key);
  for (const { entries, records } of writers.writes.slice(-5)) {
    const type = entries === 1 ? 'svc_contact' : 'svc_company';
    const [record] = records;
    if (record === undefined) continue;
    expect((await client.get(`/objects/${type}/records/${record.id}/`)).status).toBe(200);
  }
  const { status } = await service.stop();
  expect(status).toBe(0);
  await expect.poll(() => processesNaming(dataDir)).toEqual([]);
}

test('a service that is killed while clients write has lost nothing that it acknowledged', async () => {
  const writers = new Writers(serve());
  for (let kill = 0; kill < 3; kill++) {
    await writers.progress(someWrites());
    const killed = await writers.service;
    writers.service = killed.stop('SIGKILL').then(serve);
    await writers.service;
  }
  await writers.progress(30);
  await writers.stop();
  expect(writers.lost).toBeGreaterThan(0);
  await expectKept(writers);
});

test('a PostgreSQL that is killed while clients write is restarted automatically and has lost nothing', async () => {
  const writers = new Writers(serve());
  const { pid, child } = await writers.service;
  for (let kill = 0; kill < 3; kill++) {
    await writers.progress(someWrites());
    const postmaster = postmasterPid(dataDir);
    process.kill(postmaster, 'SIGKILL');
    await until(() => !isRunning(postmaster));
    expect(await writers.progress(someWrites())).toBeLessThan(60_000);
    expect(postmasterPid(dataDir)).not.toBe(postmaster);
  }
  await writers.stop();
  expect(writers.unavailable).toBeGreaterThan(0);
  // It is the same service, and no request was left without an answer.
  expect([child.exitCode, isRunning(pid), writers.lost]).toEqual([null, true, 0]);
  await expectKept(writers);
});

test('a service and its PostgreSQL that are killed at once have lost nothing', async () => {
  const writers = new Writers(serve());
  await writers.progress(100);
  const killed = await writers.service;
  process.kill(postmasterPid(dataDir), 'SIGKILL');
  writers.service = killed.stop('SIGKILL').then(serve);
  await writers.service;
  await writers.progress(30);
  await writers.stop();
  await expectKept(writers);
});
