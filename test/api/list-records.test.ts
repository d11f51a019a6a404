// GET /objects/{object_type}/records/: works, refuses, permits (contract 2, 5, 7 and 8), page by page.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateKey } from '../../src/engine/admin/keys.ts';
import type { Client } from '../support/client.ts';
import { withinASecond } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { contacts, faultsOf, make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let credentialId: string;
let client: Client;
/** Seven contacts in the order of their creation, which later tests must leave as they are. */
let made: readonly RecordData[];
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg();
  const issued = await service.createKey(orgId);
  credentialId = issued.credentialId;
  client = service.client(issued.key);
  made = await makeMany(client, 7);
});
afterAll(() => service.stop());

async function makeMany(caller: Client, count: number): Promise<readonly RecordData[]> {
  const records: RecordData[] = [];
  for (let index = 0; index < count; index++) {
    records.push(await make(caller, 'svc_contact', { svc_first_name: `Ada ${index}`, svc_last_name: 'Lovelace' }));
  }
  return records;
}

async function page(caller: Client, query: string): Promise<{ ids: readonly string[]; next: string | null }> {
  const { status, body, text } = await caller.get(`${contacts}?${query}`);
  expect(status, text).toBe(200);
  return { ids: body.data.map((record: RecordData) => record.id), next: body.pagination?.next_cursor ?? null };
}

const idsOf = (records: readonly RecordData[]) => records.map((record) => record.id);

async function firstCursor(caller: Client): Promise<string> {
  const { next } = await page(caller, 'limit=2');
  expect(next).toEqual(expect.any(String));
  return next ?? '';
}

describe('a list', () => {
  test('holds whole records in order of creation, and none of other types', async () => {
    await make(client, 'svc_company');
    const { body } = await client.get(contacts);
    expect(body.data).toEqual(made);
    expect(body.pagination?.next_cursor).toBeNull();
  });

  test('of nothing is empty, and has no next page', async () => {
    const { status, body } = await client.get(recordsPath('svc_deal'));
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.pagination?.next_cursor).toBeNull();
  });

  test('keeps the order of the items of a batch', async () => {
    const own = await service.newClient();
    const operations = Array.from({ length: 120 }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: { svc_first_name: String(index) },
    }));
    const { body } = await own.post('/batch/', { operations });
    const ids = body.data.results.map((result: { id: string }) => result.id);
    // Without a limit a page has 50.
    const first = await page(own, '');
    expect(first.ids).toEqual(ids.slice(0, 50));
    const second = await page(own, `cursor=${first.next}`);
    expect(second.ids).toEqual(ids.slice(50, 100));
    const third = await page(own, `cursor=${second.next}`);
    expect(third).toEqual({ ids: ids.slice(100), next: null });
  });

  test('answers what properties= names, and refuses names that the type does not have', async () => {
    const { body } = await client.get(`${contacts}?properties=svc_last_name,svc_email&limit=2`);
    expect(body.data).toEqual(
      made.slice(0, 2).map((record) => ({ ...record, properties: { svc_last_name: 'Lovelace' } })),
    );
    const answer = await client.get(`${contacts}?properties=svc_lats_name,svc_domain,svc_email`);
    await expectProblem(answer, 'invalid_request', 'unknown_property');
    expect(faultsOf(answer)).toMatchObject([
      { parameter: 'properties', property: 'svc_lats_name', nearest: 'svc_last_name' },
      { parameter: 'properties', property: 'svc_domain' },
    ]);
  });

  test('shows a write as soon as it is answered', async () => {
    const own = await service.newClient();
    const [record] = await makeMany(own, 1);
    expect((await page(own, '')).ids).toEqual([record?.id]);
    await own.patch(pathOfRecord(record as RecordData), { properties: { svc_first_name: 'Grace' } });
    const { body } = await own.get(contacts);
    expect(body.data).toMatchObject([{ version: '2', properties: { svc_first_name: 'Grace' } }]);
    await own.delete(pathOfRecord(record as RecordData));
    expect((await page(own, '')).ids).toEqual([]);
  });
});

describe('limit', () => {
  test.each([1, 2, 3, 6, 7, 8, 500])('of %i cuts the list into pages without gaps or repetitions', async (limit) => {
    const seen: string[] = [];
    let query = `limit=${limit}`;
    for (let pages = 0; pages < Math.ceil(made.length / limit); pages++) {
      const { ids, next } = await page(client, query);
      expect(ids.length).toBe(Math.min(limit, made.length - seen.length));
      seen.push(...ids);
      // Null on the last page, and only there: even when that one is full.
      expect(next === null).toBe(seen.length === made.length);
      query = `limit=${limit}&cursor=${next}`;
    }
    expect(seen).toEqual(idsOf(made));
  });

  test.each(['0', '-1', '501', '1000000000000', '1.5', '1e1', '0x10', '+5', '%205', '5%20', '', 'all', '5,6', '٥'])(
    'of "%s" is refused, not corrected',
    async (limit) => {
      const answer = await client.get(`${contacts}?limit=${limit}`);
      await expectProblem(answer, 'invalid_request', 'limit_out_of_range');
      expect(faultsOf(answer)).toEqual([{ parameter: 'limit', reason: 'limit_out_of_range' }]);
    },
  );

  test('and cursor and properties are reported together', async () => {
    const answer = await client.get(`${contacts}?limit=0&cursor=abc&properties=nope&sort=up`);
    await expectProblem(answer, 'invalid_request');
    const places = faultsOf(answer).map(({ parameter, reason }) => `${parameter} ${reason}`);
    expect(places.sort()).toEqual([
      'cursor invalid_cursor',
      'limit limit_out_of_range',
      'properties unknown_property',
      'sort unknown_parameter',
    ]);
  });
});

describe('a cursor', () => {
  test('is bound to neither limit nor properties', async () => {
    const { next } = await page(client, 'limit=2&properties=svc_first_name');
    const { body } = await client.get(`${contacts}?limit=4&cursor=${next}`);
    expect(body.data).toEqual(made.slice(2, 6));
    const last = await client.get(`${contacts}?properties=svc_last_name&cursor=${body.pagination?.next_cursor}`);
    expect(last.body.data).toEqual([{ ...made[6], properties: { svc_last_name: 'Lovelace' } }]);
  });

  test('can be used again, and gives the same page', async () => {
    const cursor = await firstCursor(client);
    const [one, two] = [await page(client, `limit=3&cursor=${cursor}`), await page(client, `limit=3&cursor=${cursor}`)];
    expect(one).toEqual(two);
    expect(one.ids).toEqual(idsOf(made.slice(2, 5)));
  });

  test('that is changed by one character, cut, lengthened or made up is refused', async () => {
    const cursor = await firstCursor(client);
    const changed = Array.from(cursor, (character, index) => {
      const other = character === 'A' ? 'B' : 'A';
      return `${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`;
    });
    const cut = [1, 2, 8, cursor.length - 1].map((count) => cursor.slice(0, -count));
    const longer = [`${cursor}A`, `${cursor}AAAA`, `${cursor}=`, `${cursor}%3D%3D`, `${cursor}%0A`, `A${cursor}`];
    const madeUp = ['', 'a', '%00', 'null', made[1]?.id ?? '', Buffer.from('{"id":1}').toString('base64url')];
    for (const wrong of [...changed, ...cut, ...longer, ...madeUp, cursor.toLowerCase(), 'A'.repeat(5_000)]) {
      const answer = await client.get(`${contacts}?cursor=${wrong}`);
      expect(answer.status, wrong).toBe(400);
      expect(answer.body.reason).toBe('invalid_cursor');
      expect(faultsOf(answer)).toEqual([{ parameter: 'cursor', reason: 'invalid_cursor' }]);
    }
    await expectProblem(await client.get(`${contacts}?cursor=${cut[0]}`), 'invalid_request', 'invalid_cursor');
    expect((await client.get(`${contacts}?cursor=${cursor}`)).status).toBe(200);
  });

  test('of another type, credential or org is refused without a word about its origin', async () => {
    const cursor = await firstCursor(client);
    const neighbour = service.client((await service.createKey(orgId)).key);
    const stranger = await service.newClient();
    await makeMany(stranger, 3);
    const made_up = await client.get(`${contacts}?cursor=abc`);
    for (const answer of [
      await client.get(`${recordsPath('svc_company')}?cursor=${cursor}`),
      await neighbour.get(`${contacts}?cursor=${cursor}`),
      await stranger.get(`${contacts}?cursor=${cursor}`),
      await client.get(`${contacts}?cursor=${await firstCursor(stranger)}`),
    ]) {
      await expectProblem(answer, 'invalid_request', 'invalid_cursor');
      expect(answer.body.detail).toBe(made_up.body.detail);
    }
  });

  test('outlives the rotation of its key, and the process that gave it', async () => {
    const cursor = await firstCursor(client);
    const rotated = await rotateKey(service.database, credentialId, 3_600);
    const other = await startService({ databaseUrl: service.databaseUrl });
    try {
      for (const caller of [client, service.client(rotated.key), other.client(rotated.key)]) {
        await withinASecond(
          () => caller.get('/self/'),
          ({ status }) => status === 200,
        );
        expect((await page(caller, `limit=2&cursor=${cursor}`)).ids).toEqual(idsOf(made.slice(2, 4)));
      }
    } finally {
      await other.stop();
    }
  });
});

test('no record that exists throughout is skipped or repeated while others come and go', async () => {
  const own = await service.newClient();
  const records = await makeMany(own, 10);
  const gone = new Set<string>();
  const remove = async (index: number) => {
    const record = records[index] as RecordData;
    gone.add(record.id);
    await own.delete(pathOfRecord(record));
  };
  const first = await page(own, 'limit=4');
  // Before the place, at the place, and after it.
  for (const index of [0, 3, 4, 7]) await remove(index);
  const [late] = await makeMany(own, 1);
  const second = await page(own, `limit=3&cursor=${first.next}`);
  expect(second.ids).toEqual(
    idsOf(records.slice(5))
      .filter((id) => !gone.has(id))
      .slice(0, 3),
  );
  await remove(9);
  const restored = { operation: 'restore', object_type: 'svc_contact', id: records[7]?.id };
  expect((await own.post('/batch/', { operations: [restored] })).status).toBe(200);
  const third = await page(own, `cursor=${second.next}`);
  expect(third).toEqual({ ids: [late?.id], next: null });
  const throughout = idsOf(records).filter((id) => !gone.has(id));
  const walked = [...first.ids, ...second.ids, ...third.ids];
  expect(walked.filter((id) => throughout.includes(id))).toEqual(throughout);
  expect(new Set(walked).size).toBe(walked.length);
});

test('a key of reach user pages through what it can see, however much it cannot', async () => {
  const own = await service.createOrg();
  const users = [await service.createUser(own), await service.createUser(own)];
  const keyOf = async (userId: string | undefined) =>
    service.client((await service.createKey(own, { userId: userId ?? '', reach: 'user' })).key);
  const [owner, stranger] = [await keyOf(users[0]), await keyOf(users[1])];
  const records = await makeMany(owner, 9);
  const hidden = records.filter((_, index) => index % 3 !== 0);
  const link = { association_type: 'svc_record_to_org', target_id: String(own) };
  const operations = hidden.map(({ id }) => ({ operation: 'dissociate', object_type: 'svc_contact', id, ...link }));
  expect((await owner.post('/batch/', { operations })).status).toBe(200);
  const first = await page(stranger, 'limit=2');
  expect(first.ids).toEqual([records[0]?.id, records[3]?.id]);
  // Records that follow and cannot be seen make no page.
  const second = await page(stranger, `limit=1&cursor=${first.next}`);
  expect(second).toEqual({ ids: [records[6]?.id], next: null });
  expect((await page(owner, 'limit=500')).ids).toEqual(idsOf(records));
});

test('synced, generated and timer types are listed like all others', async () => {
  for (const type of ['svc_meeting', 'svc_risk', 'svc_stage_timer']) {
    expect((await client.get(recordsPath(type))).status).toBe(200);
  }
  for (const type of ['svc_user', 'svc_org', 'nope']) {
    await expectProblem(await client.get(recordsPath(type)), 'not_found', 'object_type_unknown');
  }
});
