// Other tools on the API, used unchanged. Each check prints one line; the run fails if one of them does, and leaves nothing
// running behind.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatedClients } from './checks/clients.mjs';
import { lint } from './checks/lint.mjs';
import { postman } from './checks/postman.mjs';
import { prism } from './checks/prism.mjs';
import { startDemo } from './demo.mjs';
import { documentFile, generated } from './place.mjs';

const folder = await mkdtemp(join(tmpdir(), 'orrery-interop-'));
// The database may run as another user.
await chmod(folder, 0o755);
let demo;
try {
  demo = await startDemo(folder);
  const response = await fetch(`${demo.apiUrl}/openapi.json`);
  await mkdir(generated, { recursive: true });
  await writeFile(documentFile, await response.text());
  await Promise.all([
    check('Spectral and Redocly', lint),
    check('Prism over the api tests', () => prism(join(folder, 'exchanges'))),
    // One after the other, because both count what is in the org.
    check('Generated clients', () => generatedClients(demo)).then(() =>
      check('Postman collection in newman', () => postman(demo)),
    ),
  ]);
} finally {
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function check(name, work) {
  const from = Date.now();
  const took = () => `${((Date.now() - from) / 1_000).toFixed(1)} s`;
  try {
    process.stdout.write(`ok      ${name}: ${await work()} (${took()})\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`failed  ${name} (${took()})\n${error.stack}\n`);
  }
}
