// The records that a user sees, in order of creation: the ids of two parts, each read only as far as needed, are united.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstId, firstIdAt, idTimeMs } from '../../src/base/id.ts';
import { sql } from '../../src/base/sql.ts';
import type { Position } from '../../src/query/position.ts';
import { createdBytes } from '../../src/store/compile/created.ts';
import { compileSeenWalk } from '../../src/store/compile/seen.ts';
import type { Viewer } from '../../src/store/viewer.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { namesFrom, startWorld, type World } from '../support/compile/world.ts';

const ada = '00000000-0000-7000-8000-000000000001';
let world: World;
let viewer: Viewer;
beforeAll(async () => {
  world = await startWorld();
  viewer = { ...world.viewer, onlyUser: ada };
  const [hopper, turing] = [world.idOf('Hopper'), world.idOf('Turing')];
  // Hopper is private to Ada, Turing to nobody.
  await world.database.query(sql`
    update orrery.record set org_visible = false where org_id = ${world.orgId} and id in (${hopper}, ${turing})`);
  for (const name of ['Hopper', 'Lovelace']) {
    await world.database.query(sql`insert into orrery.record_user (org_id, user_id, type_id, record_id, created_at)
      values (${world.orgId}, ${ada}, 1, ${world.idOf(name)}, now())`);
  }
});
afterAll(() => world.stop());

function after(name: string): Position {
  return { parts: [], id: world.idOf(name) };
}

const time = (id: string) => `substring(uuid_send(${id}) from 1 for 6)`;
const ofOrg = (first: number) =>
  `select r.id as record_id from orrery.record as r
    where r.org_id = $${first} and r.type_id = $${first + 1} and r.org_visible`;
const ofUser = (first: number) =>
  `select u.record_id from orrery.record_user as u
    where u.org_id = $${first} and u.user_id = $${first + 1} and u.type_id = $${first + 2}`;

test('in order of creation: the first of each part, then the first of both', async () => {
  const range = { low: { key: '1970-01-01T00:00:00.001Z', inclusive: true } };
  const walk = { direction: 'asc', range } as const;
  const statement = compileSeenWalk(viewer, 1, walk, after('Acme'), 10);
  const acme = world.idOf('Acme');
  expectSql(
    statement,
    `
      select s.record_id
      from (
        (
          ${ofOrg(1)} and ${time('r.id')} >= $3::bytea and r.id > $4 and ${time('r.id')} >= $5::bytea
          order by ${time('r.id')}, r.id
          limit $6)
        union all
        (
          ${ofUser(7)} and u.record_id >= $10 and u.record_id > $11
          order by u.record_id
          limit $12)) as s
      group by s.record_id
      order by s.record_id
      limit $13`,
    [
      ...[world.orgId, 1, createdBytes(1), acme, createdBytes(idTimeMs(acme)), 10],
      ...[world.orgId, ada, 1, firstIdAt(1), acme, 10],
      10,
    ],
  );
  // Lovelace is in both parts.
  expect(await namesFrom(world, statement)).toEqual(['Lovelace', 'Hopper']);
  expect(await namesFrom(world, compileSeenWalk(viewer, 1, walk, after('Lovelace'), 10))).toEqual(['Hopper']);
});

test('the newest first: the part of the user is read backwards, up to the beginning of a millisecond', async () => {
  const walk = { direction: 'desc', range: {} } as const;
  const statement = compileSeenWalk(viewer, 1, walk, undefined, 1);
  expectSql(
    statement,
    `
      select s.record_id
      from (
        (
          ${ofOrg(1)} and true and true
          order by ${time('r.id')} desc, r.id
          limit $3)
        union all
        (
          ${ofUser(4)} and true and true and u.record_id >= overlay(coalesce((
            ${ofUser(7)} and true and true
            order by u.record_id desc
            offset $10
            limit 1), $11)::text placing '-0000-0000-000000000000' from 14)::uuid)) as s
      group by s.record_id
      order by ${time('s.record_id')} desc, s.record_id
      limit $12`,
    [world.orgId, 1, 1, world.orgId, ada, 1, world.orgId, ada, 1, 0, firstId, 1],
  );
  expect(await namesFrom(world, statement)).toEqual(['Hopper']);
});

test('after a position: the rest of its millisecond, then everything before it', async () => {
  const walk = { direction: 'desc', range: {} } as const;
  const statement = compileSeenWalk(viewer, 1, walk, after('Hopper'), 10);
  const ms = idTimeMs(world.idOf('Hopper'));
  expect(statement.text).toContain(`and r.id > $3 and ${time('r.id')} = $4::bytea order by r.id limit $5`);
  expect(statement.text).toContain('and u.record_id > $9 and u.record_id < $10 order by u.record_id limit $11');
  expect(statement.values.slice(2, 4)).toEqual([world.idOf('Hopper'), createdBytes(ms)]);
  expect(statement.values[9]).toBe(firstIdAt(ms + 1));
  expect(statement.values.filter((value) => value === firstIdAt(ms))).toHaveLength(2);
  expect(await namesFrom(world, statement)).toEqual(['Lovelace']);
});
