// The order of records by any sortable property, without the help of an index.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { compileAfter, compileOrder, compileParts } from '../../src/store/compile/sort.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { queryPlan } from '../support/compile/plans.ts';
import { namesFrom, startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test('without sort keys records are in the order of their ids, which is that of creation', async () => {
  expectSql(compileOrder(1, []), `r.id`, []);
  expectSql(compileParts(1, []), `'{}'::text[] as parts`, []);
  expectSql(compileAfter(1, [], { parts: [], id: world.idOf('Lovelace') }), `((r.id > $1))`, [world.idOf('Lovelace')]);
});

test('records are ordered by a text, then by id; the next page begins after both', async () => {
  const { sort } = queryPlan('svc_contact', { sort: [{ property: 'svc_job_title', direction: 'desc' }] });
  const title = ['svc_job_title', 'svc_job_title'];
  expectSql(
    compileOrder(1, sort),
    `
      (coalesce(r.folded ->> $1::text, r.properties ->> $2::text)) collate "C" desc nulls last, r.id`,
    title,
  );
  expectSql(
    compileParts(1, sort),
    `
      array[((coalesce(r.folded ->> $1::text, r.properties ->> $2::text)) collate "C")::text] as parts`,
    title,
  );
  const position = { parts: ['rear admiral'], id: world.idOf('Hopper') };
  const after = compileAfter(1, sort, position);
  expectSql(
    after,
    `
      ((((coalesce(r.folded ->> $1::text, r.properties ->> $2::text)) collate "C" < $3::text collate "C"
          or (coalesce(r.folded ->> $4::text, r.properties ->> $5::text)) collate "C" is null))
        or ((coalesce(r.folded ->> $6::text, r.properties ->> $7::text)) collate "C" = $8::text collate "C" and r.id > $9))`,
    [...title, 'rear admiral', ...title, ...title, 'rear admiral', position.id],
  );
  const statement = sql`select r.id as record_id from orrery.record as r
    where r.org_id = ${world.orgId} and r.type_id = 1 and ${after} order by ${compileOrder(1, sort)}`;
  expect(await namesFrom(world, statement)).toEqual(['Lovelace', 'Turing']);
});
