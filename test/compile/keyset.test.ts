// The order of rows by several parts, and the condition that a row comes after a position: unset last, both ways.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import { compileBeyond, compileOrderBy, compileTexts, type OrderPart } from '../../src/store/compile/keyset.ts';
import { expectSql } from '../support/compile/expect-sql.ts';
import { startWorld, type World } from '../support/compile/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const parts: readonly OrderPart[] = [
  { value: raw('t.word'), type: raw('::text'), direction: 'desc' },
  { value: raw('t.n'), type: raw('::integer'), direction: 'asc' },
];
const rows = raw(`(values (1, 'b'), (2, 'a'), (3, 'b'), (4, null)) as t (n, word)`);

test('parts are ordered one after the other, and returned as texts', async () => {
  expectSql(compileOrderBy(parts), `t.word desc nulls last, t.n asc nulls last`, []);
  expectSql(compileTexts(parts), `array[(t.word)::text, (t.n)::text] as parts`, []);
  expectSql(compileTexts([]), `'{}'::text[] as parts`, []);
  const found = await world.database.query(
    sql`select ${compileTexts(parts)} from ${rows} order by ${compileOrderBy(parts)}`,
  );
  expect(found).toEqual([{ parts: ['b', '1'] }, { parts: ['b', '3'] }, { parts: ['a', '2'] }, { parts: [null, '4'] }]);
});

test('a row comes after a position by its first part that differs', async () => {
  const beyond = compileBeyond(parts, ['b', '1']);
  expectSql(
    beyond,
    `
      (((t.word < $1::text or t.word is null)) or (t.word = $2::text and (t.n > $3::integer
        or t.n is null)) or (t.word = $4::text and t.n = $5::integer and false))`,
    ['b', 'b', '1', 'b', '1'],
  );
  expect(await numbersWhere(beyond)).toEqual([3, 2, 4]);
});

test('after an unset part come only rows that have it unset too', async () => {
  const beyond = compileBeyond(parts, [null, '3']);
  expectSql(
    beyond,
    `
      ((t.word is null and (t.n > $1::integer or t.n is null)) or (t.word is null
        and t.n = $2::integer and false))`,
    ['3', '3'],
  );
  expect(await numbersWhere(beyond)).toEqual([4]);
});

test('a last condition decides between rows that share all parts', async () => {
  const [word] = parts;
  const beyond = compileBeyond(word === undefined ? [] : [word], ['b'], raw('t.n > 1'));
  expectSql(beyond, `(((t.word < $1::text or t.word is null)) or (t.word = $2::text and t.n > 1))`, ['b', 'b']);
  expect(await numbersWhere(beyond)).toEqual([3, 2, 4]);
});

async function numbersWhere(condition: ReturnType<typeof compileBeyond>): Promise<readonly number[]> {
  const found = await world.database.query<{ n: number }>(
    sql`select t.n from ${rows} where ${condition} order by ${compileOrderBy(parts)}`,
  );
  return found.map(({ n }) => n);
}
