// One PostgreSQL for the whole run: the embedded one in a temporary folder, or the server that TEST_DATABASE_URL names.
// Each test file makes databases of its own on it. Most of them are copies of one whose tables are made here, because making
// the tables takes ten times as long as copying them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openMigrated } from '../../src/store/driver/open.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { createDatabaseOn, untilAlone } from './database-on.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a database on the server, from which others can be created. */
    serverUrl: string;
    /** A database on the server that has the tables and nothing else. */
    template: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const server = given === undefined || given === '' ? await startOwn() : { url: given, stop: async () => {} };
  const template = await createDatabaseOn(server.url);
  const database = await openMigrated({ engine: 'server', url: template.url });
  await database.close();
  project.provide('serverUrl', server.url);
  project.provide('template', template.name);
  return async () => {
    await template.drop();
    await server.stop();
  };
}

async function startOwn(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-test-'));
  const server = await openEmbedded(folder);
  const { host, port, user, database } = server.connection;
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  return {
    url,
    stop: async () => {
      // A server that somebody is connected to is not stopped.
      await untilAlone(url);
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
