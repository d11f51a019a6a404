// A folder that is not what export wrote is refused in one sentence, and nothing has changed: edited files, files edited together
// with their digests, missing files, an org that is in use, and a process that is killed in the middle.
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { ended, spawnOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { snapshotOf } from '../support/migrate/snapshot.ts';
import { adminOf } from '../support/migrate/world.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: string;
let source: string;
let target: string;
let copy: Client;
let before: readonly string[];
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'orrery-refused-'));
  const orgId = await service.createOrg();
  source = String(orgId);
  await service.applySchema(orgId, {
    properties: { svc_company: [{ name: 'berth', label: 'Berth', field_type: 'number' }] },
  });
  const client = await adminOf(service, orgId);
  const company = await make(client, 'svc_company', { svc_name: 'Navy', svc_domain: 'navy.example', berth: '7' });
  await make(client, 'svc_contact', { svc_email: ['grace@navy.example'] }, [
    { association_type: 'svc_contact_to_company', target_id: company.id },
  ]);
  await make(client, 'svc_contact', { svc_email: ['alan@navy.example'] });
  const { failure } = await run('export', '', { org: source, all: join(folder, 'whole') });
  expect(failure).toBeUndefined();
  const empty = await service.createOrg();
  target = String(empty);
  copy = await adminOf(service, empty);
  before = await snapshotOf(copy);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

function run(name: string, argument: string, options: Readonly<Record<string, unknown>>) {
  return runCommand(service.databaseUrl, name, argument, options);
}

async function refusal(path: string, org = target): Promise<string> {
  const { failure, value } = await run('migrate', path, { org, from: 'folder' });
  expect(value).toBeUndefined();
  return `${failure?.message} ${failure?.fix}`;
}

/** A copy of the folder with one file changed. */
async function edited(file: string, change: (text: string) => string): Promise<string> {
  const path = await mkdtemp(join(folder, 'edited-'));
  await cp(join(folder, 'whole'), path, { recursive: true });
  await writeFile(join(path, file), change(await readFile(join(path, file), 'utf8')));
  return path;
}

/** The same, by somebody who also corrects the manifest. */
async function forged(file: string, change: (text: string) => string): Promise<string> {
  const path = await edited(file, change);
  const bytes = await readFile(join(path, file));
  const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'));
  const entry = manifest.files.find((each: { file: string }) => each.file === file);
  entry.sha256 = createHash('sha256').update(bytes).digest('hex');
  if (file.endsWith('.ndjson')) entry.rows = bytes.toString().split('\n').length - 1;
  await writeFile(join(path, 'manifest.json'), JSON.stringify(manifest));
  return path;
}

const contacts = 'records/svc_contact.ndjson';
const ended_ = 'Nothing was brought in.';

test('a file that was changed, cut off or removed is found before anything is brought in', async () => {
  const changed = await edited(contacts, (text) => text.replace('grace@', 'grice@'));
  expect(await refusal(changed)).toMatch(
    `${contacts} was changed or cut off: it is not what manifest.json says. ${ended_}`,
  );
  const cut = await edited('links.ndjson', (text) => text.slice(0, -1));
  expect(await refusal(cut)).toMatch('links.ndjson was changed or cut off');
  const without = await edited(contacts, (text) => text);
  await rm(join(without, contacts));
  expect(await refusal(without)).toMatch(`${contacts} is missing. ${ended_}`);
  await mkdir(join(without, contacts));
  expect(await refusal(without)).toMatch(`${contacts} is not a file. ${ended_}`);
  await rm(join(without, 'manifest.json'));
  expect(await refusal(without)).toMatch(/is not a whole export of an org: it has no manifest\.json\. Give a folder/);
  await mkdir(join(without, 'manifest.json'));
  expect(await refusal(without)).toMatch(`manifest.json is not a file. ${ended_}`);
});

test('a file of a type that the schema does not have is refused, not left out', async () => {
  const path = await edited('manifest.json', (text) => {
    const manifest = JSON.parse(text);
    const sha256 = createHash('sha256').update('').digest('hex');
    manifest.files.push({ file: 'records/other.ndjson', rows: 0, sha256 });
    return JSON.stringify(manifest);
  });
  await writeFile(join(path, 'records/other.ndjson'), '');
  expect(await refusal(path)).toContain('records/other.ndjson belongs to no object type of the schema');
});

const strange = '01a00000-0000-7000-8000-000000000001';
const cases: readonly (readonly [string, string, (text: string) => string, RegExp])[] = [
  ['a value of another type', contacts, (text) => text.replace('"grace@navy.example"', '7'), /line 1: svc_email: /],
  [
    'an unknown property',
    contacts,
    (text) => text.replace('"svc_email"', '"svc_emial"'),
    /line 1: svc_emial: svc_contact has no property/,
  ],
  ['an id of another form', contacts, (text) => text.replace('"id":"', '"id":"x'), /line 1: \/id /],
  ['a version that is none', contacts, (text) => text.replace('"version":"1"', '"version":"0"'), /line 1: \/version /],
  [
    'a time that its id does not have',
    contacts,
    (text) => text.replace(/"svc_created_at": "2\d/, '"svc_created_at": "19'),
    /line 1: svc_created_at/,
  ],
  [
    'a unique value twice',
    contacts,
    (text) => text.replace('alan@', 'Grace@'),
    /two live records have "grace@navy\.example" as svc_email/,
  ],
  [
    'a record twice',
    contacts,
    (text) => (text.split('\n')[1] === undefined ? text : `${text}${text.split('\n')[1]}\n`),
    /two l/,
  ],
  ['a member that is unknown', contacts, (text) => text.replace('"shared_with_org"', '"shared"'), /line 1: /],
  ['a line that is not JSON', contacts, (text) => `${text}{\n`, /line 3: /],
  [
    'a link that ends nowhere',
    'links.ndjson',
    (text) => text.replace(/("svc_contact_to_company".*"target_id":")[^"]*/, `$1${strange}`),
    /A link ends at record 01a00000-/,
  ],
  [
    'a link between other types',
    'links.ndjson',
    (text) => text.replace('"target_type":"svc_company"', '"target_type":"svc_deal"'),
    /svc_contact_to_company does not lead from svc_contact to svc_deal/,
  ],
  [
    'a role that nobody can read',
    'records/svc_role.ndjson',
    (text) => text.replace('"*:read"', '"*:reed"'),
    /svc_grants: "reed" is not an operation/,
  ],
  [
    'an org without administrators',
    'records/svc_role.ndjson',
    (text) => text.replace('"Administrator"', '"Captain"'),
    /The org must have one role Administrator/,
  ],
  [
    'a schema that its records do not have',
    'schema.json',
    (text) => text.replace('"Berth"', '"Quay"'),
    /differ in svc_label/,
  ],
  [
    'a schema that no file could declare',
    'schema.json',
    (text) => text.replace('"number"', '"numbr"'),
    /schema\.json: /,
  ],
];

test.each(cases)('%s is refused, though the digests are right', async (_, file, change, sentence) => {
  const path = await forged(file, change);
  expect(await readFile(join(path, file), 'utf8')).not.toBe(await readFile(join(folder, 'whole', file), 'utf8'));
  const told = await refusal(path);
  expect(told).toMatch(sentence);
  expect(told).toMatch(ended_);
});

test('a manifest cannot name files outside of the folder, nor a format of a later release', async () => {
  const outside = await edited('manifest.json', (text) => text.replace(contacts, '../whole/links.ndjson'));
  expect(await refusal(outside)).toMatch(/manifest\.json: \/files\/\d+\/file /);
  const later = await edited('manifest.json', (text) => text.replace('"format_version": 1', '"format_version": 2'));
  expect(await refusal(later)).toMatch('The folder has another format (2) than this program reads (1).');
});

test('an org that is in use, one that does not exist and another source are refused', async () => {
  expect(await refusal(join(folder, 'whole'), source)).toMatch(`Org ${source} is not empty: `);
  expect(await refusal(join(folder, 'whole'), '999999')).toMatch('There is no org 999999.');
  const { failure } = await run('migrate', join(folder, 'whole'), { org: target, from: 'sugar' });
  expect(failure?.message).toBe('--from must be folder; got "sugar".');
});

test('an export goes into a new or empty folder alone', async () => {
  const taken = await run('export', '', { org: source, all: join(folder, 'whole') });
  expect(taken.failure?.message).toBe(`The folder ${join(folder, 'whole')} is not empty.`);
  const both = await run('export', '', { org: source, all: join(folder, 'x'), type: 'svc_deal' });
  expect(both.failure?.message).toBe('--all excludes --type, --person, --format and --links.');
  await mkdir(join(folder, 'unknown'));
  const unknown = await run('export', '', { org: '999999', all: join(folder, 'unknown') });
  expect([unknown.failure?.message, await readdir(join(folder, 'unknown'))]).toEqual(['There is no org 999999.', []]);
});

test('a process that is killed in the middle leaves the org as it was, and the next run brings everything in', async () => {
  const waiting = sql`
    select 1 as found from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'copy orrery.trash%'`;
  await make(await adminOf(service, Number(source)), 'svc_note', {}).then(async ({ id }) => {
    const client = await adminOf(service, Number(source));
    expect((await client.delete(`/objects/svc_note/records/${id}/`)).status).toBe(200);
  });
  const path = join(folder, 'again');
  expect((await run('export', '', { org: source, all: path })).failure).toBeUndefined();
  const words = ['migrate', '--org', target, '--from', 'folder', path, '--database-url', service.databaseUrl];
  await service.database.transaction(async (transaction) => {
    // The last rows wait for this lock.
    await transaction.script('lock table orrery.trash in share mode');
    const child = spawnOrrery(words);
    const end = ended(child);
    await expect.poll(() => service.database.query(waiting), { timeout: 20_000, interval: 20 }).toHaveLength(1);
    child.kill('SIGKILL');
    await end;
  });
  expect(await snapshotOf(copy)).toEqual(before);
  expect((await run('migrate', path, { org: target, from: 'folder' })).failure).toBeUndefined();
  const wanted = await snapshotOf(await adminOf(service, Number(source)));
  // The service has the new schema within a second.
  await expect.poll(() => snapshotOf(copy), { timeout: 5_000, interval: 500 }).toEqual(wanted);
});
