// The console keeps to itself: it imports nothing of the service, only the client, and its files stay small. What it knows of
// countries is what the service knows.
import { expect, test } from 'vitest';
import { callingCodes } from '../../console/text/calling-codes.ts';
import { countryCodes } from '../../src/schema/codes/countries.ts';
import { readSources } from '../support/sources.ts';
import { filesWithoutHeader, fullFolders, longFiles } from '../support/tidy/sizes.ts';

const files = readSources('console');

test('files and folders are as small as those of the service, and say what they are for', () => {
  expect(files.length).toBeGreaterThan(80);
  expect(longFiles(files)).toEqual([]);
  expect(fullFolders(files)).toEqual([]);
  expect(filesWithoutHeader(files)).toEqual([]);
});

test('it imports its own files, the client and what that shares with the service', () => {
  const foreign = files.flatMap(({ path, imports }) =>
    imports
      .filter(({ target, local }) => local && !/^(console|client\/import)\/|^client\/main\.ts$/.test(target))
      .map(({ target }) => `${path} imports ${target}`),
  );
  expect(foreign).toEqual([]);
});

test('pages do not import one another', () => {
  const pageOf = (path: string) => /^console\/pages\/([^/]+)\//.exec(path)?.[1];
  const crossed = files.flatMap(({ path, imports }) =>
    imports.filter(
      ({ target }) => pageOf(path) !== undefined && pageOf(target) !== undefined && pageOf(target) !== pageOf(path),
    ),
  );
  expect(crossed).toEqual([]);
});

test('every country has a calling code, and no other', () => {
  // Places without people have no phones.
  const without = ['BV', 'GS', 'HM', 'PN', 'TF', 'UM', 'EH', 'BL', 'MF'];
  expect(countryCodes.filter((code) => callingCodes[code] === undefined && !without.includes(code))).toEqual([]);
  expect(Object.keys(callingCodes).filter((code) => !countryCodes.includes(code))).toEqual([]);
});
