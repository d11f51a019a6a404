import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// `pure` needs nothing but the code. `api` runs against a real PostgreSQL, started once for all files. So does `apart`,
// where each file loads the program for itself, because it replaces a module.
const apart = ['test/store/migrate.test.ts', 'test/embedded/*.test.ts'];
const tidy = 'test/tidy/*.test.ts';

// A timeout only ends a test that hangs. It is long, so that a machine that is busy with something else fails none.
const patient = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } };
const database = { ...patient, globalSetup: ['test/support/global-setup.ts'] };

// What takes the longest begins first, so that no worker is left alone with it at the end. Vitest itself would go by size.
const longest = [
  'store/hosts',
  'browser/console/settings-schema',
  'browser/console/import',
  'docs/docs',
  'browser/reference',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return index < 0 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** They need a PostgreSQL with Citus: see deploy/citus/README.md. */
const onCluster = 'test/cluster/*.test.ts';
const hasCluster = Boolean(process.env['CITUS_PG_CONFIG']);

/** `npm run interop` checks what the tests of the API asked and were answered. */
const keeping = process.env['TEST_EXCHANGES'] ? ['test/support/api/keep-exchanges.ts'] : [];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Two more than the cores that we count on: many tests wait for processes and for time.
    maxWorkers: 4,
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      // Pure files leave nothing behind for the next one, so they share the loaded program.
      {
        test: {
          ...patient,
          name: 'pure',
          include: [...['src', 'demo', 'client', 'console'].map((room) => `${room}/**/*.test.ts`), tidy],
          isolate: false,
        },
      },
      // Loading the program again for each file took as long as half of the tests. No file keeps state in a module.
      {
        test: {
          ...database,
          name: 'api',
          include: ['test/**/*.test.ts'],
          exclude: [tidy, onCluster, ...apart],
          setupFiles: keeping,
          isolate: false,
        },
      },
      { test: { ...database, name: 'apart', include: apart } },
      {
        test: {
          ...patient,
          name: 'cluster',
          globalSetup: ['test/support/cluster/setup.ts'],
          include: hasCluster ? [onCluster] : [],
          isolate: false,
        },
      },
    ],
  },
});
