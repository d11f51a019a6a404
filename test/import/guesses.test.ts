// What an import guesses is shown, refuses no row that would come in without it, and can be confirmed or corrected in a map.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMember } from '../../src/engine/admin/members.ts';
import type { Client } from '../support/client.ts';
import { ImportFolder, type ImportOptions } from '../support/import/driver.ts';
import { recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: ImportFolder;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

let orgId: number;
let client: Client;
beforeEach(async () => {
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});

function run(type: string, lines: readonly string[], options: ImportOptions = {}) {
  return folder.run(service, orgId, type, `${lines.join('\n')}\n`, options);
}

interface Found {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly associations?: Readonly<Record<string, { items: readonly Found[] }>>;
}

async function all(type: string, ...include: readonly string[]): Promise<readonly Found[]> {
  const query = include.length === 0 ? '' : `&include=${include.join(',')}`;
  return (await client.get(`${recordsPath(type)}?limit=500${query}`)).body.data;
}

const titles = ({ associations }: Found, association: string) =>
  associations?.[association]?.items.map(({ properties }) => properties['svc_name'] ?? properties['svc_email']);

test('deals of another program come with company, stage, owner and date, without a map', async () => {
  await run('svc_company', [
    'Record ID,Company name,Company Domain Name,Create Date',
    '7,Acme,acme.example,2020-01-02',
  ]);
  await createMember(service.database, { orgId, name: 'Olga', email: 'olga@team.example' });
  const header = 'Record ID,Deal Name,Deal Stage,Amount (USD),Create Date,Deal owner,Associated Company IDs';
  const end = await run('svc_deal', [header, '1,Lights,Proposal,12000,2024-03-02 10:15,olga@team.example,7']);
  expect(end.told.slice(1)).toEqual([
    '  "Record ID": the id in hubspot, a guess',
    '  "Deal Name": svc_name',
    '  "Deal Stage": svc_deal_to_deal_pipeline_stage by title (left out unless exactly one record is found), a guess',
    '  "Amount (USD)": svc_amount (in USD)',
    '  "Create Date": the date of creation, a guess',
    '  "Deal owner": svc_record_to_user by svc_email (left out unless exactly one record is found), a guess',
    '  "Associated Company IDs": svc_deal_to_company by the id in hubspot (left out unless exactly one record is found), a guess',
    '  Times without an offset are in UTC.',
    '  Guesses can be wrong. To correct or confirm them, write them to a file with --map-out and use it with --map.',
  ]);
  expect(end.result).toMatchObject({ created: 1, linked: 3, unlinked: 0 });
  expect(end.result?.columns).toMatchObject([
    { header: 'Record ID', property: null, external_id: true, source: 'hubspot', guessed: true },
    { header: 'Deal Name', property: 'svc_name' },
    { association: 'svc_deal_to_deal_pipeline_stage', by: 'title', guessed: true },
    { property: 'svc_amount' },
    { property: null, created_at: true, guessed: true },
    { association: 'svc_record_to_user', by: 'svc_email', guessed: true },
    { association: 'svc_deal_to_company', by: 'external_id', source: 'hubspot', guessed: true },
  ]);
  expect(end.result?.columns[1]).not.toHaveProperty('guessed');
  const [deal] = await all('svc_deal', 'svc_deal_to_company', 'svc_deal_to_deal_pipeline_stage', 'svc_record_to_user');
  expect(deal?.properties).toMatchObject({
    svc_amount: { amount: '12000', unit: 'USD' },
    svc_created_at: '2024-03-02T10:15:00.000Z',
  });
  expect(deal && titles(deal, 'svc_deal_to_company')).toEqual(['Acme']);
  expect(deal && titles(deal, 'svc_deal_to_deal_pipeline_stage')).toEqual(['Proposal']);
});

const people = [
  'First name,Company,Created on',
  'Ada,Acme,2024-03-02',
  'Bo,Twin,2024-03-02',
  'Cy,None,in spring',
  'Di,Bo\u0000b,2999-01-01',
  'Ed,acme;Birch,',
];

test('a guess refuses no row: what is unknown, ambiguous or unreadable is left out and counted', async () => {
  await run('svc_company', ['Name', 'Acme', 'Twin', 'TWIN', 'Birch']);
  const mapOut = join(folder.path, 'guessed.json');
  const dry = await run('svc_contact', people, { dryRun: true, mapOut });
  expect(dry.result).toMatchObject({ created: 5, refused: 0, linked: 3, unlinked: 2 });
  const end = await run('svc_contact', people);
  expect(end.result).toMatchObject({ created: 5, refused: 0, linked: 3, unlinked: 2 });
  const contacts = await all('svc_contact', 'svc_contact_to_company');
  const byName = contacts.map((each) => [each.properties['svc_first_name'], titles(each, 'svc_contact_to_company')]);
  expect(new Map(byName as [string, unknown][])).toEqual(
    new Map<string, unknown>([
      ['Ada', ['Acme']],
      ['Bo', []],
      ['Cy', []],
      ['Di', []],
      ['Ed', ['Acme', 'Birch']],
    ]),
  );
  const guessed = JSON.parse(await readFile(mapOut, 'utf8')) as { columns: Record<string, Record<string, unknown>> };
  const link = { association: 'svc_contact_to_company', by: 'title', missing: 'skip' };
  expect(guessed.columns).toEqual({
    'First name': 'svc_first_name',
    Company: { ...link, guessed: true },
    'Created on': { created_at: true, guessed: true },
  });
  // Given back as it is, the map means the same; without the word, the guess is a decision, and its rules are those of one.
  const same = await run('svc_contact', people, { map: guessed, dryRun: true });
  expect(same.result).toMatchObject({ created: 5, refused: 0, linked: 3, unlinked: 2 });
  const confirmed = { ...guessed.columns, Company: link, 'Created on': { created_at: true } };
  const strict = await run('svc_contact', people, { map: confirmed, dryRun: true });
  expect(strict.result).toMatchObject({ created: 2, refused: 3 });
});

test('a date of creation that can be read in two ways is not guessed, and a record that was updated keeps its id', async () => {
  const doubtful = await run('svc_contact', ['First name,Date created', 'Ada,3/1/2024']);
  expect(doubtful.told).toContain('  "Date created": ignored (its dates can be read in two ways: see --date-format)');
  expect(doubtful.result).toMatchObject({ created: 1, refused: 0 });
  const hub = ['Record ID,Lifecycle Stage,Email', '1,Customer,a@x.example', ',Nothing,b@x.example'];
  const first = await run('svc_contact', hub, { match: 'svc_email' });
  expect(first.result).toMatchObject({ created: 2, refused: 0, linked: 1, unlinked: 1 });
  const again = await run('svc_contact', hub, { match: 'svc_email' });
  expect(again.result).toMatchObject({ created: 0, unchanged: 2, refused: 0 });
  const matched = await run('svc_contact', hub, { match: 'external_id' });
  expect(matched.result).toMatchObject({ unchanged: 1, refused: 1 });
});

test('connections come as the network exports them, with notes above the names of the columns', async () => {
  const lines = [
    'Notes:',
    '"When exporting your connection data, you may notice that ""some"" addresses are missing, which is a choice of theirs."',
    '',
    'First Name,Last Name,URL,Email Address,Company,Position,Connected On',
    'Nadia,Holm,https://network.example/in/nadia,nadia@nordlys.example,Nordlys,Buyer,02 Mar 2024',
    'Tom,Reed,not an address,,"Tidewater, Inc.",Clerk,05 Mar 2024',
  ];
  const end = await run('svc_contact', lines);
  expect(end.result).toMatchObject({ rows: 2, created: 1, refused: 1 });
  expect(end.told).toContain('  Skipped: 2 rows of notes above the column names.');
  const errors = await readFile(end.result?.errors_file ?? '', 'utf8');
  expect(errors.split('\r\n')[0]).toBe(`_import_errors,${lines[3]}`);
  expect(errors).toContain('line 6: svc_network_url');
  expect((await all('svc_contact')).map(({ properties }) => properties['svc_last_name'])).toEqual(['Holm']);
});

test('a currency that the map names for a column is that of its amounts, unless a cell says another', async () => {
  const map = { Amount: { property: 'svc_amount', currency: 'GBP' } };
  await run('svc_deal', ['Name,Amount', 'A,12', 'B,13 SEK'], { map });
  expect((await all('svc_deal')).map(({ properties }) => properties['svc_amount'])).toEqual([
    { amount: '12', unit: 'GBP' },
    { amount: '13', unit: 'SEK' },
  ]);
  const unknown = await run('svc_deal', ['Name,Amount', 'A,12'], {
    map: { Amount: { property: 'svc_amount', currency: 'X' } },
  });
  expect(unknown.failure?.message).toBe('The currency "X" is not known.');
  const wrong = await run('svc_deal', ['Name,Amount', 'A,12'], {
    map: { Name: { property: 'svc_name', currency: 'GBP' } },
  });
  expect(wrong.failure?.message).toContain('has the currency of svc_name, which has no amounts');
});
