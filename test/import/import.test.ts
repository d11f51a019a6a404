// Import turns cells into values and rows into records, and writes refused rows to a file that can be corrected.
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Failure } from '../../src/base/failure.ts';
import { readMap } from '../../src/cli/import/map-file.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { type ImportEnd, ImportFolder, type ImportOptions } from '../support/import/driver.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { contacts, make, type RecordData, recordsPath, sentValues } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { snapshotOf } from '../support/stored-rows.ts';

let service: TestService;
let folder: ImportFolder;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});
beforeEach(async () => {
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});

const importFile = (content: string | Buffer, options: ImportOptions = {}, type = 'svc_contact'): Promise<ImportEnd> =>
  folder.run(service, orgId, type, content, options);

async function all(type = 'svc_contact'): Promise<readonly RecordData[]> {
  return (await client.get(`${recordsPath(type)}?limit=500`)).body.data;
}

async function values(type = 'svc_contact'): Promise<readonly unknown[]> {
  return (await all(type)).map(sentValues);
}

const refused = [
  ['svc_contacts', 'Email\na@x.example\n', {}, 12, /no object type "svc_contacts".*"svc_contact"/],
  ['svc_meeting', 'Subject\na\n', {}, 2, /they come from a connected system.*orrery ingest --type svc_meeting/],
  ['svc_job', 'Subject\na\n', {}, 2, /the service writes them/],
  ['svc_stage_timer', 'Subject\na\n', {}, 2, /No column of the file names the record of each stage timer/],
  ['svc_user', 'Name\na\n', {}, 12, /no object type "svc_user"/],
  ['svc_contact', '', {}, 11, /is empty/],
  ['svc_contact', '\n\n', {}, 11, /is empty/],
  ['svc_contact', 'Email\n"a@x.example\nb\n', {}, 11, /A quote opened in line 2 .* Nothing was imported/],
  ['svc_contact', 'Email\nbad\n', { errors: '/nowhere/at/all.csv' }, 11, /errors file .* cannot be written/],
] as const;

test('an impossible import is refused in one sentence with its fix, and nothing is stored', async () => {
  const before = await snapshotOf(service);
  for (const [type, text, options, status, sentence] of refused) {
    const { failure, result } = await importFile(text, options, type);
    expect([failure?.exitStatus, result], text).toEqual([status, undefined]);
    expect(`${failure?.message} ${failure?.fix}`).toMatch(sentence);
  }
  for (const [path, status, sentence] of [
    ['nowhere.csv', 11, /The file nowhere.csv cannot be read/],
    [folder.path, 11, /is not a file/],
  ] as const) {
    const { failure } = await folder.runFile(service.databaseUrl, orgId, 'svc_contact', path);
    expect([failure?.exitStatus, failure?.message]).toEqual([status, expect.stringMatching(sentence)]);
  }
  const both = await runCommand(service.databaseUrl, 'import', '-', { org: '1', type: 'svc_contact', map: '-' });
  expect(both.failure?.message).toBe('Standard input cannot be the file and the map at once.');
  expect(await snapshotOf(service)).toEqual(before);
});

test.each([
  ['{', /is not JSON/],
  ['[]', /is not a JSON object/],
  ['{"Email": 1}', /assigns the column "Email" neither a name, an object nor null/],
  ['{"Email": {"property": 1}}', /assigns the column "Email" a wrong object at .property: Expected a string/],
  ['{"Email": {"property": "svc_email", "form": 1}}', /a wrong object at .form/],
  ['{"columns": {}, "options": {"speed": 1}}', /The options of the map are wrong at .speed/],
  ['{"Email": "svc_email", "Email": null}', /names the column "Email" twice/],
])('the map %s is refused in one sentence', async (text, sentence) => {
  const failure = await readMap(await folder.write(text)).catch((error: Failure) => error);
  expect(failure).toMatchObject({ kind: 'invalid_file', message: expect.stringMatching(sentence) });
});

test.each([
  [{ date_format: 'soon' }, /^The date-format "soon" is not known\. Use one such as DD\/MM\/YYYY/],
  [{ decimal: '12' }, /^The decimal "12" is not known\. Use \. or ,/],
  [{ country: 'gb' }, /^The country "gb" is not known\. Use an ISO/],
  [{ time_zone: 'Mars' }, /^The time-zone "Mars" is not known\. Use an IANA/],
  [{ bad_cells: 'keep' }, /^The bad-cells "keep" is not known\. Use refuse or drop\./],
])('the option %j is refused in one sentence', async (given, sentence) => {
  const failure = (await readMap(undefined, given).catch((error: Failure) => error)) as Failure;
  expect(`${failure.message} ${failure.fix}`).toMatch(sentence);
});

test('an existing file is never used as the errors file', async () => {
  const errors = await folder.write('mine');
  const { failure } = await importFile('Email\nbad\n', { errors });
  expect([failure?.exitStatus, failure?.fix]).toEqual([11, 'Move it away, or name another file with --errors.']);
  expect(await readFile(errors, 'utf8')).toBe('mine');
  expect((await client.get(contacts)).body.data).toEqual([]);
});

test('the errors file of an earlier import is replaced if it is named, and kept if it is not', async () => {
  const header = '_import_errors,Email\r\n';
  const errors = await folder.write(`${header}line 9: old,old\r\n`);
  await importFile('Email\nbad\n', { errors });
  expect(await readFile(errors, 'utf8')).toMatch(/^_import_errors,Email\r?\n"?line 2: [^\n]*\n$/);
  expect((await importFile('Email\ngood@x.example\n', { errors })).result?.errors_file).toBe(null);
  const path = await folder.write('Email\nbad\n');
  for (const name of ['.errors.csv', '.errors-2.csv']) {
    const { failure, result } = await folder.runFile(service.databaseUrl, orgId, 'svc_contact', path);
    expect([failure?.exitStatus, result?.errors_file]).toEqual([3, path.replace(/\.csv$/, name)]);
  }
  const { failure } = await folder.runFile(service.databaseUrl, orgId, 'svc_contact', path, { errors: path });
  expect(failure?.message).toMatch(/--errors names the imported file itself/);
});

test('an unknown option is refused with the allowed ones', async () => {
  const { told } = await importFile('Email,Lead score\na@x.example,boiling\n');
  expect(told.join('\n')).toContain('Allowed: cold, warm, hot. (unknown_option)');
});

test('cells become values of their properties, empty cells are ignored, and the only link is that to the org', async () => {
  const text = [
    'First name;Surname;Emails;Phone;Lead score;Created at;Notes',
    'Ada;Lovelace;ada@example.com; +44 20 7946 0958 ;Hot;2020-01-01T00:00:00Z;x',
    ';Hopper;"grace@example.com;hopper@example.com";;warm;;',
    ';Turing;"[""alan@example.com""]";"[{""country_code"":""GB"",""national_number"":""1""}]";;;',
    '',
  ].join('\r\n');
  const { result, failure, told } = await importFile(text);
  expect(failure).toBeUndefined();
  expect(result).toMatchObject({ rows: 3, created: 3, updated: 0, unchanged: 0, refused: 0, errors_file: null });
  expect(result?.columns.map(({ property }) => property)).toEqual([
    'svc_first_name',
    'svc_last_name',
    'svc_email',
    'svc_phone_number',
    'svc_lead_score',
    null,
    null,
  ]);
  expect(told).toContain('  "Surname": svc_last_name');
  expect(told).toContain('  "Created at": the date of creation, a guess');
  expect(await values()).toEqual([
    {
      svc_first_name: 'Ada',
      svc_last_name: 'Lovelace',
      svc_email: ['ada@example.com'],
      svc_phone_number: [{ country_code: 'GB', national_number: '2079460958' }],
      svc_lead_score: 'hot',
    },
    { svc_last_name: 'Hopper', svc_email: ['grace@example.com', 'hopper@example.com'], svc_lead_score: 'warm' },
    {
      svc_last_name: 'Turing',
      svc_email: ['alan@example.com'],
      svc_phone_number: [{ country_code: 'GB', national_number: '1' }],
    },
  ]);
  const changes = (await client.get('/changes/?limit=1000&cursor=earliest')).body.data as { principal_id: string }[];
  expect(changes.at(-1)?.principal_id).toBe('svc_system');
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('refused rows come back with line and errors, and are imported once they are fixed', async () => {
  await make(client, 'svc_contact', { svc_email: ['taken@example.com'] });
  const text = [
    'Email,Last name,Lead score',
    'ok@example.com,Fine,warm',
    'no address,Ömer,boiling',
    'taken@example.com,Second,',
    'ok@example.com,Twice,',
    '"two\nlines@example.com",=cmd(),',
    'short,',
    'late@example.com,Late,cold,,',
  ].join('\n');
  const { result, failure, told } = await importFile(text);
  expect(result).toMatchObject({
    rows: 7,
    created: 2,
    refused: 5,
    errors_file: expect.stringMatching(/\.errors\.csv$/),
  });
  expect([failure?.exitStatus, failure?.message]).toEqual([3, '5 rows were refused; all others were imported.']);
  const path = result?.errors_file ?? '';
  expect(failure?.fix).toContain(path);
  const errors = await readFile(path, 'utf8');
  const lines = errors.split('\r\n');
  expect(lines[0]).toBe('_import_errors,Email,Last name,Lead score');
  expect(lines[1]).toMatch(
    /^"line 3: svc_email\/0: Expected an email.*unknown_option.*|^"line 3: .*",no address,Ömer,boiling$/,
  );
  expect(lines[2]).toMatch(
    /^"?line 4: svc_email\/0: Another record.*\(unique_value_taken\)"?,taken@example.com,Second,$/,
  );
  expect(lines[3]).toMatch(/^"?line 5: .*\(unique_value_taken\)"?,ok@example.com,Twice,$/);
  expect(lines[5]).toMatch(/^"?line 8: The row has 2 cells; the header has 3\. \(invalid_value\)"?,short,$/);
  expect(told.filter((line) => line.startsWith('line '))).toHaveLength(5);
  await writeFile(
    path,
    errors
      .replace(',no address,Ömer,boiling', ',address@example.com,Ömer,hot')
      .replace(',taken@', ',free@')
      .replace(',ok@example.com,Twice', ',second@example.com,Twice')
      .replace(',"two\nlines@example.com"', ',line@example.com')
      .replace(',short,', ',short@example.com,,'),
  );
  const again = await folder.runFile(service.databaseUrl, orgId, 'svc_contact', path);
  expect(again).toMatchObject({ failure: undefined, result: { rows: 5, created: 5, refused: 0, errors_file: null } });
  expect(again.told).toContain('  "_import_errors": ignored (holds the errors of an earlier import)');
  expect(await values()).toContainEqual({ svc_email: ['line@example.com'], svc_last_name: '=cmd()' });
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('matched rows update existing records, change nothing where nothing differs, and create the others', async () => {
  const one = await make(client, 'svc_contact', { svc_email: ['a@x.example', 'b@x.example'], svc_last_name: 'One' });
  await make(client, 'svc_contact', { svc_email: ['c@x.example'], svc_last_name: 'Two' });
  const text = [
    'email,last name,headline',
    'B@x.example;d@x.example,,Both',
    'c@x.example,Two,',
    'a@x.example,Gone,',
    'd@x.example;c@x.example,Which,',
    'new@x.example,New,',
    'NEW@x.example,New,Newer',
    ',Nobody,',
  ].join('\n');
  const { result, told } = await importFile(text, { match: 'email' });
  // The record gave up a@x.example with the first row, so the third row finds nobody.
  expect(result).toMatchObject({ rows: 7, created: 2, updated: 2, unchanged: 1, refused: 2 });
  expect(told.filter((line) => line.startsWith('line '))).toEqual([
    expect.stringMatching(/^line 5: svc_email: 2 records .*\(multiple_matches\)$/),
    expect.stringMatching(
      /^line 8: svc_email: A row needs a value of svc_email to be matched by\. \(required_missing\)$/,
    ),
  ]);
  expect(await values()).toEqual([
    { svc_email: ['B@x.example', 'd@x.example'], svc_last_name: 'One', svc_headline: 'Both' },
    { svc_email: ['c@x.example'], svc_last_name: 'Two' },
    { svc_email: ['a@x.example'], svc_last_name: 'Gone' },
    { svc_email: ['NEW@x.example'], svc_last_name: 'New', svc_headline: 'Newer' },
  ]);
  const [first] = await all();
  expect([first?.id, first?.version]).toEqual([one.id, '2']);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});

test('a dry run reports what an import would do, within one batch and across batches, and stores nothing', async () => {
  await make(client, 'svc_contact', { svc_email: ['old@x.example', 'older@x.example'], svc_last_name: 'Old' });
  onTestFinished(lowerBounds({ engine: { importedAtOnce: 20 } }));
  const many = Array.from({ length: 20 }, (_, index) => `n${index}@x.example,N`);
  const rows = [
    'old@x.example,New',
    ...many,
    'n1@x.example,N',
    'n2@x.example,M',
    'older@x.example,Taken over',
    'bad,',
    'old@x.example,New',
    'n1@x.example;n3@x.example,',
  ];
  const text = `email,last name\n${rows.join('\n')}\n`;
  for (const [match, counts] of [
    [undefined, { created: many.length, updated: 0, unchanged: 0, refused: 7 }],
    ['svc_email', { created: many.length + 1, updated: 2, unchanged: 2, refused: 2 }],
  ] as const) {
    const options = match === undefined ? {} : { match };
    const before = await snapshotOf(service);
    const tried = await importFile(text, { ...options, dryRun: true });
    expect(tried.result).toMatchObject({ ...counts, rows: rows.length, dry_run: true, errors_file: null });
    expect(tried.failure?.message).toMatch(/would be refused/);
    expect(await snapshotOf(service)).toEqual(before);
    const other = await service.createOrg();
    const theirs = service.client((await service.createKey(other)).key);
    await make(theirs, 'svc_contact', { svc_email: ['old@x.example', 'older@x.example'], svc_last_name: 'Old' });
    const stored = await folder.run(service, other, 'svc_contact', text, options);
    expect(stored.result).toMatchObject({ ...counts, dry_run: false });
    const reasons = (told: readonly string[]) =>
      told.filter((line) => line.startsWith('line ')).map((line) => line.replace(/ It is [0-9a-f-]+\./, ''));
    expect(reasons(stored.told)).toEqual(reasons(tried.told));
  }
});

test('hostile headers and cells do no harm: they are reported, refused, or stored as they are', async () => {
  const long = 'x'.repeat(70_000);
  const text = [
    '__proto__,constructor,Last name,Summary,\u001b[31mEsc,"=HYPERLINK(""x"")"',
    'a,b,\u0000,c,d,e',
    `a,b,${'y'.repeat(1_025)},c,d,e`,
    `a,b,Long,${long},d,e`,
    "a,b,\"'=1+1\",''=x,d,e",
    "a,b,' plain,😀\tü,d,e",
  ].join('\n');
  const { result, told } = await importFile(text);
  expect(result).toMatchObject({ created: 2, refused: 3 });
  expect(told.join('\n')).not.toContain('\u001b');
  expect(told.filter((line) => line.startsWith('line ')).map((line) => /\((\w+)\)$/.exec(line)?.[1])).toEqual([
    'wrong_shape',
    'too_long',
    'too_long',
  ]);
  expect(await values()).toEqual([
    { svc_last_name: '=1+1', svc_summary: "'=x" },
    { svc_last_name: "' plain", svc_summary: '😀\tü' },
  ]);
  expect({}).not.toHaveProperty('b');
});

test('a new note has its first stage, a required property must be present, and a custom type takes every kind of cell', async () => {
  const { result } = await importFile('Title,Due at\nCall,2026-03-01T10:00:00Z\n', {}, 'svc_note');
  expect(result).toMatchObject({ created: 1 });
  const [note] = await all('svc_note');
  const stages = await client.get(
    `${recordsPath('svc_note')}${note?.id}/associations/svc_note_to_note_pipeline_stage/`,
  );
  expect(stages.body.data[0].properties.svc_name).toBe('To Do');
  await service.applySchema(orgId, {
    object_types: [
      {
        name: 'plan',
        label: 'Plan',
        properties: [
          { name: 'code', label: 'Code', field_type: 'text', required: true, unique: true },
          { name: 'price', label: 'Price', field_type: 'currency' },
          { name: 'open', label: 'Open?', field_type: 'boolean' },
        ],
      },
    ],
  });
  const custom = await importFile('CODE,price,open\nA,12.50,yes\n,1 EUR,no\nB,EUR 3,0\n', { match: 'code' }, 'plan');
  expect(custom.result).toMatchObject({ created: 2, refused: 1 });
  // A process learns of a new type within a second.
  await expect.poll(async () => (await client.get(recordsPath('plan'))).status).toBe(200);
  expect(await values('plan')).toEqual([
    { code: 'A', price: { amount: '12.50', unit: 'USD' }, open: true },
    { code: 'B', price: { amount: '3', unit: 'EUR' }, open: false },
  ]);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
