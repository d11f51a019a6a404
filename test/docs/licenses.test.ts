// The build includes the licenses of the libraries that it passes on to browsers.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

function filesOf(library: string): readonly string[] {
  return readdirSync(`dist/licenses/${library}`);
}

test.each([
  'react',
  'react-dom',
  '@tanstack/react-query',
  '@atlaskit/pragmatic-drag-and-drop',
  '@fontsource-variable/inter',
  'wouter',
])('%s', (library) => {
  const license = filesOf(library).find((name) => name.toUpperCase().startsWith('LICEN'));
  expect(readFileSync(`dist/licenses/${library}/${license}`, 'utf8')).toMatch(/licen[cs]e|permission/i);
});
