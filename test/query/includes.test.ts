// include on a read, a list and a query (contract 5, 6 and 7): linked records come with the record, from either end, in
// order, up to a limit, and none that the caller cannot see.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import type { Answer } from '../support/answer.ts';
import { item, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { query } from '../support/query/ask.ts';
import { querySchema } from '../support/query/schema.ts';
import { faultsOf, type LinkData, make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, querySchema);
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

interface Included extends RecordData {
  readonly associations?: Readonly<
    Record<string, { readonly items: readonly RecordData[]; readonly next_cursor: string | null }>
  >;
}

const company = 'svc_contact_to_company';
const link = (association_type: string, target_id: string): LinkData => ({ association_type, target_id });
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The record as a read, a list and a query with these includes give it. */
async function threeWays(
  caller: Client,
  { id, object_type }: Pick<RecordData, 'id' | 'object_type'>,
  include: readonly string[],
): Promise<readonly [Included, Included, Included]> {
  const one = await caller.get(`${pathOfRecord({ id, object_type })}?include=${include.join(',')}`);
  const list = await caller.get(`${recordsPath(object_type)}?limit=500&include=${include.join(',')}`);
  const filter = { property: 'id', operator: 'eq', value: id };
  const found = await query(caller, object_type, { filter, include });
  for (const { status, text } of [one, list, found]) expect(status, text).toBe(200);
  const listed = list.body.data.find((record: Included) => record.id === id);
  expect(found.body.data).toHaveLength(1);
  return [one.body.data, listed, found.body.data[0]];
}

async function makeMany(count: number, type: string): Promise<readonly string[]> {
  const results = await succeed(
    client,
    Array.from({ length: count }, () => item('create', type, { properties: {} })),
  );
  return results.map(({ id }) => id ?? '');
}

const idsOf = (record: Included, association: string) =>
  record.associations?.[association]?.items.map(({ id }) => id) ?? [];

describe('include', () => {
  test('brings whole records with the moment of their link, in the order of their ids, from either end', async () => {
    const companies = [await make(client, 'svc_company', { svc_name: 'One' }), await make(client, 'svc_company')];
    const links = [...companies].reverse().map(({ id }) => link(company, id));
    const contact = await make(client, 'svc_contact', { svc_last_name: 'Ada' }, links);
    const items = companies.map((record) => ({ ...record, associated_at: instant }));
    for (const record of await threeWays(client, contact, [company])) {
      expect(record).toEqual({ ...contact, associations: { [company]: { items, next_cursor: null } } });
    }
    const back = { ...(await read(client, contact)), associated_at: instant };
    for (const record of await threeWays(client, companies[0] as RecordData, [company])) {
      expect(record).toEqual({ ...companies[0], associations: { [company]: { items: [back], next_cursor: null } } });
    }
  });

  test('has an entry for each of up to five types, empty where nothing is linked', async () => {
    const contact = await make(client, 'svc_contact');
    const names = [
      company,
      'svc_deal_to_contact',
      'svc_note_to_contact',
      'svc_contact_to_lifecycle_stage',
      'friend_of',
    ];
    const empty = { items: [], next_cursor: null };
    for (const record of await threeWays(client, contact, names)) {
      expect(record.associations).toEqual(Object.fromEntries(names.map((name) => [name, empty])));
    }
    const { body } = await client.get(pathOfRecord(contact));
    expect(body.data).not.toHaveProperty('associations');
  });

  test('brings 100 on a read and 10 in a list or query, and a cursor where there are more', async () => {
    const targets = await makeMany(101, 'svc_company');
    const counts = { ten: 10, eleven: 11, hundred: 100, more: 101 };
    for (const count of Object.values(counts)) {
      const record = await make(client, 'svc_contact');
      const joins = [...targets]
        .slice(0, count)
        .reverse()
        .map((id) => item('associate', 'svc_contact', { id: record.id, ...link(company, id) }));
      await succeed(client, joins);
      const [one, listed, found] = await threeWays(client, record, [company]);
      expect(idsOf(one, company)).toEqual(targets.slice(0, Math.min(count, 100)));
      expect(one.associations?.[company]?.next_cursor).toEqual(count > 100 ? expect.any(String) : null);
      for (const each of [listed, found]) {
        expect(idsOf(each, company)).toEqual(targets.slice(0, 10));
        expect(each.associations?.[company]?.next_cursor).toEqual(count > 10 ? expect.any(String) : null);
      }
    }
  });

  test('is counted for each record of a page separately', async () => {
    const targets = await makeMany(12, 'svc_company');
    const own = [12, 0, 3, 11, 10].map((count) => targets.slice(0, count));
    const deals = await makeMany(own.length, 'freelancer');
    await succeed(
      client,
      deals.flatMap((id, index) =>
        (own[index] ?? []).map((to) => item('associate', 'freelancer', { id, ...link(company, to) })),
      ),
    );
    const { body } = await query(client, 'freelancer', { include: [company], properties: ['score'] });
    const seen = body.data.filter(({ id }: Included) => deals.includes(id));
    expect(seen.map((record: Included) => idsOf(record, company))).toEqual(own.map((each) => each.slice(0, 10)));
    const cursors = seen.map((record: Included) => record.associations?.[company]?.next_cursor !== null);
    expect(cursors).toEqual([true, false, false, true, false]);
  });

  test('takes the outgoing side if the type is at both ends', async () => {
    const [one, two, three] = (await makeMany(3, 'specimen')) as [string, string, string];
    await succeed(client, [
      item('associate', 'specimen', { id: two, ...link('likes', three) }),
      item('associate', 'specimen', { id: one, ...link('likes', two) }),
    ]);
    for (const record of await threeWays(client, { id: two, object_type: 'specimen' }, ['likes'])) {
      expect(idsOf(record, 'likes')).toEqual([three]);
    }
  });

  test('brings the types of a kind together', async () => {
    const freelancer = await make(client, 'freelancer', { alias: ['x'] });
    const contact = await make(client, 'svc_contact', { svc_last_name: 'y' });
    const links = [contact.id, freelancer.id].map((id) => link('kept_by', id));
    const specimen = await make(client, 'specimen', {}, links);
    const items = [freelancer, contact].map((record) => ({ ...record, associated_at: instant }));
    for (const record of await threeWays(client, specimen, ['kept_by'])) {
      expect(record.associations?.['kept_by']?.items).toEqual(items);
    }
  });

  test('gives users and orgs by id and title', async () => {
    const userId = await service.createUser(orgId);
    const specimen = await make(client, 'specimen', {}, [link('svc_record_to_user', userId)]);
    for (const record of await threeWays(client, specimen, ['svc_record_to_user', 'svc_record_to_org'])) {
      const user = { id: userId, object_type: 'svc_user', title: 'Ada', associated_at: instant };
      const org = { id: String(orgId), object_type: 'svc_org', title: 'Test', associated_at: instant };
      expect(record.associations).toEqual({
        svc_record_to_user: { items: [user], next_cursor: null },
        svc_record_to_org: { items: [org], next_cursor: null },
      });
    }
  });

  test('shows neither records in the trash nor records that the caller cannot see', async () => {
    const userId = await service.createUser(orgId);
    const user = service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
    const [open, gone, secret] = (await makeMany(3, 'svc_company')) as [string, string, string];
    const contact = await make(
      client,
      'svc_contact',
      {},
      [open, gone, secret].map((id) => link(company, id)),
    );
    await client.delete(pathOfRecord({ object_type: 'svc_company', id: gone }));
    const hide = { id: secret, ...link('svc_record_to_org', String(orgId)) };
    await succeed(client, [item('dissociate', 'svc_company', hide)]);
    for (const record of await threeWays(user, contact, [company])) expect(idsOf(record, company)).toEqual([open]);
    for (const record of await threeWays(client, contact, [company]))
      expect(idsOf(record, company)).toEqual([open, secret]);
    await succeed(client, [item('restore', 'svc_company', { id: gone })]);
    for (const record of await threeWays(user, contact, [company]))
      expect(idsOf(record, company)).toEqual([open, gone]);
  });

  test('counts only records that the caller sees, whatever is in between', async () => {
    const userId = await service.createUser(orgId);
    const user = service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
    const targets = await makeMany(30, 'svc_company');
    const contact = await make(
      client,
      'svc_contact',
      {},
      targets.map((id) => link(company, id)),
    );
    const hidden = targets.filter((_, index) => index % 3 !== 0);
    const org = link('svc_record_to_org', String(orgId));
    await succeed(
      client,
      hidden.map((id) => item('dissociate', 'svc_company', { id, ...org })),
    );
    const seen = targets.filter((id) => !hidden.includes(id));
    for (const record of await threeWays(user, contact, [company])) {
      expect(record.associations?.[company]).toMatchObject({ next_cursor: null });
      expect(idsOf(record, company)).toEqual(seen);
    }
  });
});

describe('include is refused', () => {
  const paths = async () => {
    const { id } = await make(client, 'svc_contact');
    return [`${recordsPath('svc_contact')}${id}/`, recordsPath('svc_contact')];
  };
  const expectFault = async (answer: Answer, reason: string) => {
    await expectProblem(answer, 'invalid_request', reason);
    expect(faultsOf(answer)).toMatchObject([{ parameter: 'include', reason }]);
  };

  test('for a type that is unknown, of other types, or of which an end is not granted', async () => {
    const key = await service.createKey(orgId, { grants: [{ ...fullGrant, objectTypes: ['svc_contact'] }] });
    for (const path of await paths()) {
      for (const name of ['nope', 'svc_deal_to_company', 'constructor', ' svc_contact_to_company']) {
        await expectFault(await client.get(`${path}?include=${name}`), 'unknown_association');
      }
      await expectFault(await service.client(key.key).get(`${path}?include=${company}`), 'unknown_association');
    }
  });

  test('for a type twice, a sixth one, and none', async () => {
    const six = [company, 'svc_deal_to_contact', 'svc_note_to_contact', 'friend_of', 'kept_by', 'svc_record_to_org'];
    for (const path of await paths()) {
      await expectFault(await client.get(`${path}?include=${company},${company}`), 'invalid_parameter');
      await expectFault(await client.get(`${path}?include=${six.join(',')}`), 'invalid_parameter');
      expect((await client.get(`${path}?include=${six.slice(1).join(',')}`)).status).toBe(200);
    }
  });
});
