// One page of a query as one statement: from all records, from a set, or along a walk. All three return the same
// columns and test the whole selection, so all three find the same records.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstId } from '../../src/base/id.ts';
import type { Sql } from '../../src/base/sql.ts';
import { noSlots } from '../../src/schema/slots.ts';
import {
  compileFromSet,
  compileScan,
  compileTried,
  compileTry,
  compileWalk,
  type PageRequest,
} from '../../src/store/compile/page.ts';
import type { Walk } from '../../src/store/compile/walk.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { propertyOf, queryPlan } from '../support/compile/plans.ts';
import { startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const property = propertyOf('svc_contact', 'svc_last_name');
const index = { kind: 'text', propertyId: property.id } as const;
const name = ['svc_last_name', 'svc_last_name'];

/** The first two contacts with an e in their name, by name. */
function request(): PageRequest {
  const plan = queryPlan('svc_contact', {
    filter: { property: 'svc_last_name', operator: 'contains', value: 'e' },
    sort: [{ property: 'svc_last_name', direction: 'asc' }],
  });
  return {
    viewer: world.viewer,
    plan,
    after: undefined,
    limit: 2,
    shown: { omitted: ['svc_email'], hidden: [], renamed: [], totals: [] },
    parts: 'asked',
  };
}

async function expectPage(statement: Sql): Promise<void> {
  const rows = await world.database.query<{ id: string; parts: string[]; properties: string }>(statement);
  expect(rows.map(({ id }) => world.nameOf(id))).toEqual(['Hopper', 'Lovelace']);
  expect(rows.map(({ parts }) => parts)).toEqual([['hopper'], ['lovelace']]);
  expect(Object.keys(JSON.parse(rows[0]?.properties ?? ''))).not.toContain('svc_email');
}

test('a scan reads all records of the type, then sorts them', async () => {
  const statement = compileScan(request(), 'each');
  expectSql(
    statement,
    `
      select p.id, p.version, p.parts, (p.properties - $1::text[])::text as properties
      from (
        select r.id, r.version, r.properties, array[((coalesce(r.folded ->> $2::text,
          r.properties ->> $3::text)) collate "C")::text] as parts
        from orrery.record as r
        where r.org_id = $4 and r.type_id = $5 and strpos(coalesce(r.folded ->> $6::text,
          r.properties ->> $7::text), $8::text) > 0
          and true
        order by (coalesce(r.folded ->> $9::text,
          r.properties ->> $10::text)) collate "C" asc nulls last, r.id
        limit $11) as p`,
    [['svc_email'], ...name, world.orgId, 1, ...name, 'e', ...name, 2],
  );
  await expectPage(statement);
});

test('a scan of what facts know reads those, and the records of the page alone', async () => {
  const plan = queryPlan('svc_deal', {
    filter: { property: 'svc_close_date', operator: 'is_not_set' },
    sort: [{ property: 'svc_amount', direction: 'asc' }],
  });
  const shown = { omitted: [], hidden: [], renamed: [], totals: [] };
  const asked: PageRequest = { ...request(), plan, shown };
  const statement = compileScan({ ...asked, after: { parts: ['GBP', '80'], id: world.idOf('Bombe') } }, 'all');
  const amount = ['svc_amount', 'unit', 'svc_amount', 'amount'];
  expectSql(
    statement,
    `
      select p.id, p.version, p.parts, p.properties::text as properties
      from (
        select r.id, r.version, r.properties, array[((r.properties -> $1::text ->> $2::text) collate "C")::text,
          ((r.properties -> $3::text ->> $4::text)::numeric)::text] as parts
        from (
          select r.id
          from orrery.fact as r
          where r.org_id = $5 and r.type_id = $6 and (r.e1 is not null) is not true
            and (((r.s1 collate "C" > $7::text collate "C" or r.s1 collate "C" is null))
              or (r.s1 collate "C" = $8::text collate "C" and (r.n1::numeric > $9::numeric or r.n1::numeric is null))
              or (r.s1 collate "C" = $10::text collate "C" and r.n1::numeric = $11::numeric and r.id > $12))
          order by r.s1 collate "C" asc nulls last, r.n1::numeric asc nulls last, r.id
          limit $13) as i
        cross join lateral (
          select r.*
          from orrery.record as r
          where r.org_id = $14 and r.type_id = $15 and r.id = i.id offset 0) as r
        order by (r.properties -> $16::text ->> $17::text) collate "C" asc nulls last,
          (r.properties -> $18::text ->> $19::text)::numeric asc nulls last, r.id) as p`,
    [...amount, world.orgId, 3, 'GBP', 'GBP', '80', 'GBP', '80', world.idOf('Bombe'), 2, world.orgId, 3, ...amount],
  );
  const named = async (of: Sql) => {
    const rows = await world.database.query<{ id: string; parts: string[]; properties: string }>(of);
    return rows.map(({ id, parts, properties }) => [world.nameOf(id), parts, properties]);
  };
  expect((await named(statement)).map(([name]) => name)).toEqual(['Notes', 'Engine']);
  // As from the records.
  const unslotted = { ...asked, plan: { ...plan, type: plan.type.with({ slots: noSlots }) }, limit: 10 };
  expect(await named(compileScan({ ...asked, limit: 10 }, 'each'))).toEqual(
    await named(compileScan(unslotted, 'each')),
  );
});

test('from a set, which may be too wide: its records are tested one by one, then sorted', async () => {
  const low = { key: 'h', inclusive: true };
  const statement = compileFromSet(request(), { kind: 'range', index, range: { low } });
  const set = [world.orgId, 1, property.id, 'h'];
  expectSql(
    statement,
    `
      select p.id, p.version, p.parts, (p.properties - $1::text[])::text as properties
      from (
        select r.id, r.version, r.properties, array[((coalesce(r.folded ->> $2::text,
          r.properties ->> $3::text)) collate "C")::text] as parts
        from (
          select distinct k.record_id
          from (
            select i.record_id
            from orrery.index_text as i
            where i.org_id = $4 and i.type_id = $5 and i.property_id = $6
              and not i.unset and i.value >= $7::text) as k) as i
        cross join lateral (
          select r.*
          from orrery.record as r
          where r.org_id = $8 and r.type_id = $9 and r.id = i.record_id
            and strpos(coalesce(r.folded ->> $10::text, r.properties ->> $11::text),
              $12::text) > 0 offset 0) as r
        where true
        order by (coalesce(r.folded ->> $13::text,
          r.properties ->> $14::text)) collate "C" asc nulls last, r.id
        limit $15) as p`,
    [['svc_email'], ...name, ...set, world.orgId, 1, ...name, 'e', ...name, 2],
  );
  await expectPage(statement);
});

test('along a walk, which ends as soon as the page is full', async () => {
  const walk: Walk = {
    kind: 'index',
    index,
    property,
    direction: 'asc',
    range: { low: { key: 'h', inclusive: true } },
  };
  const rows = [world.orgId, 1, property.id, 'h'];
  const statement = compileWalk(request(), walk);
  expectSql(
    statement,
    `
      select p.id, p.version, p.parts, (p.properties - $1::text[])::text as properties
      from (
        select r.id, r.version, r.properties, array[((coalesce(r.folded ->> $2::text,
          r.properties ->> $3::text)) collate "C")::text] as parts
        from (
          select i.record_id
          from orrery.index_text as i
          where i.org_id = $4 and i.type_id = $5 and i.property_id = $6
            and not i.unset and i.value >= $7::text
          order by i.value, i.record_id) as i
        cross join lateral (
          select r.*
          from orrery.record as r
          where r.org_id = $8 and r.type_id = $9 and r.id = i.record_id
            and strpos(coalesce(r.folded ->> $10::text, r.properties ->> $11::text),
              $12::text) > 0 offset 0) as r
        limit $13) as p`,
    [['svc_email'], ...name, ...rows, world.orgId, 1, ...name, 'e', 2],
  );
  await expectPage(statement);
  // A try examines a bounded number of rows; how many there were says whether the page is complete.
  await expectPage(compileTry(request(), walk, 5));
  const tried = compileTried(request(), walk, 5);
  expectSql(
    tried,
    `
      select count(*)::integer as count
      from (
        select t.record_id
        from (
          select t.record_id
          from (
            select i.record_id
            from orrery.index_text as i
            where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
              and not i.unset and i.value >= $4::text
            order by i.value, i.record_id
            limit $5) as t) as t
        limit $6) as t`,
    [...rows, 5, 5],
  );
  expect(await world.database.query(tried)).toEqual([{ count: 3 }]);
});

test('a walk over the records themselves needs no rows of an index', async () => {
  const walk: Walk = { kind: 'created', direction: 'asc', range: {} };
  const statement = compileWalk({ ...request(), plan: queryPlan('svc_contact') }, walk);
  expectSql(
    statement,
    `
      select p.id, p.version, p.parts, (p.properties - $1::text[])::text as properties
      from (
        select *
        from (
          select r.id, r.version, r.properties, '{}'::text[] as parts
          from orrery.record as r
          where r.org_id = $2 and r.type_id = $3 and true and true
            and true
          order by r.id
          limit $4) as t
        limit $5) as p`,
    [['svc_email'], world.orgId, 1, 2, 2],
  );
  const rows = await world.database.query<{ id: string }>(statement);
  expect(rows.map(({ id }) => world.nameOf(id))).toEqual(['Lovelace', 'Hopper']);
});

test('the newest records are in two halves of an index, which are merged', async () => {
  const plan = queryPlan('svc_contact', { sort: [{ property: 'svc_created_at', direction: 'desc' }] });
  const walk: Walk = { kind: 'created', direction: 'desc', range: {} };
  const statement = compileWalk({ ...request(), plan }, walk);
  const time = 'substring(uuid_send(r.id) from 1 for 6)';
  const half = (first: number, visible: string) => `
    (
      select r.id, r.version, r.properties, array[((r.properties ->> $${first}::text)::timestamptz)::text] as parts,
        ${time} as created
      from orrery.record as r
      where r.org_id = $${first + 1} and r.type_id = $${first + 2} and true and true and ${visible}
      order by ${time} desc, r.id)`;
  expectSql(
    statement,
    `
      select p.id, p.version, p.parts, (p.properties - $1::text[])::text as properties
      from (
        select *
        from (
          select t.id, t.version, t.properties, t.parts
          from (${half(2, 'r.org_visible')} union all ${half(5, 'not r.org_visible')}) as t
          order by t.created desc, t.id
          limit $8) as t
        limit $9) as p`,
    [['svc_email'], 'svc_created_at', world.orgId, 1, 'svc_created_at', world.orgId, 1, 2, 2],
  );
  const rows = await world.database.query<{ id: string }>(statement);
  expect(rows.map(({ id }) => world.nameOf(id))).toEqual(['Turing', 'Hopper']);
  const tried = await world.database.query<{ count: number }>(compileTried({ ...request(), plan }, walk, 2));
  expect(tried).toEqual([{ count: 2 }]);
});

test('for one user, a try examines what the user sees if an index has it, and everything if none has', () => {
  const viewer = { ...world.viewer, onlyUser: firstId };
  const own = { ...request(), viewer };
  const created = compileTried(own, { kind: 'created', direction: 'asc', range: {} }, 5);
  expect(created.text).toContain('orrery.record_user');
  expect(created.text).toContain('r.org_visible');
  const updated = compileTried(own, { kind: 'updated', direction: 'asc', range: {} }, 5);
  expectSql(
    updated,
    `
      select count(*)::integer as count
      from (
        select t.record_id
        from (
          select r.id as record_id
          from orrery.record as r
          where r.org_id = $1 and r.type_id = $2 and true
          order by r.updated_at, r.id
          limit $3) as t
        limit $4) as t`,
    [world.orgId, 1, 5, 5],
  );
});

test('a page of many records ends with the one that fills its bytes', async () => {
  const many = { ...request(), plan: queryPlan('svc_contact'), limit: 1_001 };
  const statement = compileScan(many, 'each');
  expect(statement.text).toContain('sum(p.own) over (rows unbounded preceding) as bytes');
  expect(statement.text).toContain('pg_column_size(p.properties) as own');
  const rows = await world.database.query<{ full: boolean }>(statement);
  expect(rows.map(({ full }) => full)).toEqual([false, false, false]);
  // What is hidden does not count.
  const narrowed = compileScan({ ...many, shown: { ...many.shown, hidden: ['svc_email'] } }, 'each');
  expect(narrowed.text).toMatch(/pg_column_size\(p\.properties - \$\d+::text\[\]\) as own/);
  expect(await world.database.query<{ full: boolean }>(narrowed)).toEqual(rows);
});
