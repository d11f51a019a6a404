// A running service with one org, for tests of commands that a person runs beside it: the program itself, its database, a
// key of the org, and a folder for files.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder, createStorage, orreryJson, startServe } from './cli.ts';
import { Client } from './client.ts';

export interface ServedOrg {
  /** The number of the org, as flags take it. */
  readonly org: string;
  /** The flags that choose the database. */
  readonly args: readonly string[];
  readonly client: Client;
  readonly folder: string;
  /** Writes a file of these lines into the folder, and gives its path. */
  write(name: string, lines: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export async function serveOrg(): Promise<ServedOrg> {
  const storage = await createStorage();
  const folder = await createFolder();
  const service = await startServe(storage.args);
  const { org_id } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme', ...storage.args]);
  const org = String(org_id);
  const { key } = await orreryJson<{ key: string }>(['key', 'create', '--org', org, ...storage.args]);
  return {
    org,
    args: storage.args,
    client: new Client(service.url, key),
    folder,
    write: async (name, lines) => {
      const path = join(folder, name);
      await writeFile(path, `${lines.join('\n')}\n`);
      return path;
    },
    stop: async () => {
      await service.stop();
      await storage.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
