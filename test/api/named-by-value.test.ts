// Records that a batch names by a unique value (migration.md 1): {"match": {"svc_domain": "navy.example"}} in place of an id.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fullGrant } from '../../src/access/grant.ts';
import type { Sql } from '../../src/base/sql.ts';
import type { Database } from '../../src/store/database.ts';
import { item, outcomesOf, resultsOf, runBatch, succeed } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { make, pathOfRecord, type RecordData, read, targetsOf } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let client: Client;
let navy: RecordData;
let statements = 0;
/** Runs before the first statement that locks the company, once. */
let meanwhile: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  service = await startService({ adapt: watched });
});
afterAll(() => service.stop());
beforeEach(async () => {
  orgId = await service.createOrg({ quota: 100_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
  navy = await make(client, 'svc_company', { svc_domain: 'navy.example' });
});

function watched(database: Database): Database {
  const transaction: Database['transaction'] = (run) =>
    database.transaction((each) =>
      run({
        ...each,
        query: async <Row extends object>(statement: Sql) => {
          statements++;
          // The service notes in the background when keys were used, which locks other records.
          const isAbout = JSON.stringify(statement.values).includes(navy.id);
          const locks = isAbout && / for (no key update|key share)/.test(statement.text);
          const first = locks ? meanwhile : undefined;
          if (locks) meanwhile = undefined;
          await first?.();
          return each.query<Row>(statement);
        },
      }),
    );
  return { ...database, transaction };
}

const byDomain = (domain: unknown) => ({ match: { svc_domain: domain } });
const works = (target_id: unknown) => ({ association_type: 'svc_contact_to_company', target_id });
const hire = (target: unknown, more: object = {}) =>
  item('create', 'svc_contact', { properties: {}, associations: [works(target)], ...more });
const change = (id: unknown, more: object = {}) =>
  item('update', 'svc_company', { id, properties: { svc_name: 'Navy' }, ...more });
const placesOf = (answer: Awaited<ReturnType<typeof runBatch>>) =>
  resultsOf(answer).map(({ problem }) => problem?.errors?.map(({ pointer }) => pointer)[0]);

describe('a value in place of an id', () => {
  test('names the target of a link and the record of an item, in every kind of item', async () => {
    const results = await succeed(client, [
      hire(byDomain('NAVY.example'.toLowerCase())),
      item('upsert', 'svc_contact', {
        match: 'svc_email',
        properties: { svc_email: ['grace@navy.example', 'g@navy.example'] },
        associations: [works(byDomain('navy.example'))],
      }),
      item('dissociate', 'svc_contact', {
        id: { match: { svc_email: 'g@navy.example' } },
        ...works(byDomain('navy.example')),
      }),
      item('associate', 'svc_contact', {
        id: { match: { svc_email: ['G@navy.example'] } },
        ...works(byDomain('navy.example')),
      }),
      change(byDomain('navy.example')),
    ]);
    expect(results.map(({ version }) => version)).toEqual(['1', '1', '2', '3', '2']);
    expect(results[4]?.id).toBe(navy.id);
    for (const { id = '' } of results.slice(0, 2)) expect(await targetsOf(service, id)).toEqual([navy.id]);
    const spare = await make(client, 'svc_company', { svc_domain: 'spare.example' });
    await succeed(client, [
      item('merge', 'svc_company', { id: byDomain('navy.example'), duplicate_id: byDomain('spare.example') }),
      item('restore', 'svc_company', { id: byDomain('navy.example') }),
      item('delete', 'svc_company', { id: byDomain('navy.example') }),
    ]);
    for (const gone of [navy, spare]) expect((await client.get(pathOfRecord(gone))).status).toBe(404);
    const left = await runBatch(client, [
      item('restore', 'svc_company', { id: byDomain('navy.example') }),
      item('erase', 'svc_company', { id: byDomain('navy.example') }),
    ]);
    expect(outcomesOf(left)).toEqual(['404 record_unknown', '404 record_unknown']);
  });

  test('finds what earlier items of the batch have written', async () => {
    for (const atomic of [true, false]) {
      const domain = `${atomic}.example`;
      const answer = await runBatch(
        client,
        [
          item('create', 'svc_company', { properties: { svc_domain: domain } }),
          hire(byDomain(domain)),
          change(byDomain(domain), { properties: { svc_domain: `new.${domain}` } }),
          hire(byDomain(`new.${domain}`)),
        ],
        { atomic },
      );
      expect(outcomesOf(answer)).toEqual(['201 1', '201 1', '200 2', '201 1']);
      const [made, one, , two] = resultsOf(answer);
      for (const each of [one, two]) expect(await targetsOf(service, each?.id ?? '')).toEqual([made?.id]);
    }
    const again = await runBatch(client, [
      item('delete', 'svc_company', { id: navy.id }),
      hire(byDomain('navy.example')),
      item('create', 'svc_company', { properties: { svc_domain: 'navy.example' } }),
      hire(byDomain('navy.example')),
    ]);
    expect(outcomesOf(again)).toEqual(['200', '404 target_unknown', '201 1', '201 1']);
  });

  test('names an owner by the email of the member', async () => {
    const admin = service.client(
      (
        await service.createKey(orgId, {
          grants: [fullGrant, { objectTypes: ['platform'], operations: ['read', 'create'] }],
        })
      ).key,
    );
    const member = await make(admin, 'svc_member', { svc_name: 'Ada', svc_email: 'ada@team.example' });
    const owner = { association_type: 'svc_record_to_user', target_id: { match: { svc_email: 'ada@team.example' } } };
    const [made] = await succeed(admin, [item('create', 'svc_deal', { properties: {}, associations: [owner] })]);
    const path = pathOfRecord({ object_type: 'svc_deal', id: made?.id ?? '' });
    const owners = (await admin.get(`${path}associations/svc_record_to_user/`)).body.data;
    expect(owners.map(({ id }: { id: string }) => id)).toEqual([member.id]);
    const unseen = await runBatch(client, [item('create', 'svc_deal', { properties: {}, associations: [owner] })]);
    expect(outcomesOf(unseen)).toEqual(['400 unknown_property']);
  });

  test('that nobody has, or a record that the caller cannot see, is 404 at its place', async () => {
    const userId = await service.createUser(orgId);
    const mine = service.client((await service.createKey(orgId, { userId, reach: 'user' })).key);
    await client.delete(`${pathOfRecord(navy)}associations/svc_record_to_org/${orgId}/`);
    for (const domain of ['navy.example', 'nobody.example']) {
      const ada = await make(mine, 'svc_contact');
      const answer = await runBatch(mine, [
        hire(byDomain(domain)),
        item('associate', 'svc_contact', { id: ada.id, ...works(byDomain(domain)) }),
        change(byDomain(domain)),
        item('merge', 'svc_company', { id: byDomain(domain), duplicate_id: byDomain(domain) }),
      ]);
      expect(outcomesOf(answer)).toEqual([
        '404 target_unknown',
        '404 target_unknown',
        '404 record_unknown',
        '404 record_unknown',
      ]);
      expect(placesOf(answer)).toEqual([
        '/operations/0/associations/0/target_id',
        '/operations/1/target_id',
        '/operations/2/id',
        '/operations/3/id',
      ]);
      expect(answer.text).not.toContain(navy.id);
    }
  });

  test('of a hidden, unknown or not unique property, or of no such shape, is refused', async () => {
    const hidden = await service.createKey(orgId, {
      grants: [{ ...fullGrant, hiddenProperties: ['svc_domain'] }],
    });
    const narrowed = await runBatch(service.client(hidden.key), [
      hire(byDomain('navy.example')),
      change(byDomain('navy.example')),
    ]);
    expect(outcomesOf(narrowed)).toEqual(['400 unknown_property', '400 unknown_property']);
    const answer = await runBatch(client, [
      hire({ match: { nope: 'x' } }),
      change({ match: { svc_name: 'Navy' } }),
      hire(byDomain('not a domain')),
      hire(byDomain(['navy.example', 'x.example'])),
      change(byDomain(null)),
      change({ match: {} }),
      change({ match: { svc_domain: 'navy.example', svc_name: 'x' } }),
      item('create', 'svc_contact', {
        properties: {},
        associations: [{ association_type: 'nope', target_id: byDomain('navy.example') }],
      }),
    ]);
    expect(outcomesOf(answer)).toEqual([
      '400 unknown_property',
      '400 invalid_parameter',
      '400 invalid_value',
      '400 invalid_value',
      '400 invalid_value',
      '400 invalid_member',
      '400 invalid_member',
      '404 association_type_unknown',
    ]);
    expect(placesOf(answer).slice(0, 3)).toEqual([
      '/operations/0/associations/0/target_id/match/nope',
      '/operations/1/id/match/svc_name',
      '/operations/2/associations/0/target_id/match/svc_domain',
    ]);
    expect(await read(client, navy)).toMatchObject({ version: '1' });
  });

  test('leads to its new holder when the old one is deleted or gives it up between look-up and write', async () => {
    const heir = await make(client, 'svc_company');
    const takeOver = (first: object) => () =>
      succeed(service.client(key), [
        first,
        item('update', 'svc_company', { id: heir.id, properties: { svc_domain: 'navy.example' } }),
      ]);
    const { key } = await service.createKey(orgId);
    meanwhile = takeOver(change(navy.id, { properties: { svc_domain: null } }));
    expect((await succeed(client, [change(byDomain('navy.example'))]))[0]?.id).toBe(heir.id);
    await succeed(client, [change(heir.id, { properties: { svc_domain: null } })]);
    await succeed(client, [change(navy.id, { properties: { svc_domain: 'navy.example' } })]);
    meanwhile = takeOver(item('delete', 'svc_company', { id: navy.id }));
    const [made] = await succeed(client, [hire(byDomain('navy.example'))]);
    expect(await targetsOf(service, made?.id ?? '')).toEqual([heir.id]);
  });

  test('costs no statement of its own', async () => {
    const companies = Array.from({ length: 300 }, (_, n) => ({ svc_domain: `c${n}.example` }));
    await succeed(
      client,
      companies.map((properties) => item('create', 'svc_company', { properties })),
    );
    statements = 0;
    await succeed(
      client,
      companies.map(({ svc_domain }) => hire(byDomain(svc_domain))),
    );
    expect(statements).toBeLessThan(20);
    statements = 0;
    await succeed(
      client,
      companies.map(({ svc_domain }) => change(byDomain(svc_domain))),
    );
    expect(statements).toBeLessThan(20);
  });
});
