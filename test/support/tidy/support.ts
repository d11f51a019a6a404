// Where the support of tests lies: a folder of test/support belongs to the folder of tests of the same name, and its root
// keeps what the tests of several folders share.
import type { SourceFile } from '../sources.ts';

/** Opened by the runner, or by other support alone. */
const rootOfAll = ['test/support/closing-line.ts', 'test/support/global-setup.ts'];

/** Folders of test/support without a folder of tests. */
export function homelessSupport(tests: readonly SourceFile[]): readonly string[] {
  const promises = new Set(tests.map(({ path }) => path.split('/')[1]));
  const folders = tests.filter(isSupport).map(({ path }) => path.split('/').slice(2, -1).join('/'));
  return [...new Set(folders)].filter((folder) => folder !== '' && !promises.has(folder));
}

/** Files in the root of test/support that the tests of one folder alone use. */
export function lonelySupport(tests: readonly SourceFile[]): readonly string[] {
  return tests.flatMap(({ path }) => {
    if (!/^test\/support\/[^/]+$/.test(path) || rootOfAll.includes(path)) return [];
    const users = usersOf(tests, path);
    return users.size > 1 ? [] : [`${path} is used by ${[...users].join()} alone`];
  });
}

/** The folders whose tests use the file, directly or by other support. */
function usersOf(tests: readonly SourceFile[], path: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(path);
  const importers = tests.filter(({ imports }) => imports.some(({ target }) => target === path));
  return new Set(
    importers.flatMap((file) => {
      if (!isSupport(file)) return [file.path.split('/')[1] ?? ''];
      return seen.has(file.path) ? [] : [...usersOf(tests, file.path, seen)];
    }),
  );
}

function isSupport({ path }: SourceFile): boolean {
  return path.startsWith('test/support/');
}
