// The support of tests has the order of the tests.
import { expect, test } from 'vitest';
import { toSource } from '../support/sources.ts';
import { testSupport, tests } from '../support/tidy/repository-code.ts';
import { fileCircles } from '../support/tidy/rooms.ts';
import { homelessSupport, lonelySupport } from '../support/tidy/support.ts';

test('each folder of test/support belongs to the folder of tests of the same name', () => {
  expect(homelessSupport(tests)).toEqual([]);
  const sample = [toSource('test/feed/a.test.ts', ''), toSource('test/support/copies/a.ts', '')];
  expect(homelessSupport(sample)).toEqual(['copies']);
});

test('the root of test/support keeps only what several folders of tests share', () => {
  expect(lonelySupport(tests)).toEqual([]);
  const importing = (path: string, target: string) => toSource(path, `import { a } from '${target}';\n`);
  const shared = [
    toSource('test/support/a.ts', ''),
    importing('test/support/feed/b.ts', '../a.ts'),
    importing('test/feed/b.test.ts', '../support/feed/b.ts'),
  ];
  expect(lonelySupport(shared)).toEqual(['test/support/a.ts is used by feed alone']);
  expect(lonelySupport([...shared, importing('test/links/c.test.ts', '../support/a.ts')])).toEqual([]);
});

test('no file of test/support imports itself, directly or by way of others', () => {
  expect(fileCircles(testSupport)).toEqual([]);
});
