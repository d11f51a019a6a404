// From a set of records to the statement that names them. The engine decides which sets a filter offers (see
// `engine/read/access-paths`); here they are plain data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstId } from '../../src/base/id.ts';
import { sql } from '../../src/base/sql.ts';
import type { LinkCondition, PropertyCondition } from '../../src/query/plan.ts';
import { compileCount, compileSet, type RecordSet } from '../../src/store/compile/sets.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { propertyOf, queryPlan } from '../support/compile/plans.ts';
import { namesFrom, startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

async function expectSet(set: RecordSet, text: string, values: readonly unknown[], names: readonly string[]) {
  const statement = compileSet(world.viewer, queryPlan('svc_contact', { search: 'ada' }), set);
  expectSql(statement, text, values);
  expect((await namesFrom(world, statement)).toSorted()).toEqual(names);
}

const index = { kind: 'text', propertyId: propertyOf('svc_contact', 'svc_last_name').id } as const;

test('ids are the set', async () => {
  const id = world.idOf('Turing');
  await expectSet(
    { kind: 'ids', ids: [id, 'not an id'] },
    `select unnest($1::uuid[]) as record_id`,
    [`{${id}}`],
    ['Turing'],
  );
});

test('unique values are found in their own table', async () => {
  const propertyId = propertyOf('svc_contact', 'svc_email').id;
  const keys = ['ada@example.com', 'ada@acme.example'];
  // A record is named once for each of its values.
  await expectSet(
    { kind: 'unique', propertyId, keys },
    `
      select u.record_id
      from orrery.unique_value as u
      where u.org_id = $1 and u.type_id = $2 and u.property_id = $3
        and u.value = any ($4::text[])`,
    [world.orgId, 1, propertyId, keys],
    ['Lovelace', 'Lovelace'],
  );
});

test('values and ranges are found in an index', async () => {
  const keys = ['hopper', 'turing'];
  const before = [world.orgId, 1, index.propertyId];
  await expectSet(
    { kind: 'values', index, keys },
    `
      select i.record_id
      from orrery.index_text as i
      where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
        and not i.unset and i.value = any ($4::text[])`,
    [...before, keys],
    ['Hopper', 'Turing'],
  );
  const range = { low: { key: 'i', inclusive: true }, high: { key: 'turing', inclusive: false } };
  await expectSet(
    { kind: 'range', index, range },
    `
      select i.record_id
      from orrery.index_text as i
      where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
        and not i.unset and i.value >= $4::text and i.value < $5::text`,
    [...before, 'i', 'turing'],
    ['Lovelace'],
  );
});

test('the time of the last update is a column of the record', async () => {
  const low = { key: '2020-01-01T00:00:00Z', inclusive: false };
  await expectSet(
    { kind: 'updated', range: { low } },
    `
      select r.id as record_id
      from orrery.record as r
      where r.org_id = $1 and r.type_id = $2 and r.updated_at > $3::timestamptz`,
    [world.orgId, 1, low.key],
    ['Hopper', 'Lovelace', 'Turing'],
  );
});

test('linked records are found from the other end', async () => {
  const { condition } = queryPlan('svc_contact', {
    filter: { association: 'svc_contact_to_company', operator: 'exists' },
  });
  const { hop } = condition as LinkCondition;
  const otherId = world.idOf('Acme');
  await expectSet(
    { kind: 'linked', hop, otherId },
    `
      select a.source_id as record_id
      from orrery.association as a
      where a.org_id = $1 and a.target_id = $2 and a.association_type_id = $3
        and a.source_type_id = $4`,
    [world.orgId, otherId, 1, 1],
    ['Hopper', 'Lovelace'],
  );
});

test('words are found in the index of words', async () => {
  await expectSet(
    { kind: 'words' },
    `
      select s.record_id
      from orrery.search as s
      where s.org_id = $1 and s.type_id = $2 and s.words @@ $3::tsquery`,
    [world.orgId, 1, `'${world.orgId}_1_ada':*`],
    ['Lovelace'],
  );
});

test('totals are added up from the deals, then tested', async () => {
  const value = { amount: '100', unit: 'USD' };
  const filter = { property: 'svc_potential_deal_total', operator: 'gt', value };
  const { property, test: wanted } = queryPlan('svc_contact', { filter }).condition as PropertyCondition;
  const set: RecordSet = { kind: 'totals', property, test: wanted };
  const statement = compileSet(world.viewer, queryPlan('svc_contact'), set);
  expect(statement.text).toMatch(/^select k\.record_id from \(select link\.target_id as record_id, /);
  expect(statement.text).toMatch(/ as k\s+where \(\(k\.value ->> \$[0-9]+::text\) = \$[0-9]+ and /);
  expect(await namesFrom(world, statement)).toEqual(['Lovelace']);
});

test('what a user sees is what is linked to the org, and what is linked to the user', async () => {
  const viewer = { ...world.viewer, onlyUser: firstId };
  const statement = compileSet(viewer, queryPlan('svc_contact'), { kind: 'seen' });
  expectSql(
    statement,
    `
      (
        select r.id as record_id
        from orrery.record as r
        where r.org_id = $1 and r.type_id = $2 and r.org_visible
        order by substring(uuid_send(r.id) from 1 for 6) desc, r.id)
      union all
      select u.record_id
      from orrery.record_user as u
      where u.org_id = $3 and u.user_id = $4 and u.type_id = $5`,
    [world.orgId, 1, world.orgId, firstId, 1],
  );
  expect([...(await namesFrom(world, statement))].sort()).toEqual(['Hopper', 'Lovelace', 'Turing']);
});

test('a set is counted up to a bound', async () => {
  const set: RecordSet = { kind: 'values', index, keys: ['hopper', 'turing', 'lovelace'] };
  const count = compileCount(world.viewer, queryPlan('svc_contact'), set, 2);
  expectSql(
    count,
    `
      (
        select count(*)::integer
        from (
          select i.record_id
          from orrery.index_text as i
          where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
            and not i.unset and i.value = any ($4::text[])
          limit $5) as c)`,
    [world.orgId, 1, index.propertyId, set.keys, 2],
  );
  expect(await world.database.query(sql`select ${count} as count`)).toEqual([{ count: 2 }]);
});
