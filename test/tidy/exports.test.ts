// An export is a promise to other files. One that no file imports is not needed.
import { expect, test } from 'vitest';
import { toSource } from '../support/sources.ts';
import { exportsOf, unusedExports } from '../support/tidy/exports.ts';
import { client, everything, program, testSupport } from '../support/tidy/repository-code.ts';

test('every export is imported by another file', () => {
  // The exports of client/main.ts are for its users.
  const checked = [...program, ...client.filter(({ path }) => path !== 'client/main.ts'), ...testSupport];
  expect(unusedExports(checked, everything)).toEqual([]);
});

test('an export that no file imports is found, whatever it declares', () => {
  const file = toSource(
    'src/a.ts',
    `export const used = 1;\nexport async function b() {}\nexport type C = 1;\nexport interface D {}
export abstract class E {}\nconst f = 1;\nexport { f as g };\n`,
  );
  expect(exportsOf(file.text)).toEqual(['used', 'b', 'C', 'D', 'E', 'g']);
  const user = toSource('src/b.ts', "import { used, type C as Other } from './a.ts';\n");
  expect(unusedExports([file], [file, user])).toEqual(['b', 'D', 'E', 'g'].map((name) => `src/a.ts exports ${name}`));
  const all = toSource('src/b.ts', "import * as a from './a.ts';\n");
  expect(unusedExports([file], [file, all])).toEqual([]);
});
