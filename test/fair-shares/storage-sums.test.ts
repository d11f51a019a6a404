// The sums of what orgs store, which processes add up while they write: they agree with a count of the rows and with what
// the tables grow by, and cost no statement for a write.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sleep, systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/id.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { openStorage } from '../../src/engine/shares/storage.ts';
import type { Statement, Transaction } from '../../src/store/database.ts';
import { countStorage } from '../../src/store/org/count-storage.ts';
import { addStorage, findStorage } from '../../src/store/org/storage.ts';
import { item, succeed } from '../support/batch.ts';
import { runCommand } from '../support/command.ts';
import { rawQuery } from '../support/database.ts';
import { until } from '../support/eventually.ts';
import {
  countedBytes,
  newStoringOrg,
  note,
  type StoringOrg,
  storedBytes,
  storeSumsSoon,
} from '../support/fair-shares/storage.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { ingest } from '../support/ingest/ingest.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { make, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
const reset = storeSumsSoon();
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  reset();
});

/** A bit of everything that adds and removes rows, with short and long values. */
async function writeMixed({ orgId, client }: StoringOrg): Promise<void> {
  const bodies = ['short', 'é'.repeat(3_000), 'x'.repeat(20_000)];
  const notes = await succeed(
    client,
    Array.from({ length: 60 }, (_, n) => item('create', 'svc_note', { properties: note(bodies[n % 3] ?? '') })),
  );
  const company = await make(client, 'svc_company', { svc_name: 'Acme', svc_description: 'y'.repeat(9_000) });
  for (const [index, { id = '' }] of notes.entries()) {
    const path = `${recordsPath('svc_note')}${id}/`;
    const headers: Record<string, string> = index % 4 === 0 ? { 'idempotency-key': newId() } : {};
    const answer = await client.patch(path, { properties: { svc_body: bodies[(index + 1) % 3] } }, headers);
    expect(answer.status, answer.text).toBe(200);
    if (index % 2 === 0) await client.call('PUT', `${path}associations/svc_note_to_company/${company.id}/`);
    if (index % 5 === 0) await client.delete(path);
  }
  const gone = notes.filter((_, index) => index % 5 === 0);
  await succeed(client, [
    item('restore', 'svc_note', { id: gone[0]?.id }),
    item('restore', 'svc_note', { id: gone[1]?.id }),
  ]);
  await succeed(client, [item('merge', 'svc_note', { id: notes[1]?.id, duplicate_id: notes[2]?.id })]);
  await ingest(
    service.database,
    orgId,
    'svc_meeting',
    Array.from({ length: 20 }, (_, n) => ({ external_id: `m${n}`, properties: { svc_subject: `Meeting ${n}` } })),
  );
  const folder = await ImportFolder.make();
  const rows = Array.from({ length: 50 }, (_, n) => `Imported ${n},${'z'.repeat(n * 200)}`);
  await folder.run(service, orgId, 'svc_company', ['Name,Description', ...rows, ''].join('\n'));
  await folder.remove();
}

test('what is added up while writing and purging is what a count of the rows finds', async () => {
  const org = await newStoringOrg(service);
  const { orgId } = org;
  const agree = async (share: number) => {
    const [added, counted] = [await storedBytes(service, orgId), await countedBytes(service, orgId)];
    expect(counted).toBeGreaterThan(0);
    expect(Math.abs(added - counted) / counted, `${added} added, ${counted} counted`).toBeLessThan(share);
    return counted;
  };
  const empty = await agree(0.02);
  await writeMixed(org);
  const written = await agree(0.02);
  expect(written).toBeGreaterThan(empty + 1_000_000);
  await runCommand(service.databaseUrl, 'trash purge', '', { org: String(orgId), all: true });
  const purged = await agree(0.02);
  expect(purged).toBeLessThan(written);
  await service.database.query(sql`
    update orrery.idempotency set created_at = now() - interval '2 days' where org_id = ${orgId}`);
  await keepHouse(service.database, { trashSeconds: 86_400, changesSeconds: 0 });
  expect(await agree(0.03)).toBeLessThan(purged);
});

test('a merge counts the entries and users that it adds for the links of others', async () => {
  const { orgId, client } = await newStoringOrg(service);
  const [kept, duplicate] = [await make(client, 'svc_company'), await make(client, 'svc_company')];
  const link = { association_type: 'svc_contact_to_company', target_id: duplicate.id };
  await succeed(
    client,
    Array.from({ length: 200 }, () => item('create', 'svc_contact', { properties: {}, associations: [link] })),
  );
  await storedBytes(service, orgId);
  const before = await countedBytes(service, orgId);
  await succeed(client, [item('merge', 'svc_company', { id: kept.id, duplicate_id: duplicate.id })]);
  const [added, counted] = [await storedBytes(service, orgId), await countedBytes(service, orgId)];
  // Two entries for each of the contacts.
  expect(counted - before).toBeGreaterThan(400 * 200);
  expect(Math.abs(added - counted), `${added} added, ${counted} counted`).toBeLessThan(2_000);
});

test('a count corrects what a crash has lost, and keeps what is added meanwhile', async () => {
  const { orgId, client } = await newStoringOrg(service);
  const right = await storedBytes(service, orgId);
  await service.database.query(sql`update orrery.storage set bytes = 5, counted_at = null where org_id = ${orgId}`);
  await keepHouse(service.database, { trashSeconds: 86_400, changesSeconds: 86_400 });
  const counted = (await findStorage(service.database, orgId))?.bytes ?? 0;
  expect(Math.abs(counted - right) / right).toBeLessThan(0.02);
  const before = await storedBytes(service, orgId);
  await make(client, 'svc_note', note('x'.repeat(4_000)));
  const counting = countStorage(service.database, orgId);
  await make(client, 'svc_note', note('x'.repeat(4_000)));
  await counting;
  expect(await storedBytes(service, orgId)).toBeGreaterThan(before + 2 * 8_000);
});

/** The size of all tables with their indexes. */
async function tableBytes(): Promise<number> {
  const { rows } = await rawQuery(
    service.databaseUrl,
    "select sum(pg_total_relation_size(oid)) as bytes from pg_class where relnamespace = 'orrery'::regnamespace and relkind = 'r'",
  );
  return Number(rows[0].bytes);
}

const words = Array.from({ length: 2_000 }, (_, n) => `${(n * 7_919).toString(36)}word`);
const text = (characters: number, from: number) => {
  let written = '';
  for (let at = from; written.length < characters; at += 13) written += `${words[at % words.length]} `;
  return written.trim();
};

test.each([
  ['contacts', 'svc_contact', (n: number) => ({ svc_last_name: `Name ${n}`, svc_email: [`${n}@example.com`] })],
  ['companies', 'svc_company', (n: number) => ({ svc_name: `Company ${n}`, svc_description: text(400, n) })],
  ['notes', 'svc_note', (n: number) => note(text(3_000, n))],
  ['long notes', 'svc_note', (n: number) => note(text(8_000, n))],
])('what is added up for %s is between half and twice of what the tables grow by', async (_, type, properties) => {
  const { orgId, client } = await newStoringOrg(service);
  const [before, empty] = [await tableBytes(), await storedBytes(service, orgId)];
  for (let batch = 0; batch < 300; batch += 100) {
    const items = Array.from({ length: 100 }, (_, n) => item('create', type, { properties: properties(batch + n) }));
    await succeed(client, items);
  }
  const grown = (await tableBytes()) - before;
  const added = (await storedBytes(service, orgId)) - empty;
  expect(added / grown, `${added} added, ${grown} grown`).toBeGreaterThan(0.5);
  expect(added / grown, `${added} added, ${grown} grown`).toBeLessThan(2);
});

test('a thousand writes are one question and one sum, and without a quota only a sum', async () => {
  const { orgId } = await newStoringOrg(service);
  const before = await storedBytes(service, orgId);
  let asked = 0;
  const counting: Transaction = {
    ...service.database,
    query: (statement) => {
      asked++;
      return service.database.query(statement);
    },
  };
  // Its sums are stored only when it closes.
  onTestFinished(lowerBounds({ shares: { storageFlushMs: 600_000, storageKnownMs: 600_000 } }));
  const storage = openStorage(counting, systemClock, () => {});
  for (let write = 0; write < 1_000; write++) storage.grew(orgId, 10);
  expect(asked).toBe(0);
  for (let write = 0; write < 1_000; write++) {
    await storage.requireRoom(orgId, 1e12);
    storage.grew(orgId, 10);
  }
  expect(asked).toBe(1);
  expect((await findStorage(service.database, orgId))?.bytes).toBe(before + 10_000);
  // What this process has noted counts at once.
  expect(() => storage.requireRoom(orgId, before + 20_000)).toThrow('The org stores');
  expect(storage.requireRoom(orgId, before + 20_001)).toBeUndefined();
  await storage.close();
  expect(asked).toBe(2);
  expect((await findStorage(service.database, orgId))?.bytes).toBe(before + 20_000);
});

test('sums that could not be stored are stored later, and a full org is refused only by fresh numbers', async () => {
  const { orgId } = await newStoringOrg(service);
  const before = await storedBytes(service, orgId);
  let isDown = true;
  let asking = 0;
  const faults: unknown[] = [];
  const failing: Transaction = {
    ...service.database,
    query: async <Row extends object>(statement: Statement) => {
      if (isDown) throw new Error('down');
      asking++;
      return service.database.query<Row>(statement).finally(() => asking--);
    },
  };
  const storage = openStorage(failing, systemClock, (error) => faults.push(error));
  storage.grew(orgId, 500);
  await until(async () => faults.length > 0);
  isDown = false;
  await until(async () => (await findStorage(service.database, orgId))?.bytes === before + 500);
  await storage.requireRoom(orgId, before + 501);
  // On a slow machine the number was old by then, and is being asked for once more.
  await until(async () => asking === 0);
  await addStorage(service.database, orgId, 1_000);
  await sleep(bounds.shares.storageKnownMs);
  // The old number lets one more pass, and asks; the next is refused. After a purge the first is accepted.
  expect(storage.requireRoom(orgId, before + 501)).toBeUndefined();
  await until(async () => {
    try {
      await storage.requireRoom(orgId, before + 501);
      return false;
    } catch {
      return true;
    }
  });
  await addStorage(service.database, orgId, -1_000);
  await sleep(bounds.shares.storageKnownMs);
  await storage.requireRoom(orgId, before + 501);
  await storage.close();
});
