// The totals of a record's open deals as SQL: of one record from its links, or of all records from the deals' side.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import { compileText, compileTotal, compileTotalRows, compileTotals } from '../../src/store/compile/totals.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { propertyOf } from '../support/compile/plans.ts';
import { startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const potential = propertyOf('svc_contact', 'svc_potential_deal_total');
const weighted = propertyOf('svc_contact', 'svc_weighted_deal_total');

test('the total of one record: its deals in the currency of the org that are not closed', async () => {
  const total = compileTotal({ orgId: world.orgId, id: raw('r.id') }, potential);
  // The types of deals and stages, then the association types from a deal to its stage and to its contacts.
  expectSql(
    total,
    `
      (
        select case when count(*) > 0 then jsonb_build_object('amount',
          trim_scale(sum(deal.amount))::text, 'unit', max(deal.unit)) end
        from (
          select deal.amount, deal.unit, coalesce(stage.probability, 0) as probability
          from orrery.association as link
          cross join lateral (
            select deal.n1 as amount, deal.s1 as unit, deal.u2 as stage_id
            from orrery.fact as deal
            where deal.org_id = $1 and deal.type_id = $2 and deal.id = link.source_id
              and deal.s1 = (
              select org.currency
              from orrery.org as org
              where org.org_id = $3) offset 0) as deal
          left join lateral (
            select stage.n2 as probability, stage.s1 = 'true' as closed
            from orrery.fact as stage
            where stage.org_id = $4 and stage.type_id = $5
              and stage.id = deal.stage_id offset 0) as stage on true
          where link.org_id = $6 and link.target_id = r.id and link.association_type_id = $7
            and stage.closed is not true) as deal)`,
    [world.orgId, 3, world.orgId, world.orgId, 6, world.orgId, 3],
  );
  const rows = await world.database.query(sql`select r.properties ->> 'svc_last_name' as name, ${total} as total
    from orrery.record as r where r.org_id = ${world.orgId} and r.type_id = 1 order by r.id`);
  expect(rows).toEqual([
    { name: 'Lovelace', total: { amount: '120.5', unit: 'USD' } },
    { name: 'Hopper', total: null },
    { name: 'Turing', total: null },
  ]);
});

test('the totals of all records of a type, added up in one pass', async () => {
  const rows = compileTotalRows(world.orgId, 1, weighted);
  expectSql(
    rows,
    `
      select link.target_id as record_id, jsonb_build_object('amount',
        trim_scale(sum(deal.amount * deal.probability * 0.01))::text, 'unit', max(deal.unit)) as value
      from (
        select deal.id, deal.amount, deal.unit, coalesce(stage.probability, 0) as probability
        from (
          select deal.id, deal.n1 as amount, deal.s1 as unit, deal.u2 as stage_id
          from orrery.fact as deal
          where deal.org_id = $1 and deal.type_id = $2
            and deal.s1 = (
            select org.currency
            from orrery.org as org
            where org.org_id = $3) offset 0) as deal
        left join (
          select stage.id, stage.n2 as probability, stage.s1 = 'true' as closed
          from orrery.fact as stage
          where stage.org_id = $4 and stage.type_id = $5 offset 0) as stage on stage.id = deal.stage_id
        where stage.closed is not true) as deal
      cross join lateral (
        select link.target_id
        from orrery.association as link
        where link.org_id = $6 and link.source_id = deal.id and link.association_type_id = $7
          and link.target_type_id = $8 offset 0) as link
      group by link.target_id`,
    [world.orgId, 3, world.orgId, world.orgId, 6, world.orgId, 3, 1],
  );
  const found = await world.database.query<{ record_id: string; value: unknown }>(rows);
  expect(found.map(({ record_id, value }) => [world.nameOf(record_id), value])).toEqual([
    ['Lovelace', { amount: '0', unit: 'USD' }],
  ]);
});

test('the text of a record has its values without those omitted, and the totals that are set', async () => {
  const r = raw('r');
  expectSql(
    compileText(r, world.orgId, { omitted: [], hidden: [], renamed: [], totals: [] }),
    `r.properties::text`,
    [],
  );
  const plain = compileText(r, world.orgId, { omitted: ['svc_email'], hidden: [], renamed: [], totals: [] });
  expectSql(plain, `(r.properties - $1::text[])::text`, [['svc_email']]);
  const full = compileText(r, world.orgId, {
    omitted: ['svc_email'],
    hidden: [],
    renamed: [],
    totals: [potential, weighted],
  });
  const totals = compileTotals({ orgId: world.orgId, id: sql`r.id` }, [potential, weighted]);
  expect(full.text.replaceAll(/\$[0-9]+/g, '?')).toBe(
    `((r.properties - ?::text[]) || ${totals.text.replaceAll(/\$[0-9]+/g, '?')})::text`,
  );
  const [row] = await world.database.query<{ text: string }>(sql`select ${full} as text from orrery.record as r
    where r.org_id = ${world.orgId} and r.id = ${world.idOf('Lovelace')}`);
  expect(JSON.parse(row?.text ?? '')).toMatchObject({
    svc_last_name: 'Lovelace',
    svc_potential_deal_total: { amount: '120.5', unit: 'USD' },
    svc_weighted_deal_total: { amount: '0', unit: 'USD' },
  });
});
