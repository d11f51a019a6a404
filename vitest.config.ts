import { defineConfig } from 'vitest/config';

// `pure` needs nothing but the code; `api` runs against a real PostgreSQL, started once for all files.
export default defineConfig({
  test: {
    // One more than the cores that we count on: many tests wait for processes and for time.
    maxWorkers: 3,
    reporters: ['default', './test/closing-line.ts'],
    projects: [
      // What is pure leaves nothing behind for the next file.
      { test: { name: 'pure', include: ['src/**/*.test.ts', 'test/tidy.test.ts'], isolate: false } },
      {
        test: {
          name: 'api',
          include: ['test/**/*.test.ts'],
          exclude: ['test/tidy.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
