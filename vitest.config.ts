import { defineConfig } from 'vitest/config';

// `pure` needs nothing but the code; `api` runs against a real PostgreSQL, started once for all files.
export default defineConfig({
  test: {
    maxWorkers: 3,
    reporters: ['default', './test/closing-line.ts'],
    projects: [
      { test: { name: 'pure', include: ['src/**/*.test.ts', 'test/tidy.test.ts'] } },
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
