// Nothing grows without bound: files, functions and folders stay as small as a reader can hold. Each rule is tried on a
// sample that breaks it.
import { expect, test } from 'vitest';
import { type SourceFile, toSource } from '../support/sources.ts';
import { program, testSupport } from '../support/tidy/repository-code.ts';
import { filesWithoutHeader, fullFolders, longFiles, longFunctions } from '../support/tidy/sizes.ts';

const checked = [...program, ...testSupport];
const sample = (text: string) => [toSource('src/base/sample.ts', text)];
const linesOf = (count: number) => Array.from({ length: count }, (_, index) => `  line${index}();\n`).join('');

test('a file has at most 300 lines', () => {
  expect(longFiles(checked)).toEqual([]);
  expect(longFiles(sample(linesOf(300)))).toEqual([]);
  expect(longFiles(sample(linesOf(301)))).toEqual(['src/base/sample.ts has 301 lines']);
});

test('a file begins with one to eight lines that say what it is for', () => {
  expect(filesWithoutHeader(checked)).toEqual([]);
  expect(filesWithoutHeader(sample('\nexport const a = 1;\n'))).toEqual(['src/base/sample.ts']);
  expect(filesWithoutHeader(sample(`${'// long\n'.repeat(9)}a();\n`))).toHaveLength(1);
});

test('a function has at most 60 lines', () => {
  expect(longFunctions(checked)).toEqual([]);
});

const signatures = {
  'a function': (body: string) => `export async function a(b: string): Promise<{ c: string }> {\n${body}}\n`,
  'a function that returns one': (body: string) => `function a<T>(b: () => T): () => { c: T } {\n${body}}\n`,
  'an asynchronous arrow function': (body: string) => `use(b, async (c): Promise<D> => {\n${body}});\n`,
  'a signature of several lines': (body: string) => `function a<T extends B>(\n  b: T,\n  c = ')',\n): T {\n${body}}\n`,
  'an arrow function': (body: string) => `const a = async (\n  b: B,\n): Promise<void> => {\n${body}};\n`,
  'an arrow function that is an argument': (body: string) => `use(b, (c) => {\n${body}});\n`,
  'an arrow function without braces': (body: string) =>
    `const a = (b: B) =>\n  b.c([\n${body.replaceAll(';', ',')}]);\n`,
  'a method of a class': (body: string) => `class A {\n  static async *b(c: C): D<E> {\n${body}  }\n}\n`,
  'a private method': (body: string) => `class A {\n  #b(\n    c: C,\n  ) {\n${body}  }\n}\n`,
  'a constructor': (body: string) => `class A {\n  constructor(b: B) {\n${body}  }\n}\n`,
  'a method of an object': (body: string) => `const a = {\n  c: 1,\n  async b(c: C) {\n${body}  },\n};\n`,
  'a property of an object': (body: string) => `const a = {\n  b: (c) => {\n${body}  },\n};\n`,
};

test.each(Object.entries(signatures))('%s is measured from its first line to its last', (_, write) => {
  const frame = write('').split('\n').length - 1;
  expect(longFunctions(sample(write(linesOf(60 - frame))))).toEqual([]);
  expect(longFunctions(sample(write(linesOf(59))))).toHaveLength(1);
});

test('brackets in texts, comments and regular expressions do not end a function', () => {
  const tricky = `  a('}', "}", \`}\${b({ c: \`}\` })}\`, /[}/]}/.test(d), e / f); // }\n  /* } */\n`;
  expect(longFunctions(sample(`function a() {\n${tricky}${linesOf(50)}}\n`))).toEqual([]);
  expect(longFunctions(sample(`function a() {\n${tricky}${linesOf(57)}}\n`))).toEqual([
    'src/base/sample.ts:1 has 61 lines',
  ]);
});

test('what follows a function does not count', () => {
  const text = `function a(): () => void {\n${linesOf(20)}}\n\nfunction b() {\n${linesOf(50)}}\n`;
  expect(longFunctions(sample(text))).toEqual([]);
});

test('a folder of src holds at most 20 files; the twenty operations lie beside their contract and their table', () => {
  const files = program.filter(({ path }) => !/^src\/operations\/[^/]+$/.test(path));
  expect(fullFolders(files)).toEqual([]);
  const many: readonly SourceFile[] = Array.from({ length: 21 }, (_, index) => toSource(`src/base/a${index}.ts`, ''));
  expect(fullFolders(many)).toEqual(['src/base has 21 files']);
  expect(fullFolders(many.slice(1))).toEqual([]);
});
