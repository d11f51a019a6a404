// From a condition to SQL on a row of `record`: what a filter and a search of the API become.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sql, sql } from '../../src/base/sql.ts';
import type { QueryPlan } from '../../src/query/plan.ts';
import { compileSelection, type Testing } from '../../src/store/compile/filter.ts';
import { visibleTo } from '../../src/store/viewer.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { queryPlan } from '../support/compile/plans.ts';
import { namesFrom, startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** The condition of a question about contacts, and the names of those for whom it holds. */
async function compiled(body: Parameters<typeof queryPlan>[1], testing: Testing = 'each', viewer = world.viewer) {
  const plan = queryPlan('svc_contact', body);
  const condition = compileSelection(viewer, plan, testing);
  const names = await namesFrom(
    world,
    sql`select r.id as record_id from orrery.record as r
      where ${visibleTo(viewer)} and r.type_id = ${plan.type.id} and ${condition} order by r.id`,
  );
  return { condition, names };
}

test('an empty filter is true for every record', async () => {
  const { condition, names } = await compiled({});
  expectSql(condition, 'true', []);
  expect(names).toEqual(['Lovelace', 'Hopper', 'Turing']);
});

test('conditions are joined by and, or and "is not true"', async () => {
  const { condition, names } = await compiled({
    filter: {
      and: [
        { not: { property: 'svc_job_title', operator: 'eq', value: 'Founder' } },
        {
          or: [
            { property: 'svc_last_name', operator: 'eq', value: 'Hopper' },
            { property: 'svc_lead_score', operator: 'is_set' },
          ],
        },
      ],
    },
  });
  expectSql(
    condition,
    `
      (((coalesce(r.folded ->> $1::text, r.properties ->> $2::text)) collate "C" = $3::text) is not true
        and ((coalesce(r.folded ->> $4::text, r.properties ->> $5::text)) collate "C" = $6::text
          or jsonb_exists(r.properties, $7)))`,
    ['svc_job_title', 'svc_job_title', 'founder', 'svc_last_name', 'svc_last_name', 'hopper', 'svc_lead_score'],
  );
  expect(names).toEqual(['Hopper']);
});

test('ids are one list', async () => {
  const ids = [world.idOf('Turing'), world.idOf('Acme')];
  const { condition, names } = await compiled({ filter: { property: 'id', operator: 'in', value: ids } });
  expectSql(condition, `r.id = any ($1::uuid[])`, [`{${ids.join(',')}}`]);
  expect(names).toEqual(['Turing']);
});

test('a link leads to a live record that the viewer sees, tested record by record', async () => {
  const filter = {
    association: 'svc_contact_to_company',
    operator: 'exists',
    filter: { property: 'svc_name', operator: 'eq', value: 'Acme' },
  };
  const { condition, names } = await compiled({ filter });
  expectSql(
    condition,
    `
      exists (
        select 1
        from orrery.association as a
        join orrery.record as r1 on r1.org_id = $1 and r1.type_id = a.target_type_id
          and r1.id = a.target_id
        where a.org_id = $2 and a.source_id = r.id and a.association_type_id = $3
          and a.source_type_id = r.type_id and a.target_type_id = any ($4::integer[])
          and true and ((coalesce(r1.folded ->> $5::text,
            r1.properties ->> $6::text)) collate "C" = $7::text) offset 0)`,
    [world.orgId, world.orgId, 1, '{2}', 'svc_name', 'svc_name', 'acme'],
  );
  expect(names).toEqual(['Lovelace', 'Hopper']);
  const all = await compiled({ filter }, 'all');
  // Without the fence PostgreSQL may join the links to all records at once.
  expect(all.condition.text).toBe(condition.text.replace('offset 0)', ')'));
  expect(all.names).toEqual(names);
});

test('a fact is asked for its stage at once, and for what else it is linked to by the facts about that', async () => {
  const filter = {
    and: [
      {
        association: 'svc_deal_to_deal_pipeline_stage',
        operator: 'not_exists',
        filter: { property: 'svc_closed', operator: 'eq', value: true },
      },
      {
        association: 'svc_stage_timer_to_deal',
        operator: 'not_exists',
        filter: { property: 'svc_left_at', operator: 'gte', value: '2026-01-01T00:00:00Z' },
      },
    ],
  };
  const plan = queryPlan('svc_deal', { filter });
  const condition = compileSelection(world.viewer, plan, 'each', plan.type.slots);
  expectSql(
    condition,
    `
      ((r.u2 = any (array(
        select r1.id
        from orrery.fact as r1
        where r1.org_id = $1 and r1.type_id = $2 and true and ((r1.s1) collate "C" = $3::text)))) is not true
        and (exists (
        select 1
        from orrery.fact as r1
        where r1.org_id = $4 and r1.type_id = $5 and r1.u1 = r.id and true
          and ((r1.d3)::timestamptz >= $6::timestamptz) offset 0)) is not true)`,
    [world.orgId, 6, 'true', world.orgId, 10, '2026-01-01T00:00:00Z'],
  );
  expect(await namesOfFacts(plan, condition)).toEqual(['Engine', 'Notes', 'Bombe']);
});

test('facts that name the record in the column with an index are read instead of its links, if they are enough', async () => {
  const linked = (condition: object) =>
    queryPlan('svc_deal_pipeline', {
      filter: { association: 'svc_deal_pipeline_stage_to_deal_pipeline', operator: 'exists', filter: condition },
    });
  const found = async (condition: object) => {
    const plan = linked(condition);
    const compiled = compileSelection(world.viewer, plan, 'all', plan.type.slots);
    return { compiled, names: await namesOfFacts(plan, compiled) };
  };
  const won = await found({ property: 'svc_probability', operator: 'eq', value: '100' });
  expectSql(
    won.compiled,
    `
      exists (
        select 1
        from orrery.fact as r1
        where r1.org_id = $1 and r1.type_id = $2 and r1.u1 = r.id and true
          and ((r1.n2)::numeric = $3::numeric))`,
    [world.orgId, 6, '100'],
  );
  expect(won.names).toHaveLength(1);
  expect((await found({ property: 'svc_probability', operator: 'eq', value: '55' })).names).toEqual([]);
  // Names are not among the facts.
  const named = await found({ property: 'svc_name', operator: 'is_set' });
  expect(named.compiled.text).toContain('orrery.association');
  expect(named.names).toEqual(won.names);
});

test('a fact was updated as its record was, which the index of updates tells', async () => {
  const [hopper] = await world.database.query<{ at: string }>(
    sql`select properties ->> 'svc_updated_at' as at from orrery.record where id = ${world.idOf('Hopper')}`,
  );
  const at = hopper?.at ?? '';
  const updated = async (operator: string, value: unknown) => {
    const plan = queryPlan('svc_contact', { filter: { property: 'svc_updated_at', operator, value } });
    const condition = compileSelection(world.viewer, plan, 'each', plan.type.slots);
    expect(condition.text).toContain('u.updated_at');
    const names = await namesOfFacts(plan, condition);
    // As the records say by themselves.
    expect((await compiled({ filter: { property: 'svc_updated_at', operator, value } })).names).toEqual(names);
    return names;
  };
  expect(await updated('lt', at)).toEqual(['Lovelace']);
  expect(await updated('lte', at)).toEqual(['Lovelace', 'Hopper']);
  expect(await updated('gt', at)).toEqual(['Turing']);
  expect(await updated('gte', at)).toEqual(['Hopper', 'Turing']);
  expect(await updated('between', [at, at])).toEqual(['Hopper']);
});

function namesOfFacts({ type }: QueryPlan, condition: Sql): Promise<readonly string[]> {
  return namesFrom(
    world,
    sql`select r.id as record_id from orrery.fact as r
      where ${visibleTo(world.viewer)} and r.type_id = ${type.id} and ${condition} order by r.id`,
  );
}

test('links to the org and to users are columns and rows of their own', async () => {
  const org = await compiled({ filter: { association: 'svc_record_to_org', operator: 'exists' } });
  expectSql(org.condition, `r.org_visible`, []);
  expect(org.names).toEqual(['Lovelace', 'Hopper', 'Turing']);
  const user = await compiled({ filter: { association: 'svc_record_to_user', operator: 'exists' } });
  expectSql(
    user.condition,
    `
      exists (
        select 1
        from orrery.record_user as l
        where l.org_id = $1 and l.type_id = r.type_id and l.record_id = r.id
          and true)`,
    [world.orgId],
  );
  expect(user.names).toEqual([]);
});

test('words are beginnings of lexemes that carry org and type', async () => {
  const { condition, names } = await compiled({ search: 'found love' });
  const words = `'${world.orgId}_1_found':* & '${world.orgId}_1_love':*`;
  expectSql(
    condition,
    `
      exists (
        select 1
        from orrery.search as s
        where s.org_id = $1 and s.type_id = r.type_id and s.record_id = r.id
          and s.words @@ $2::tsquery offset 0)`,
    [world.orgId, words],
  );
  expect(names).toEqual(['Lovelace']);
});

test('a viewer of reach "user" sees what is linked to the user or shared with the org', async () => {
  const user = '01890a5d-ac96-774b-bcce-b302099a8057';
  const viewer = { orgId: world.orgId, onlyUser: user };
  expectSql(
    visibleTo(viewer),
    `
      r.org_id = $1 and (r.org_visible or exists (
        select 1
        from orrery.record_user as u
        where u.org_id = $2 and u.user_id = $3 and u.type_id = r.type_id
          and u.record_id = r.id))`,
    [world.orgId, world.orgId, user],
  );
  const { names } = await compiled({}, 'each', viewer);
  expect(names).toEqual(['Lovelace', 'Hopper', 'Turing']);
});
