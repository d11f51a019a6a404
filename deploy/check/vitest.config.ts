// The check of deploy/kubernetes. It needs the packages of this folder, so `npm run manifests` installs those first, and
// `npm test` leaves it out.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['deploy/check/*.test.ts'],
    testTimeout: 300_000,
    reporters: ['default', './test/support/closing-line.ts'],
  },
});
