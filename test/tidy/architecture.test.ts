// ARCHITECTURE.md is short, and every place that it names exists.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** Names in backquotes: in a row of the code map they belong to the folders of its first cell, elsewhere they have a slash. */
function placesIn(markdown: string): readonly string[] {
  return markdown.split('\n').flatMap((line) => {
    const [, first, second] = /^\| (`.*?) \| (.*) \|$/.exec(line) ?? [];
    if (first === undefined || second === undefined) return quoted(line).filter((name) => name.includes('/'));
    const folders = quoted(first);
    return [...folders, ...quoted(second).map((name) => `${folders[0] ?? ''}${name}`)];
  });
}

function quoted(line: string): readonly string[] {
  return [...line.matchAll(/`([a-z][a-z0-9/-]*)`/g)].map((match) => match[1] ?? '');
}

/** A place is below src or beside it, and a file is named without its extension. */
function exists(place: string): boolean {
  return ['src', '.'].some((top) => [place, `${place}.ts`].some((name) => existsSync(join(root, top, name))));
}

test('ARCHITECTURE.md has at most 150 lines', () => {
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('every place that ARCHITECTURE.md names exists', () => {
  const places = placesIn(text);
  expect(places.length).toBeGreaterThan(60);
  expect(places.filter((place) => !exists(place))).toEqual([]);
});

test('a place that does not exist is found, in a sentence and in the code map', () => {
  const sample = 'see `engine/nowhere` and `access/narrow`\n| `query/` | `plan`, `nothing` |';
  expect(placesIn(sample).filter((place) => !exists(place))).toEqual(['engine/nowhere', 'query/nothing']);
});
