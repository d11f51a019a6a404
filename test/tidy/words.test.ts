// Where things are written: SQL in store alone, every statement with its org, one reader each of environment, time and
// randomness, no boolean parameters, nothing unfinished. Each rule is tried on samples that break it.
import { expect, test } from 'vitest';
import { readSources, toSource } from '../support/sources.ts';
import { client, program, testSupport } from '../support/tidy/repository-code.ts';
import {
  booleanParameters,
  drawers,
  isSql,
  passedOn,
  quietedCheckers,
  statementsWithoutOrg,
  strayReads,
  straySql,
  tenantStatements,
  unfinishedLines,
} from '../support/tidy/words.ts';

const sample = (text: string, path = 'src/engine/sample.ts') => [toSource(path, text)];

test('only config reads the environment, only clock reads time, only id reads randomness, only locks takes locks', () => {
  expect(strayReads(program)).toEqual([]);
  expect(strayReads(sample('a(process.env, Date.now(), Math.random(), "pg_advisory_lock");'))).toHaveLength(4);
});

test('SQL is written only in store', () => {
  expect(straySql([...program, ...client, ...readSources('scripts')])).toEqual([]);
  expect(straySql(sample("import { sql } from '../base/sql.ts';"))).toEqual(['src/engine/sample.ts imports sql']);
  expect(straySql(sample("import { sql } from '../base/sql.ts';", 'src/store/sample.ts'))).toEqual([]);
});

test.each([
  "'set local synchronous_commit = off'",
  '"SELECT 1"',
  "'Select pg_sleep(1)'",
  `\`\n  select id\n  from orrery.record where org_id = \${a}\``,
  "'begin'",
  "'BEGIN; SET LOCAL a = b; COMMIT'",
  "'lock table orrery.org in share mode'",
  "'insert into orrery.org values (1)'",
  `\`update \${table} set a = 1\``,
  "'delete from orrery.org where true'",
  "'with a as (select 1) select * from a'",
  "'analyze'",
  "'create unlogged table a (b int)'",
  "'copy orrery.record from stdin'",
])('SQL is recognised in %s', (literal) => {
  expect(straySql(sample(`run(${literal});`))).toHaveLength(1);
});

test.each(['Select an org with --org.', 'Begin with a letter.', 'update', 'Set the locale.', 'copy', 'Lock it.'])(
  'English is not taken for SQL: %s',
  (text) => {
    expect(isSql(text)).toBe(false);
  },
);

test('every statement on a tenant table names its org', () => {
  expect(tenantStatements(program).length).toBeGreaterThan(15);
  expect(statementsWithoutOrg(program)).toEqual([]);
  const whole = 'sql`select id from orrery.record`';
  expect(statementsWithoutOrg(sample(whole, 'src/store/sample.ts'))).toHaveLength(1);
  const named = `sql\`select id from orrery.record where org_id = \${orgId}\``;
  expect(statementsWithoutOrg(sample(named, 'src/store/sample.ts'))).toEqual([]);
});

test('no function takes a boolean parameter', () => {
  expect(booleanParameters([...program, ...client, ...testSupport])).toEqual([]);
});

test.each([
  'function a(b: string, c: boolean) {}',
  'function a(\n  b: B,\n  c?: boolean,\n): void {}',
  'const a = (b: boolean) => b;',
  'const a = (\n  b: string,\n  c: boolean | undefined,\n) => c;',
  'class A {\n  b(c: boolean): void {}\n}',
  'const a = { b(c: boolean) {} };',
  'interface A {\n  b(c: boolean): void;\n}',
  'type A = (b: undefined | boolean) => void;',
  'const a = (b = false) => b;',
  'function a(b: boolean = true) {}',
])('a boolean parameter is found in %s', (text) => {
  expect(booleanParameters(sample(text)).length).toBeGreaterThan(0);
});

test.each([
  'function a({ b }: { b: boolean }) {}',
  'interface A {\n  readonly b: boolean;\n}',
  'function a(b: string): boolean {}',
  'function a(b: readonly boolean[], c: (d: string) => boolean) {}',
])('a named or returned boolean is not a boolean parameter: %s', (text) => {
  expect(booleanParameters(sample(text))).toEqual([]);
});

test('nothing is left unfinished, and no checker is quieted', () => {
  expect(unfinishedLines([...program, ...client, ...testSupport.filter(isNoRule)])).toEqual([]);
  expect(quietedCheckers([...program, ...client])).toEqual([]);
  expect(unfinishedLines(sample('// TODO later'))).toEqual(['src/engine/sample.ts:1 // TODO later']);
  expect(quietedCheckers(sample('const a: any = b as any;\n// @ts-expect-error\n'))).toHaveLength(2);
});

/** The rules themselves name the words that they forbid. */
function isNoRule({ path }: { readonly path: string }): boolean {
  return path !== 'test/support/tidy/words.ts';
}

test('every file has a subject, and none passes on what another declares', () => {
  // A command has the file of its name, and one is called `types`.
  expect(drawers([...program, ...testSupport], ['src/cli/types.ts'])).toEqual([]);
  expect(drawers(sample('', 'src/base/string-utils.ts'), [])).toHaveLength(1);
  expect(passedOn(program)).toEqual([]);
  expect(passedOn(sample("\nexport { a } from './a.ts';"))).toHaveLength(1);
  expect(passedOn(sample('\nexport default a;'))).toHaveLength(1);
});
