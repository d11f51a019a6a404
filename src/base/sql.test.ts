// SQL fragments: merging renumbers parameters, and a value never becomes text.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bounds } from './limits.ts';
import { distributedSteps, join, orInSteps, passedOn, raw, type Sql, sql, varied } from './sql.ts';

test('a template turns its holes into numbered parameters', () => {
  const query = sql`select * from record where org_id = ${7} and id = ${'x'}`;
  expect(query.text).toBe('select * from record where org_id = $1 and id = $2');
  expect(query.values).toEqual([7, 'x']);
});

test('a template without holes is its own text', () => {
  expect(sql`select 1`.text).toBe('select 1');
  expect(sql`select 1`.values).toEqual([]);
});

test('a merged fragment is renumbered in its new place', () => {
  const inner = sql`(a = ${1} or b = ${2})`;
  const query = sql`select ${0} where ${inner} and ${inner} and c = ${3}`;
  expect(query.text).toBe('select $1 where (a = $2 or b = $3) and (a = $4 or b = $5) and c = $6');
  expect(query.values).toEqual([0, 1, 2, 1, 2, 3]);
  expect(inner.text).toBe('(a = $1 or b = $2)');
});

test('fragments side by side, without text between them, keep their parameters in order', () => {
  const query = sql`${sql`${1}`}${2}${sql`${3}`}`;
  expect(query.text).toBe('$1$2$3');
  expect(query.values).toEqual([1, 2, 3]);
});

test('a value that reads like SQL, a parameter or a fragment stays a value', () => {
  for (const hostile of [
    "'; drop table record; --",
    '$1',
    '$$1$$',
    { strings: ['drop'], values: [] },
    null,
    undefined,
  ]) {
    const query = sql`select ${hostile}`;
    expect(query.text).toBe('select $1');
    expect(query.values).toEqual([hostile]);
  }
});

test('an array is one value, not one parameter for each element', () => {
  const query = sql`id = any(${['a', 'b']})`;
  expect(query.text).toBe('id = any($1)');
  expect(query.values).toEqual([['a', 'b']]);
});

test('a join puts its separator only between the parts, and a join of nothing is empty', () => {
  const query = join([sql`a = ${1}`, sql`b = ${2}`, sql`c = ${3}`], ' and ');
  expect(query.text).toBe('a = $1 and b = $2 and c = $3');
  expect(query.values).toEqual([1, 2, 3]);
  expect(join([sql`a = ${1}`], ', ').text).toBe('a = $1');
  expect(join([], ', ').text).toBe('');
  expect(join([], ', ').values).toEqual([]);
});

test('raw text has no parameters, even if it has dollar signs', () => {
  const query = sql`${raw('select $$x$$, ')}${'v'}`;
  expect(query.text).toBe('select $$x$$, $1');
  expect(query.values).toEqual(['v']);
});

test('statements with the same text, values and manner have the same identity', () => {
  const read = (value: unknown) => sql`select ${value}`;
  expect(read(['a', 'b']).identity).not.toBe(read(['ab']).identity);
  expect(passedOn(read('a')).identity).not.toBe(read('a').identity);
  for (const value of ['a', ['a', 'b'], null]) expect(read(value).identity).toBe(read(value).identity);
});

test.each([
  ['a long text', 'x'.repeat(bounds.store.comparedCharacters)],
  ['a long list', Array.from({ length: bounds.store.comparedCharacters }, () => '')],
])('a statement with %s equals no other', (_, value) => {
  const [first, second] = [sql`select ${value}`, sql`select ${value}`];
  expect(first.identity).not.toBe(second.identity);
  expect(first.identity.length).toBeLessThan(100);
});

/** A fragment of any depth, with the values that it must have in order. */
interface Fragment {
  readonly query: Sql;
  readonly values: readonly string[];
}

const { fragment } = fc.letrec<{ fragment: Fragment; leaf: Fragment; branch: Fragment }>((tie) => ({
  fragment: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('branch')),
  leaf: fc.string().map((value) => ({ query: sql`[${value}]`, values: [value] })),
  branch: fc.array(tie('fragment'), { maxLength: 4 }).map((parts) => ({
    query: sql`(${join(
      parts.map((part) => part.query),
      '|',
    )})`,
    values: parts.flatMap((part) => part.values),
  })),
}));

test('however fragments nest, the parameters run from 1 without a gap and match the values', () => {
  fc.assert(
    fc.property(fragment, ({ query, values }) => {
      expect(query.values).toEqual(values);
      expect(query.text.match(/\$[0-9]+/g) ?? []).toEqual(values.map((_, index) => `$${index + 1}`));
      expect(query.text.replaceAll(/\$[0-9]+/g, '')).toMatch(/^[[\]()|]*$/);
    }),
  );
});

test('what is run in place of a statement is run in its manner, and keeps a variety of its own', () => {
  const statement = passedOn(
    orInSteps(sql`with a as (select 1) select 2`, () => [sql`select 1`, varied(sql`select 2`)]),
  );
  const [first, second] = distributedSteps(statement);
  expect([first?.text, first?.manner.texts, first?.manner.variety]).toEqual(['select 1', 'bytes', 'fixed']);
  expect([second?.text, second?.manner.texts, second?.manner.variety]).toEqual(['select 2', 'bytes', 'varied']);
});
