// The smoke tests: both packages as somebody installs them, on every Node that is supported. They need the packages of this
// folder, so `npm run smoke` installs those first, and `npm test` leaves these tests out.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['smoke/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', './test/support/closing-line.ts'],
  },
});
