// One PostgreSQL for the whole run: the embedded one in a temporary folder, or the server that TEST_DATABASE_URL names.
// Each test file makes databases of its own on it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a database on the server, from which others can be created. */
    serverUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') {
    project.provide('serverUrl', given);
    return async () => {};
  }
  const folder = await mkdtemp(join(tmpdir(), 'orrery-test-'));
  const server = await openEmbedded(folder);
  const { host, port, user, database } = server.connection;
  project.provide('serverUrl', `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`);
  return async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
}
