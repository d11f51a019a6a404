// Every operation through its client method, against the real service: each answer is checked against the served document,
// and the client can send each parameter, header and member in the document.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, createClient, OrreryProblem } from '../../client/main.ts';
import { type OperationId, operations } from '../../client/operations.ts';
import { newId } from '../../src/base/id.ts';
import { bounds } from '../../src/base/limits.ts';
import { bodyOf, type Document, type DocumentOperation } from '../support/client/document-types.ts';
import { checkedClient, checkedFetch } from '../support/client/harness.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let key: string;
let orgId: number;
let client: Client;
/** By operation, what was sent: `query limit`, `header If-Match`, `body filter`. */
const sent = new Map<string, Set<string>>();

beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  ({ key } = await service.createKey(orgId));
  const checked = checkedFetch(service, key);
  client = createClient({
    url: service.url,
    key,
    fetch: (address, init) => {
      note(new URL(address), init);
      return checked(address, init);
    },
  });
});
afterAll(() => service.stop());

function note(address: URL, { method, headers, body }: RequestInit): void {
  const path = address.pathname.slice('/rest/v1'.length);
  const id = (Object.keys(operations) as OperationId[]).find((each) => {
    const pattern = operations[each].path.replaceAll(/\{[a-z_]+\}/g, '[^/]+');
    return operations[each].method === method && new RegExp(`^${pattern}$`).test(path);
  });
  const members = typeof body === 'string' ? Object.keys(JSON.parse(body) as object) : [];
  const names = [
    ...[...address.searchParams.keys()].map((name) => `query ${name}`),
    ...Object.keys(headers as object).map((name) => `header ${name}`),
    ...members.map((name) => `body ${name}`),
  ];
  sent.set(id ?? `${method} ${path}`, new Set([...(sent.get(id ?? '') ?? []), ...names]));
}

test('the service, the caller and the schema are read', async () => {
  const root = await client.getRoot();
  expect(root.data).toMatchObject({ name: 'orrery', version: 'v1' });
  expect(root.requestId).not.toBe('');
  const document = (await client.getOpenapi()).data as unknown as Document;
  expect(Object.keys(document.paths)).toContain('/self/');
  const self = await client.getSelf();
  expect(self.data).toMatchObject({ org_id: orgId, reach: 'org' });
  const { quota, window_seconds: windowSeconds } = self.data.limits.rate_limit;
  expect(self.rateLimit).toMatchObject({ policy: 'org', quota, windowSeconds });
  expect(self.rateLimit?.remaining).toBeLessThan(quota);
  expect(self).toMatchObject({ status: 200, replayed: false, dryRun: false, attempts: 1, etag: undefined });
  const types = (await client.listObjectTypes()).data.map(({ name }) => name);
  expect(types).toContain('svc_contact');
  expect((await client.getObjectType('svc_contact')).data.properties.map(({ name }) => name)).toContain('svc_email');
  expect((await client.listFieldTypes()).data.map(({ name }) => name)).toContain('currency');
  expect((await client.listAssociationTypes('svc_contact')).data.map(({ name }) => name)).toContain(
    'svc_contact_to_company',
  );
});

test('a record gets ids of other systems in a batch, is found by one, and shows them', async () => {
  const contacts = client.records('svc_contact');
  const externalId = { source: 'hubspot', id: '4711' };
  const made = await client.batch([
    { operation: 'create', object_type: 'svc_contact', properties: {}, external_ids: [externalId] },
  ]);
  const filter = { external_id: '4711', source: 'hubspot' };
  const [found] = await contacts.query({ filter }).toArray(2);
  expect(found?.id).toBe(made.data.results[0]?.id);
  const { data } = await contacts.get(found?.id ?? '', { includeExternalIds: true });
  expect(data.external_ids).toEqual([externalId]);
});

test('a record is created, read, updated, linked and deleted', async () => {
  const company = (await client.records('svc_company').create({ svc_name: 'Analytical Engines' })).data;
  const contacts = client.records('svc_contact');
  const works = { association_type: 'svc_contact_to_company', target_id: company.id };
  const made = await contacts.create(
    { svc_last_name: 'Lovelace', svc_email: ['ada@example.com'] },
    { associations: [works] },
  );
  expect(made).toMatchObject({ status: 201, etag: '"1"', replayed: false });
  const { id, version } = made.data;
  const include = ['svc_contact_to_company'];
  const read = await contacts.get(id, { properties: ['svc_last_name'], include });
  expect(read.data.properties).toEqual({ svc_last_name: 'Lovelace' });
  expect(read.data.associations?.['svc_contact_to_company']?.items.map((item) => item.id)).toEqual([company.id]);
  const dry = await contacts.update(id, { svc_last_name: 'Byron' }, { dryRun: true });
  expect([dry.dryRun, dry.data.version]).toEqual([true, '2']);
  const updated = await contacts.update(id, { svc_last_name: 'Byron', svc_email: null }, { ifMatch: version });
  expect(updated.data.properties).not.toHaveProperty('svc_email');
  const late = contacts.update(id, { svc_last_name: 'King' }, { ifMatch: made.etag });
  await expect(late).rejects.toMatchObject({ code: 'precondition_failed', reason: 'version_mismatch', status: 412 });
  const unlink = { ifMatch: '*', dryRun: true };
  const [name = ''] = include;
  expect((await contacts.deleteAssociation(id, name, company.id, unlink)).data.changed).toBe(true);
  expect((await contacts.deleteAssociation(id, name, company.id)).data.changed).toBe(true);
  expect((await contacts.putAssociation(id, name, company.id, { ifMatch: '3', dryRun: true })).dryRun).toBe(true);
  expect((await contacts.putAssociation(id, name, company.id)).data).toMatchObject({ changed: true });
  const [linked] = await contacts
    .listAssociated(id, name, { direction: 'outgoing', properties: ['svc_name'], limit: 1 })
    .toArray(5);
  expect(linked).toMatchObject({ id: company.id, properties: { svc_name: 'Analytical Engines' } });
  expect((await contacts.delete(id, { dryRun: true, ifMatch: '4' })).data).toEqual({
    id,
    object_type: 'svc_contact',
    deleted: true,
  });
  await contacts.delete(id);
  await expect(contacts.get(id)).rejects.toMatchObject({ code: 'not_found', reason: 'record_unknown' });
  const { data } = await client.batch([{ operation: 'restore', object_type: 'svc_contact', id }], { atomic: true });
  expect(data).toMatchObject({ succeeded: 1, failed: 0 });
});

test('an upsert creates or updates, and a request with an idempotency key is done once', async () => {
  const contacts = client.records('svc_contact');
  const values = { svc_email: ['grace@example.com'], svc_last_name: 'Hopper' };
  const idempotencyKey = `a "quoted" \\ key ${newId()}`;
  const first = await contacts.upsert('svc_email', values, { idempotencyKey });
  const second = await contacts.upsert('svc_email', values, { idempotencyKey });
  expect([first.status, first.replayed, second.status, second.replayed]).toEqual([201, false, 201, true]);
  expect(second.data).toEqual(first.data);
  expect(
    (await contacts.upsert('svc_email', { ...values, svc_job_title: 'Admiral' }, { associations: [], dryRun: true }))
      .status,
  ).toBe(200);
  const only = contacts.upsert('svc_email', values, { ifNoneMatch: '*' });
  await expect(only).rejects.toMatchObject({ reason: 'already_exists' });
  const keyed = { idempotencyKey: newId(), dryRun: true };
  expect((await contacts.create({ svc_last_name: 'Dry' }, keyed)).dryRun).toBe(true);
  expect((await contacts.update(first.data.id, { svc_last_name: 'Murray' }, { idempotencyKey: newId() })).status).toBe(
    200,
  );
  const items = [
    { operation: 'create', object_type: 'svc_company', properties: { svc_name: 'Navy' }, ref: 'navy' },
    {
      operation: 'associate',
      object_type: 'svc_contact',
      id: first.data.id,
      association_type: 'svc_contact_to_company',
      target_id: { ref: 'navy' },
    },
    { operation: 'delete', object_type: 'svc_contact', id: 'nobody' },
  ] as const;
  const { data, status } = await client.batch(items, keyed);
  expect([status, data.succeeded, data.failed, data.results[2]?.problem?.reason]).toEqual([
    207,
    2,
    1,
    'record_unknown',
  ]);
  await expect(client.batch(items, { atomic: true })).rejects.toMatchObject({
    errors: [{ pointer: '/operations/2/id' }],
  });
});

describe('lists', () => {
  const names = Array.from({ length: 7 }, (_, index) => `Person ${index}`);
  let ids: readonly string[];
  beforeAll(async () => {
    const items = names.map((name) => {
      return {
        operation: 'create',
        object_type: 'svc_note',
        properties: { svc_title: name, svc_priority: 'low' },
      } as const;
    });
    ids = (await client.batch(items)).data.results.map(({ id }) => id ?? '');
  });

  test('come item by item, page by page, or as the first page alone', async () => {
    const notes = client.records('svc_note');
    const seen: string[] = [];
    for await (const { id } of notes.list({ limit: 3 })) seen.push(id);
    expect(seen).toEqual(ids);
    const lengths: number[] = [];
    for await (const page of notes
      .list({ limit: 3, properties: ['svc_title'], include: ['svc_note_to_contact'] })
      .pages()) {
      lengths.push(page.data.length);
      // The first page has the place in the feed.
      expect(page.changesCursor === undefined).toBe(lengths.length > 1);
    }
    expect(lengths).toEqual([3, 3, 1]);
    const first = await notes.list({ limit: 3 }).first();
    const rest = await notes.list({ limit: 3, cursor: first.nextCursor ?? '' }).toArray(100);
    expect(rest.map(({ id }) => id)).toEqual(ids.slice(3));
    expect(await notes.list().toArray(0)).toEqual([]);
    expect(await notes.list({ include: [] }).toArray(1)).toHaveLength(1);
  });

  test('that are left early fetch no further pages', async () => {
    let asked = 0;
    const checked = checkedFetch(service, key);
    const counting = createClient({
      url: `${service.url}/rest/v1/`,
      key,
      fetch: (...request) => {
        asked++;
        return checked(...request);
      },
    });
    for await (const { id } of counting.records('svc_note').query({ limit: 2 })) if (id === ids[2]) break;
    expect(asked).toBe(2);
    expect(await counting.records('svc_note').query({ limit: 2 }).toArray(2)).toHaveLength(2);
    expect(asked).toBe(3);
  });

  test('of a query, of groups, of linked records and of changes work the same way', async () => {
    const notes = client.records('svc_note');
    const question = {
      filter: { property: 'svc_title', operator: 'starts_with', value: 'person' },
      search: 'person',
      sort: [{ property: 'svc_title', direction: 'desc' }],
      properties: ['svc_title'],
      include: ['svc_note_to_contact'],
      limit: 2,
    } as const;
    const found = await notes.query(question).toArray(100);
    expect(found.map(({ properties }) => properties['svc_title'])).toEqual(names.toReversed());
    const groups = {
      filter: question.filter,
      search: 'person',
      group_by: [{ property: 'svc_title' }],
      aggregations: [{ function: 'count' }],
      having: [{ as: 'count', operator: 'gte', value: '1' }],
      sort: [{ key: 0, direction: 'desc' }],
      limit: 2,
    } as const;
    expect((await notes.aggregate(groups).toArray(100)).map(({ key: [title] }) => title)).toEqual(names.toReversed());
    const [total] = (await notes.aggregate({ aggregations: [{ function: 'count' }] }).first()).data;
    expect(total?.values).toEqual({ count: '7' });
    const [stage] = await client.records('svc_note_pipeline_stage').list().toArray(1);
    const toDo = client
      .records('svc_note_pipeline_stage')
      .listAssociated(stage?.id ?? '', 'svc_note_to_note_pipeline_stage', { limit: 3 });
    expect((await toDo.toArray(100)).map(({ id }) => id)).toEqual(ids);
    const changes: string[] = [];
    for await (const { record_id } of client.listChanges({ objectType: 'svc_note', limit: 2, cursor: 'earliest' })) {
      if (!changes.includes(record_id)) changes.push(record_id);
    }
    expect(changes).toEqual(ids);
    const history = await client.listChanges({ recordId: ids[0] }).toArray(10);
    expect(history.map(({ type }) => type)).toEqual(['record.created', 'association.created']);
    const latest = await client.listChanges({ cursor: 'latest', wait: 1 }).first();
    expect(latest.data).toEqual([]);
  });
});

test('a page of the feed that has nothing is its end only if the service did not search for long', async () => {
  const pages = [[], [{ id: 'x' }], []];
  const cursors: (string | null)[] = [];
  let aheadMs = 0;
  const nowMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs + aheadMs);
  try {
    const searching = createClient({
      url: service.url,
      fetch: async (address) => {
        cursors.push(new URL(address).searchParams.get('cursor'));
        if (cursors.length === 1) aheadMs += bounds.engine.feedReadMs;
        const pagination = { next_cursor: String(cursors.length) };
        return new Response(JSON.stringify({ data: pages[cursors.length - 1], pagination }));
      },
    });
    expect(await searching.listChanges({ cursor: '0' }).toArray(10)).toEqual([{ id: 'x' }]);
  } finally {
    clock.mockRestore();
  }
  expect(cursors).toEqual(['0', '1', '2']);
});

test('a refusal is a problem with everything that the service says, and without the key', async () => {
  const contacts = client.records('svc_contact');
  await contacts.create({ svc_email: ['taken@example.com'] });
  const taken = await contacts.create({ svc_email: ['taken@example.com'] }).catch((error: unknown) => error);
  expect(taken).toBeInstanceOf(OrreryProblem);
  expect(taken).toMatchObject({
    name: 'OrreryProblem',
    operation: 'createRecord',
    attempts: 1,
    status: 409,
    code: 'conflict',
    reason: 'unique_value_taken',
    conflict: { object_type: 'svc_contact', property: 'svc_email', existing_id: expect.any(String) },
    requestId: expect.any(String),
    retryAfterSeconds: undefined,
  });
  const wrong = contacts.create({ svc_employe: 'x', svc_job_start_date: '2026-02-30' });
  await expect(wrong).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '/properties/svc_employe' }, { pointer: '/properties/svc_job_start_date', expected: {} }],
  });
  const stranger = createClient({ url: service.url, key: `${key.slice(0, -1)}~` });
  const refused = (await stranger.getSelf().catch((error: unknown) => error)) as OrreryProblem;
  expect([refused.code, refused.status]).toEqual(['unauthenticated', 401]);
  for (const error of [taken, refused]) expect(JSON.stringify(error) + String(error)).not.toContain(key.slice(0, -1));
  await expect(createClient({ url: service.url }).getSelf()).rejects.toMatchObject({ reason: 'key_missing' });
});

test('a key can be provided when it is needed, and an invalid one is reported without showing it', async () => {
  const asked: string[] = [];
  const rotating = checkedClient(service, key, { key: async () => asked[asked.push(key) - 1] ?? '' });
  await rotating.getSelf();
  await rotating.getSelf();
  expect(asked).toHaveLength(2);
  expect(() => createClient({ url: service.url, key: `${key}\n` })).toThrow(/^The key has characters that no key has/);
  const broken = createClient({ url: service.url, key: () => `${key}\n` }).getSelf();
  await expect(broken).rejects.toThrow(/^The key has characters that no key has[^_]*$/);
});

test.each(['', '.', '..'])(
  'an id %j that would make the path of another operation is refused before it is sent',
  async (id) => {
    const contacts = client.records('svc_contact');
    await expect(contacts.get(id)).rejects.toThrow('id must be a name or an id');
    await expect(contacts.delete(id)).rejects.toThrow('id must be a name or an id');
    await expect(contacts.putAssociation('x', id, 'y')).rejects.toThrow('association_type must be');
    await expect(client.getObjectType(id)).rejects.toThrow('object_type must be');
  },
);

test('ids and names are sent unchanged, whatever characters they have', async () => {
  for (const id of ['a/b', 'a?b=c', '%2e%2e', 'x#y', 'é ']) {
    await expect(client.records('svc_contact').get(id)).rejects.toMatchObject({ reason: 'record_unknown' });
  }
});

test.each(['ftp://127.0.0.1', 'crm.example.com', '', 'http://user:secret@127.0.0.1', 'http://127.0.0.1/?a=b'])(
  'the address %j is refused when the client is made',
  (url) => {
    expect(() => createClient({ url })).toThrow('url must be the http or https address of the service');
  },
);

test('every operation was called, and everything that it takes was sent', async () => {
  const { text } = await service.client().raw('GET', '/rest/v1/openapi.json');
  const always = ['header Accept', 'header Content-Type', 'header Authorization'];
  for (const operation of Object.values((JSON.parse(text) as Document).paths).flatMap(
    Object.values<DocumentOperation>,
  )) {
    const parameters = operation.parameters.filter((each) => each.in !== 'path');
    const members = Object.keys((bodyOf(operation)?.['properties'] ?? {}) as object);
    const taken = [...parameters.map((each) => `${each.in} ${each.name}`), ...members.map((name) => `body ${name}`)];
    const names = [...(sent.get(operation.operationId) ?? ['nothing'])].filter((name) => !always.includes(name));
    expect(names.sort(), operation.operationId).toEqual(taken.sort());
  }
});
