// orrery index list and drop as an operator runs them: their results and their refusals.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { builtinCatalog } from '../../src/schema/custom/build-catalog.ts';
import { runOrrery } from '../support/cli.ts';
import { type CommandEnd, runCommand } from '../support/command.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let keyId: string;
beforeAll(async () => {
  // The grace period is longer than the test, so that nothing moves by itself.
  service = await startService({ indexGraceMs: 600_000 });
  orgId = await service.createOrg();
  keyId = (await service.createKey(orgId)).credentialId;
  await insertIndex('svc_job_title', 'ready', keyId);
  await insertIndex('svc_first_name', 'building', null);
});
afterAll(() => service.stop());

async function insertIndex(property: string, state: string, credentialId: string | null): Promise<void> {
  const type = builtinCatalog.objectTypes.get('svc_contact');
  await service.database.query(sql`
    insert into orrery.property_index (org_id, type_id, property_id, state, credential_id)
    values (${orgId}, ${type?.id ?? 0}, ${type?.properties.get(property)?.id ?? 0}, ${state}, ${credentialId})`);
}

function run(name: string, argument = '', options: object = {}): Promise<CommandEnd> {
  return runCommand(service.databaseUrl, name, argument, { org: String(orgId), ...options });
}

const ofContacts = { type: 'svc_contact' };

test('list shows the automatic indexes of the org, by name', async () => {
  const { value, text } = await run('index list');
  const asked_at = expect.stringMatching(/^20.*Z$/);
  expect(value).toEqual([
    { object_type: 'svc_contact', property: 'svc_first_name', state: 'building', asked_at },
    { object_type: 'svc_contact', property: 'svc_job_title', state: 'ready', asked_at, key_id: keyId },
  ]);
  const [header, row] = text.split('\n');
  expect(header).toMatch(/^TYPE +PROPERTY +STATE +LAST USED +KEY$/);
  expect(row).toMatch(/^svc_contact +svc_first_name +building +20.*Z$/);
  expect((await run('index list', '', { org: '999999' })).failure).toMatchObject({ kind: 'not_found' });
});

test.each(['svc_job_title', 'svc_first_name'])('drop takes the index of %s out of use, and says so', async (name) => {
  expect(await run('index drop', name, ofContacts)).toMatchObject({
    value: { org_id: orgId, object_type: 'svc_contact', property: name, dropped: true },
    text: expect.stringContaining(`svc_contact.${name} is out of use`),
  });
  const { value } = await run('index list');
  expect(value).toContainEqual(expect.objectContaining({ property: name, state: 'retired' }));
  expect(await run('index drop', name, ofContacts)).toMatchObject({
    value: { dropped: false },
    text: expect.stringContaining('is being removed already'),
  });
});

test.each([
  [
    'svc_last_name',
    'svc_contact',
    'usage',
    'The index of svc_contact.svc_last_name is built in and cannot be dropped.',
  ],
  ['svc_headline', 'svc_contact', 'not_found', 'svc_contact.svc_headline has no automatic index.'],
  ['svc_headlin', 'svc_contact', 'not_found', 'svc_contact has no property "svc_headlin".'],
  ['svc_headline', 'svc_contct', 'not_found', 'has no object type "svc_contct"'],
])('drop refuses %s of %s with one sentence', async (property, type, kind, sentence) => {
  const { failure } = await run('index drop', property, { type });
  expect(failure).toMatchObject({ kind, message: expect.stringContaining(sentence), fix: expect.stringMatching(/\S/) });
});

test('as a person types it, the command ends with the status of its failure', async () => {
  const args = ['index', 'drop', '--org', String(orgId), '--type', 'svc_contact', 'svc_last_name'];
  const end = await runOrrery([...args, '--database-url', service.databaseUrl]);
  expect(end).toMatchObject({ status: 2, stdout: '' });
  expect(end.stderr).toMatch(/^orrery: The index of svc_contact\.svc_last_name is built in .*\n$/);
});
