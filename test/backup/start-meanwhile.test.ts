// A service that is started while a restore finishes waits for it, and then serves what was restored. With an embedded
// database the restore also stops the server at its end, unless the service has connected by then.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { type BackupFolder, createBackupFolder } from '../support/backup/backups.ts';
import { createStorage, ended, orreryJson, type Storage, spawnOrrery, startServe } from '../support/cli.ts';
import { Client } from '../support/client.ts';

let storage: Storage;
let folder: BackupFolder;
let file: string;
let key: string;
beforeAll(async () => {
  storage = await createStorage();
  folder = await createBackupFolder();
  file = folder.path('whole.backup');
  const { org_id } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme', ...storage.args]);
  ({ key } = await orreryJson<{ key: string }>(['key', 'create', '--org', String(org_id), ...storage.args]));
  await orreryJson(['db', 'backup', file, ...storage.args]);
});
afterAll(async () => {
  await storage.remove();
  await folder.remove();
});

// The tables are locked for more than a second, and a command needs some time before it opens the database.
test.each([0, 500, 1_000])(
  'a service started %i ms after the old content was saved waits and serves',
  async (pauseMs) => {
    const restoring = spawnOrrery(['db', 'restore', file, ...storage.args]);
    const restored = ended(restoring);
    const saved = new Promise<void>((resolve) => {
      restoring.stderr?.on('data', (chunk: Buffer) => chunk.includes('is saved in') && resolve());
    });
    await Promise.race([saved, restored]);
    await sleep(pauseMs);
    const service = await startServe(storage.args).catch(async (error: unknown) => {
      await restored;
      throw error;
    });
    try {
      expect((await restored).status).toBe(0);
      expect((await new Client(service.url, key).get('/self/')).status).toBe(200);
    } finally {
      expect((await service.stop()).status).toBe(0);
    }
  },
);
