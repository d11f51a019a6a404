// The built console: what a page needs beyond the first load is small, whichever page it is.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

const folder = join(root, 'dist/site/console');
const pageBytesMost = 60 * 1_024;

/** The scripts that a script imports at once, itself included. Those that it imports later are asked for when they are needed. */
function neededBy(names: readonly string[], known: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const needed = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (needed.has(name) || known.has(name)) continue;
    needed.add(name);
    const script = readFileSync(join(folder, 'assets', name), 'utf8');
    for (const [, imported = ''] of script.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
      waiting.push(imported);
  }
  return needed;
}

const bytesOf = (names: ReadonlySet<string>) =>
  [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, 'assets', name))).length, 0);

test('each page, the worker of an import, and whatever else is loaded later, is at most 60 KB compressed', () => {
  const scripts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'));
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const entries = [...page.matchAll(/assets\/([^"']+\.js)["']/g)].map(([, name = '']) => name);
  // The script of the page draws nothing itself: the program of the console comes with every page.
  const program = scripts.filter((name) => /^console-/.test(name));
  const first = neededBy([...entries, ...program]);
  expect(program).toHaveLength(1);
  const later = scripts.filter((name) => !first.has(name));
  const drawn = readdirSync(join(root, 'console/pages')).map((name) => `${name}-page`);
  const missing = [...drawn, 'import-worker'].filter((name) => !later.some((file) => file.startsWith(`${name}-`)));
  expect(missing).toEqual([]);
  for (const name of later) expect(bytesOf(neededBy([name], first)), name).toBeLessThan(pageBytesMost);
});
