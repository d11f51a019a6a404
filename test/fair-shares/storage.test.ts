// An org that has reached its storage quota: writes that grow are refused, everything else works, and purging makes room
// again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/id.ts';
import { changeOrg } from '../../src/engine/admin/orgs.ts';
import type { Answer } from '../support/answer.ts';
import { item, outcomesOf, runBatch, succeed } from '../support/batch.ts';
import { runCommand } from '../support/command.ts';
import { holdRow } from '../support/database.ts';
import { until, withinASecond } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import {
  boundStorage,
  fillOrg,
  newStoringOrg,
  note,
  type StoringOrg,
  storedBytes,
  storeSumsSoon,
} from '../support/fair-shares/storage.ts';
import { waitingForLocks } from '../support/records/held-rows.ts';
import { contacts, make, pathOfRecord, type RecordData, read } from '../support/records.ts';
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

test('a full org refuses to grow, says how much it stores and may store, and has room again after a purge', async () => {
  const org = await newStoringOrg(service);
  const { orgId, client } = org;
  const records = await succeed(
    client,
    Array.from({ length: 20 }, () => item('create', 'svc_note', { properties: note('x '.repeat(1_000)) })),
  );
  await fillOrg(service, org);
  const quota = (await storedBytes(service, orgId)).toLocaleString('en-US');
  const refused = await client.post(contacts, { properties: {} });
  await expectProblem(refused, 'forbidden', 'storage_quota');
  expect(refused.body.detail).toContain(`its quota is ${quota} bytes`);
  expect(refused.body.detail).toContain(`orrery trash purge --org ${orgId}`);
  expect(refused.body.detail).toContain(`orrery org update ${orgId} --storage-quota`);
  const deleted = await runBatch(
    client,
    records.map(({ id }) => item('delete', 'svc_note', { id })),
  );
  expect(deleted.status, deleted.text).toBe(200);
  // Deleting has made some room; purging makes more.
  await fillOrg(service, org);
  const purge = await runCommand(service.databaseUrl, 'trash purge', '', { org: String(orgId), all: true });
  expect(purge.value).toEqual({ org_id: orgId, purged: 20 });
  const made = await withinASecond(
    () => client.post(contacts, { properties: {} }),
    ({ status }) => status === 201,
  );
  expect(made.status, made.text).toBe(201);
});

/** An org that is full, with records for every kind of write. */
interface FullOrg extends StoringOrg {
  readonly company: RecordData;
  readonly other: RecordData;
  readonly contact: RecordData;
  readonly deleted: RecordData;
  readonly email: string;
}

let made: Promise<FullOrg> | undefined;
const fullOrg = () => {
  made ??= makeFull();
  return made;
};

async function makeFull(): Promise<FullOrg> {
  const org = await newStoringOrg(service);
  const { client } = org;
  const email = `${newId()}@example.com`;
  const company = await make(client, 'svc_company', { svc_name: 'Acme' });
  const other = await make(client, 'svc_company', { svc_name: 'Other' });
  const link = { association_type: 'svc_contact_to_company', target_id: company.id };
  const contact = await make(client, 'svc_contact', { svc_last_name: 'Ada', svc_email: [email] }, [link]);
  const deleted = await make(client, 'svc_contact', { svc_last_name: 'Gone' });
  await client.delete(pathOfRecord(deleted));
  await fillOrg(service, org);
  return { ...org, company, other, contact, deleted, email };
}

function linkTo({ contact }: FullOrg, { id }: RecordData): string {
  return `${pathOfRecord(contact)}associations/svc_contact_to_company/${id}/`;
}

const growing: Readonly<Record<string, (org: FullOrg) => Promise<Answer>>> = {
  create: ({ client }) => client.post(contacts, { properties: {} }),
  'create in a dry run': ({ client }) => client.post(contacts, { properties: {} }, { 'svc-dry-run': 'true' }),
  'create under an idempotency key': ({ client }) =>
    client.post(contacts, { properties: {} }, { 'idempotency-key': newId() }),
  update: ({ client, contact }) => client.patch(pathOfRecord(contact), { properties: { svc_last_name: 'Other' } }),
  'upsert that creates': ({ client }) =>
    client.put(`${contacts}?match=svc_email`, { properties: { svc_email: ['new@example.com'] } }),
  'upsert that updates': ({ client, email }) =>
    client.put(`${contacts}?match=svc_email`, { properties: { svc_email: [email], svc_last_name: 'Other' } }),
  link: (org) => org.client.call('PUT', linkTo(org, org.other)),
  'atomic batch': ({ client, contact }) => {
    const unchanged = item('update', 'svc_contact', { id: contact.id, properties: { svc_last_name: 'Ada' } });
    return runBatch(client, [unchanged, item('create', 'svc_contact', { properties: {} })], { atomic: true });
  },
};

test.each(Object.keys(growing))('a full org refuses: %s', async (name) => {
  const answer = await growing[name]?.(await fullOrg());
  expect(answer).toBeDefined();
  if (answer !== undefined) await expectProblem(answer, 'forbidden', 'storage_quota');
});

test('in a batch each item that grows is refused, and all others are done', async () => {
  const { client, contact, company, other, deleted } = await fullOrg();
  const spare = { association_type: 'svc_contact_to_company', target_id: company.id };
  const answer = await runBatch(client, [
    item('create', 'svc_contact', { properties: {} }),
    item('update', 'svc_contact', { id: contact.id, properties: { svc_last_name: 'Other' } }),
    item('restore', 'svc_contact', { id: deleted.id }),
    item('merge', 'svc_company', { id: company.id, duplicate_id: other.id }),
    item('associate', 'svc_contact', { id: contact.id, ...spare, target_id: other.id }),
    item('update', 'svc_contact', { id: contact.id, properties: { svc_last_name: 'Ada' } }),
    item('dissociate', 'svc_contact', { id: contact.id, ...spare }),
    item('delete', 'svc_company', { id: other.id }),
  ]);
  expect(answer.status).toBe(207);
  expect(outcomesOf(answer)).toEqual([
    ...Array.from({ length: 5 }, () => '403 storage_quota'),
    '200 1',
    '200 2',
    '200',
  ]);
});

test('a merge that has begun is finished, although the org becomes full meanwhile', async () => {
  const org = await newStoringOrg(service);
  const { orgId, client } = org;
  const kept = await make(client, 'svc_contact', { svc_last_name: 'Ada' });
  const company = await make(client, 'svc_company', { svc_name: 'Acme' });
  const link = { association_type: 'svc_contact_to_company', target_id: company.id };
  const duplicate = await make(client, 'svc_contact', { svc_first_name: 'Ada' }, [link]);
  await fillOrg(service, org);
  await boundStorage(service, orgId, (await storedBytes(service, orgId)) + 50_000);
  await withinASecond(
    () => client.post(contacts, { properties: {} }, { 'svc-dry-run': 'true' }),
    ({ status }) => status === 201,
  );
  // The merge waits for this link after it was given room.
  const held = `select 1 from orrery.association where org_id = ${orgId} and source_id = '${duplicate.id}' for update`;
  const release = await holdRow(service.databaseUrl, held);
  const merging = runBatch(client, [item('merge', 'svc_contact', { id: kept.id, duplicate_id: duplicate.id })]);
  await until(async () => (await waitingForLocks(service.databaseUrl)).length > 0);
  await make(client, 'svc_note', note('x'.repeat(60_000)));
  await expectProblem(await client.post(contacts, { properties: {} }), 'forbidden', 'storage_quota');
  await release();
  expect(outcomesOf(await merging)).toEqual(['200 2']);
  expect((await read(client, kept)).properties).toMatchObject({ svc_first_name: 'Ada', svc_last_name: 'Ada' });
});

test('a full org can be read, and unlinks and deletes its records', async () => {
  const org = await fullOrg();
  const { client, company, contact } = org;
  expect((await client.get(pathOfRecord(contact))).status).toBe(200);
  expect((await client.post(`${contacts}query/`, {})).status).toBe(200);
  expect((await client.get('/changes/')).status).toBe(200);
  expect((await client.delete(linkTo(org, company))).status).toBe(200);
  expect((await client.delete(pathOfRecord(contact))).status).toBe(200);
});

test('a repeated request gets its kept answer, although the org is full', async () => {
  const org = await newStoringOrg(service);
  const headers = { 'idempotency-key': newId() };
  const first = await org.client.post(contacts, { properties: {} }, headers);
  await fillOrg(service, org);
  const again = await org.client.post(contacts, { properties: {} }, headers);
  expect([again.status, again.headers.get('svc-idempotent-replay')]).toEqual([201, 'true']);
  expect(again.body.data).toEqual(first.body.data);
});

test('a process notices within two seconds that another one has filled the org', async () => {
  const second = await startService({ databaseUrl: service.databaseUrl });
  try {
    const org = await newStoringOrg(service);
    const there = second.client(org.client.key);
    const stored = await storedBytes(service, org.orgId);
    await boundStorage(service, org.orgId, stored + 50_000);
    expect((await there.post(contacts, { properties: {} })).status).toBe(201);
    const filled = await org.client.post('/objects/svc_note/records/', { properties: note('x'.repeat(60_000)) });
    expect(filled.status).toBe(201);
    // Its own writes count at once in the process that made them.
    await expectProblem(await org.client.post(contacts, { properties: {} }), 'forbidden', 'storage_quota');
    await withinASecond(
      () => storedBytes(service, org.orgId),
      (bytes) => bytes > stored + 50_000,
    );
    const refused = await withinASecond(
      () => there.post(contacts, { properties: {} }),
      ({ status }) => status === 403,
    );
    await expectProblem(refused, 'forbidden', 'storage_quota');
    await changeOrg(service.database, org.orgId, { storageQuota: null });
    const accepted = await withinASecond(
      () => there.post(contacts, { properties: {} }),
      ({ status }) => status === 201,
    );
    expect(accepted.status, accepted.text).toBe(201);
  } finally {
    await second.stop();
  }
});
