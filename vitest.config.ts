import { defineConfig } from 'vitest/config';

// `pure` needs nothing but the code; `api` runs against a real PostgreSQL, started once for all files; `apart` does too,
// and each of its files has the program for itself, because it puts something in the place of a module.
const apart = ['test/store/migrate.test.ts', 'test/embedded/*.test.ts'];
const database = {
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    // One more than the cores that we count on: many tests wait for processes and for time.
    maxWorkers: 3,
    reporters: ['default', './test/closing-line.ts'],
    projects: [
      // What is pure leaves nothing behind for the next file.
      {
        test: { name: 'pure', include: ['src/**/*.test.ts', 'demo/**/*.test.ts', 'test/tidy.test.ts'], isolate: false },
      },
      // Loading the program anew for each file took as long as half of the tests. No file keeps anything in a module.
      {
        test: {
          ...database,
          name: 'api',
          include: ['test/**/*.test.ts'],
          exclude: ['test/tidy.test.ts', ...apart],
          isolate: false,
        },
      },
      { test: { ...database, name: 'apart', include: apart } },
    ],
  },
});
