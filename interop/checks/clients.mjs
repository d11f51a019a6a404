// Clients that other tools generate from the document: they compile, and each makes at least ten different calls.
import { join } from 'node:path';
import { documentFile, generated, here, tool } from '../place.mjs';
import { run } from '../processes.mjs';

const callsMin = 10;

/** The files of clients/, by the tool that generates what they use. */
const clients = {
  'openapi-typescript and openapi-fetch': 'openapi-fetch',
  '@hey-api/openapi-ts': 'hey-api',
  'openapi-zod-client': 'zod-client',
};

export async function generatedClients({ apiUrl, key }) {
  const place = (name) => join(generated, name);
  await run(tool('openapi-typescript'), [documentFile, '--output', place('openapi-typescript.ts')]);
  await run(tool('openapi-ts'), ['--input', documentFile, '--output', place('hey-api'), '--no-log-file']);
  await run(tool('openapi-zod-client'), [documentFile, '--output', place('zod-client.ts')]);
  await run(tool('tsc'), ['--project', here]);
  const made = [];
  for (const [name, file] of Object.entries(clients)) {
    const client = await import(join(generated, `built/clients/${file}.js`));
    const operations = await client.run(apiUrl, key);
    if (operations.size < callsMin) throw new Error(`${name} called only ${[...operations].join(', ')}.`);
    made.push(`${name} ${operations.size}`);
  }
  return `operations called: ${made.join(', ')}`;
}
