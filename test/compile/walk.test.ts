// From a walk to the stretches of an index that it consists of, from a position on. Each is shown with its order.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstIdAt, idTimeMs } from '../../src/base/id.ts';
import { type Sql, sql } from '../../src/base/sql.ts';
import type { LinkCondition } from '../../src/query/plan.ts';
import type { Position } from '../../src/query/position.ts';
import { stretchesOf, type Walk } from '../../src/store/compile/walk.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { propertyOf, queryPlan } from '../support/compile/plans.ts';
import { namesFrom, startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** The stretches, each with its order, and the names that they meet, one stretch after the other. */
async function walked(walk: Walk, after?: Position): Promise<{ stretches: readonly Sql[]; names: readonly string[] }> {
  const stretches = stretchesOf(world.orgId, 1, walk, after);
  const names: string[] = [];
  for (const { of, from, order } of stretches) {
    const records = sql`select r.id as record_id from orrery.record as r
      where r.org_id = ${world.orgId} and r.type_id = 1 and ${from}`;
    names.push(...(await namesFrom(world, sql`${of === 'rows' ? from : records} order by ${order}`)));
  }
  return { stretches: stretches.map(({ from, order }) => sql`${from} order by ${order}`), names };
}

function at(name: string, ...parts: readonly (string | null)[]): Position {
  return { parts, id: world.idOf(name) };
}

test('in order of creation, from an id on', async () => {
  const range = { low: { key: '1970-01-01T00:00:00.001Z', inclusive: true } };
  const { stretches, names } = await walked({ kind: 'created', direction: 'asc', range }, at('Lovelace'));
  expectStretches(stretches, [
    [`r.id >= $1 and r.id > $2 order by r.id`, ['00000000-0001-0000-0000-000000000000', world.idOf('Lovelace')]],
  ]);
  expect(names).toEqual(['Hopper', 'Turing']);
});

test('the newest first: the rest of the millisecond, then everything before it', async () => {
  const range = { low: { key: '1970-01-01T00:00:00.001Z', inclusive: true } };
  const { stretches, names } = await walked({ kind: 'created', direction: 'desc', range }, at('Hopper'));
  const ms = idTimeMs(world.idOf('Hopper'));
  const bytes = Buffer.from(world.idOf('Hopper').replaceAll('-', '').slice(0, 12), 'hex');
  const low = Buffer.from([0, 0, 0, 0, 0, 1]);
  const time = 'substring(uuid_send(r.id) from 1 for 6)';
  expectStretches(stretches, [
    [`${time} >= $1::bytea and r.id > $2 and r.id < $3 order by r.id`, [low, world.idOf('Hopper'), firstIdAt(ms + 1)]],
    [`${time} >= $1::bytea and ${time} < $2::bytea order by ${time} desc, r.id`, [low, bytes]],
  ]);
  expect(names).toEqual(['Lovelace']);
});

test('by the time of the last update, within bounds', async () => {
  const low = { key: '2020-01-01T00:00:00Z', inclusive: false };
  const { stretches, names } = await walked({ kind: 'updated', direction: 'asc', range: { low } });
  expectStretches(stretches, [[`r.updated_at > $1::timestamptz order by r.updated_at, r.id`, [low.key]]]);
  expect(names).toEqual(['Lovelace', 'Hopper', 'Turing']);
});

test('by an indexed text: the same value, then those beyond, then records without one', async () => {
  const property = propertyOf('svc_contact', 'svc_last_name');
  const index = { kind: 'text', propertyId: property.id } as const;
  const walk = { kind: 'index', index, property, direction: 'asc', range: {} } as const;
  const { stretches, names } = await walked(walk, at('Hopper', 'hopper'));
  const rows = [world.orgId, 1, property.id];
  expectStretches(stretches, [
    [
      `
        select i.record_id
        from orrery.index_text as i
        where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
          and not i.unset and true and i.value = $4::text and i.record_id > $5
        order by i.record_id`,
      [...rows, 'hopper', world.idOf('Hopper')],
    ],
    [
      `
        select i.record_id
        from orrery.index_text as i
        where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
          and not i.unset and true and i.value > $4::text
        order by i.value, i.record_id`,
      [...rows, 'hopper'],
    ],
    [
      `
        select i.record_id
        from orrery.index_text as i
        where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
          and i.unset and i.value = $4::text and true
        order by i.record_id`,
      [...rows, ''],
    ],
  ]);
  expect(names).toEqual(['Lovelace', 'Turing']);
});

test('option by option, then records without one', () => {
  const property = propertyOf('svc_contact', 'svc_lead_score');
  const stretches = stretchesOf(world.orgId, 1, { kind: 'options', property, direction: 'desc' }, at('Hopper', '2'));
  const rows = [world.orgId, 1, property.id];
  expectStretches(
    stretches.map(({ from, order }) => sql`${from} order by ${order}`),
    [
      [
        `
          select i.record_id
          from orrery.index_text as i
          where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
            and not i.unset and i.value = $4::text and i.record_id > $5
          order by i.record_id`,
        [...rows, 'warm', world.idOf('Hopper')],
      ],
      [
        `
          select i.record_id
          from orrery.index_text as i
          where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
            and not i.unset and i.value = $4::text and true
          order by i.record_id`,
        [...rows, 'cold'],
      ],
      [
        `
          select i.record_id
          from orrery.index_text as i
          where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
            and i.unset and i.value = $4::text and true
          order by i.record_id`,
        [...rows, ''],
      ],
    ],
  );
});

test('through the records of one value, or of one link', async () => {
  const index = { kind: 'text', propertyId: propertyOf('svc_contact', 'svc_last_name').id } as const;
  const value = await walked({ kind: 'value', index, key: 'turing' });
  expectStretches(value.stretches, [
    [
      `
        select i.record_id
        from orrery.index_text as i
        where i.org_id = $1 and i.type_id = $2 and i.property_id = $3
          and not i.unset and i.value = $4::text and true
        order by i.record_id`,
      [world.orgId, 1, index.propertyId, 'turing'],
    ],
  ]);
  expect(value.names).toEqual(['Turing']);
  const filter = { association: 'svc_contact_to_company', operator: 'exists' };
  const { hop } = queryPlan('svc_contact', { filter }).condition as LinkCondition;
  const linked = await walked({ kind: 'linked', hop, otherId: world.idOf('Acme') }, at('Lovelace'));
  expectStretches(linked.stretches, [
    [
      `
        select a.source_id as record_id
        from orrery.association as a
        where a.org_id = $1 and a.target_id = $2 and a.association_type_id = $3
          and a.source_type_id = $4 and a.source_id > $5
        order by a.source_id`,
      [world.orgId, world.idOf('Acme'), 1, 1, world.idOf('Lovelace')],
    ],
  ]);
  expect(linked.names).toEqual(['Hopper']);
});

test('by a total: those that have one, then those that have none', async () => {
  const property = propertyOf('svc_contact', 'svc_potential_deal_total');
  const { stretches, names } = await walked({ kind: 'totals', property, direction: 'desc', test: undefined });
  expect(stretches.map(({ text }) => text.slice(0, 40))).toEqual([
    'select k.record_id from (select link.tar',
    'select r.id as record_id from orrery.rec',
  ]);
  expect(names).toEqual(['Lovelace', 'Hopper', 'Turing']);
});

function expectStretches(stretches: readonly Sql[], shown: readonly (readonly [string, readonly unknown[]])[]): void {
  expect(stretches.length).toBe(shown.length);
  for (const [place, [text, values]] of shown.entries()) expectSql(stretches[place] ?? sql``, text, values);
}
