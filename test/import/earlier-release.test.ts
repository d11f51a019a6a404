// Data of the release in which external ids had no source and imports no links: after the update lines that were ingested
// before are known, their ids are found, and an import that was killed goes on. The backup was made by that release: it has
// three meetings that were ingested, and an import that was killed after its first batch.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { restoreFrom } from '../support/backup/backups.ts';
import type { Client } from '../support/client.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { ingest } from '../support/ingest/ingest.ts';
import { findingsIn } from '../support/integrity.ts';
import { recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const orgId = 1;
const review = '01a1f173-de8e-7000-b91d-cd6fd1615178';

let own: TestDatabase;
let service: TestService;
let client: Client;
let folder: ImportFolder;
beforeAll(async () => {
  own = await createDatabase();
  const database = await openUnmigrated({ engine: 'server', url: own.url });
  try {
    await restoreFrom(database, fileURLToPath(new URL('../support/import/earlier-release.backup', import.meta.url)));
  } finally {
    await database.close();
  }
  service = await startService({ databaseUrl: own.url });
  client = service.client((await service.createKey(orgId)).key);
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
  await own.drop();
});

test('ids that were ingested have the source ingest, and lines that are sent again change nothing', async () => {
  const line = (id: string) => ({
    external_id: id,
    properties: { svc_subject: id, svc_started_at: '2026-03-02T09:00:00Z' },
  });
  const lines = ['kick-off', 'review', 'retro', 'new'].map(line);
  expect(await ingest(service.database, orgId, 'svc_meeting', lines)).toMatchObject({ created: 1, unchanged: 3 });
  const shown = await client.get(`${recordsPath('svc_meeting')}${review}/?include_external_ids=true`);
  expect(shown.body.data.external_ids).toEqual([{ source: 'ingest', id: 'review' }]);
  const filter = { external_id: 'review', source: 'ingest' };
  const found = await client.post('/objects/svc_meeting/records/query/', { filter });
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([review]);
});

test('an import that was killed goes on where it stopped', async () => {
  const content = `Email,Job title\n${'ada@x.example,Engineer\n'.repeat(1_000)}bob@x.example,Engineer\n`;
  // The errors file that the import began with; it is written only if a row is refused.
  const errors = '/tmp/people.errors.csv';
  const { result } = await folder.run(service, orgId, 'svc_contact', content, { match: 'svc_email', errors });
  expect(result).toMatchObject({ resumed_at: 1_000, rows: 1_001, created: 2, unchanged: 999, linked: 0, unlinked: 0 });
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
