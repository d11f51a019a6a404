// An import makes links: to companies by their domain, to stages by their name, to owners by their email address, and to what
// it creates on the way. A row and its links are written together or not at all.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { fileBounds } from '../../client/import/file-bounds.ts';
import { createMember } from '../../src/engine/admin/members.ts';
import type { Client } from '../support/client.ts';
import { ImportFolder, type ImportOptions } from '../support/import/driver.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
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

interface Found {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly associations?: Readonly<Record<string, { items: readonly Found[] }>>;
}

function run(type: string, lines: readonly string[], options: ImportOptions = {}) {
  return folder.run(service, orgId, type, `${lines.join('\n')}\n`, options);
}

async function all(type: string, include: readonly string[] = []): Promise<readonly Found[]> {
  const query = include.length === 0 ? '' : `&include=${include.join(',')}`;
  return (await client.get(`${recordsPath(type)}?limit=500${query}`)).body.data;
}

/** The names of the records at the other ends of the links of each record. */
async function linked(type: string, association: string, name = 'svc_name'): Promise<readonly unknown[]> {
  return (await all(type, [association])).map(({ associations }) =>
    associations?.[association]?.items.map(({ properties }) => properties[name]),
  );
}

async function errorsOf(end: {
  readonly result: { readonly errors_file: string | null } | undefined;
}): Promise<string> {
  return readFile(end.result?.errors_file ?? '', 'utf8');
}

const byDomain = { association: 'svc_contact_to_company', by: 'svc_domain' };

test('contacts are linked to companies by domain, several in one cell, and rows without one are refused whole', async () => {
  await run('svc_company', ['Name,Domain', 'Acme,acme.example', 'Birch,birch.example']);
  const lines = [
    'First name,Email,Firm',
    'Ada,ada@x.example,ACME.example',
    'Bo,bo@x.example,acme.example; birch.example;acme.example',
    'Cy,cy@x.example,none.example',
    'Di,di@x.example,not a domain',
    'Ed,ed@x.example,',
  ];
  const end = await run('svc_contact', lines, { map: { Firm: byDomain } });
  expect(end.told).toContain('  "Firm": svc_contact_to_company by svc_domain (rows without such a record are refused)');
  expect([end.failure?.exitStatus, end.result]).toMatchObject([3, { created: 3, refused: 2, linked: 3, unlinked: 0 }]);
  expect(await linked('svc_contact', 'svc_contact_to_company')).toEqual([['Acme'], ['Acme', 'Birch'], []]);
  const errors = await errorsOf(end);
  expect(errors).toContain(
    'Firm: There is no record with the svc_domain ""none.example"" that svc_contact_to_company could',
  );
  expect(errors).toMatch(/line 5: Firm: Expected .*not a domain/);
  // The errors file, mended, is imported with the same map.
  await client.post(recordsPath('svc_company'), { properties: { svc_name: 'None', svc_domain: 'none.example' } });
  const mended = errors.replaceAll('not a domain', 'birch.example');
  const again = await folder.run(service, orgId, 'svc_contact', mended, { map: { Firm: byDomain } });
  expect(again.result).toMatchObject({ created: 2, refused: 0, linked: 2 });
});

test('the record of a row and its links are in the feed as other writes put them there', async () => {
  await run('svc_company', ['Name,Domain', 'Acme,acme.example']);
  const cursor = (await client.get('/changes/')).body.pagination?.next_cursor;
  const end = await run('svc_contact', ['First name,Firm', 'Ada,acme.example'], { map: { Firm: byDomain } });
  const { data } = (await client.get(`/changes/?cursor=${cursor}`)).body;
  expect(data.map(({ type, request_id }: { type: string; request_id: string }) => [type, request_id])).toEqual([
    ['record.created', end.result?.job_id],
    ['association.created', end.result?.job_id],
  ]);
  expect((await all('svc_contact'))[0]).toMatchObject({ version: '1' });
});

test('what is missing is left out, or created once for each value, if the map says so', async () => {
  const lines = ['First name,Firm', 'Ada,Acme', 'Bo,acme', 'Cy,Birch', 'Di,'];
  const by = { association: 'svc_contact_to_company', by: 'title' };
  const skipped = await run('svc_contact', lines, { map: { Firm: { ...by, missing: 'skip' } } });
  expect(skipped.result).toMatchObject({ created: 4, refused: 0, linked: 0, unlinked: 3 });
  for (const dryRun of [true, false]) {
    const made = await run('svc_contact', lines, { map: { Firm: { ...by, missing: 'create' } }, dryRun });
    expect(made.result).toMatchObject({ created: 4, refused: 0, linked: 3, unlinked: 0, targets_created: 2 });
  }
  expect((await all('svc_company')).map(({ properties }) => properties['svc_name'])).toEqual(['Acme', 'Birch']);
  expect((await linked('svc_contact', 'svc_contact_to_company')).slice(4)).toEqual([['Acme'], ['Acme'], ['Birch'], []]);
  const more = await run('svc_contact', ['First name,Firm', 'Ed,new.example', 'Fy,NEW.example'], {
    map: { Firm: { ...byDomain, missing: 'create' } },
  });
  expect(more.result).toMatchObject({ created: 2, linked: 2, targets_created: 1 });
  expect((await all('svc_company')).map(({ properties }) => properties['svc_domain'])).toEqual([
    undefined,
    undefined,
    'new.example',
  ]);
});

test('records keep the ids of the old system, by which later files find and link them', async () => {
  const id = { external_id: true, source: 'hubspot' };
  const companies = ['Name,Hub id', 'Acme,7', 'Birch,8', 'Twice,7', 'None,'];
  const made = await run('svc_company', companies, { map: { 'Hub id': id } });
  expect(made.result).toMatchObject({ created: 3, refused: 1 });
  expect(await errorsOf(made)).toContain('Another record of svc_company has this external id already.');
  const [acme] = await all('svc_company');
  const shown = await client.get(`${recordsPath('svc_company')}${acme?.id}/?include_external_ids=true`);
  expect(shown.body.data.external_ids).toEqual([{ source: 'hubspot', id: '7' }]);

  const again = await run('svc_company', ['Name,Hub id', 'Acme Ltd,7', 'Cedar,9', 'Bare,'], {
    map: { 'Hub id': id },
    match: 'external_id',
  });
  expect(again.result).toMatchObject({ created: 1, updated: 1, refused: 1 });
  expect(await errorsOf(again)).toContain('Expected an id in hubspot of 1 to 255 characters');
  const taken = await run('svc_company', ['Name,Hub id', 'Dune,8'], { map: { 'Hub id': id } });
  expect(taken.result).toMatchObject({ created: 0, refused: 1 });

  const by = { association: 'svc_contact_to_company', by: 'external_id', source: 'hubspot' };
  const map = { 'Hub id': id, Firm: by };
  const contacts = await run('svc_contact', ['First name,Hub id,Firm', 'Ada,70,7', 'Bo,71,7;9', 'Cy,72,99'], { map });
  expect(contacts.result).toMatchObject({ created: 2, refused: 1, linked: 3 });
  expect(await linked('svc_contact', 'svc_contact_to_company')).toEqual([['Acme Ltd'], ['Acme Ltd', 'Cedar']]);
  await client.delete(`${recordsPath('svc_company')}${acme?.id}/`);
  const freed = await run('svc_company', ['Name,Hub id', 'New Acme,7'], { map: { 'Hub id': id } });
  expect(freed.result).toMatchObject({ created: 1, refused: 0 });
});

test('a refused row creates nothing on its way', async () => {
  await run('svc_contact', ['First name,Email', 'Ada,ada@x.example']);
  const lines = ['First name,Email,Firm', 'Bo,ada@x.example,Acme'];
  const map = { Firm: { association: 'svc_contact_to_company', by: 'title', missing: 'create' } };
  const end = await run('svc_contact', lines, { map });
  expect(end.result).toMatchObject({ created: 0, refused: 1 });
  expect(await all('svc_company')).toEqual([]);
  const more = [
    'First name,Email,Firm',
    `Many,many@x.example,${Array.from({ length: fileBounds.linksPerCell + 1 }, (_, index) => `N${index}`).join(';')}`,
    `Cy,cy@x.example,Birch;${'x'.repeat(1_025)}`,
    'Di,di@x.example,Bo\u0000b',
    'Ed,ed@x.example,Cedar',
  ];
  const some = await run('svc_contact', more, { map });
  expect(some.result).toMatchObject({ created: 1, refused: 3, linked: 1 });
  expect(await errorsOf(some)).toContain('A cell may name at most 1,000 records; this one names 1,001.');
  expect((await all('svc_company')).map(({ properties }) => properties['svc_name'])).toEqual(['Cedar']);
  // The address of the row that would be updated belongs to somebody else.
  const id = { external_id: true, source: 'hubspot' };
  await run('svc_contact', ['First name,Hub id', 'Flo,70'], { map: { 'Hub id': id } });
  const taken = await run('svc_contact', ['Hub id,Email,Firm', '70,ada@x.example,Dune'], {
    map: { ...map, 'Hub id': id },
    match: 'external_id',
  });
  expect(taken.result).toMatchObject({ updated: 0, refused: 1 });
  onTestFinished(lowerBounds({ engine: { recordBytes: 2_000 } }));
  const long = ['First name,Summary,Hub id,Firm', `Gus,${'x'.repeat(3_000)},71,Elm`, `Flo,${'x'.repeat(3_000)},70,Elm`];
  const large = await run('svc_contact', long, { map: { ...map, 'Hub id': id }, match: 'external_id' });
  expect(large.result).toMatchObject({ created: 0, updated: 0, refused: 2 });
  expect(await all('svc_company')).toHaveLength(1);
});

test('a row names records as the rows before it have left them, and not itself', async () => {
  await service.applySchema(orgId, {
    association_types: [
      { name: 'parent', label: 'Parent', source: 'svc_company', target: 'svc_company', cardinality: 'many_to_many' },
    ],
  });
  await run('svc_company', ['Name,Domain', 'Acme,acme.example']);
  const map = { Under: { association: 'parent', by: 'title' } };
  const lines = ['Acme Group,acme.example,', 'Birch,birch.example,acme group', 'Cedar,cedar.example,Acme'];
  for (const dryRun of [true, false]) {
    const end = await run('svc_company', ['Name,Domain,Under', ...lines], { map, match: 'svc_domain', dryRun });
    expect(end.result).toMatchObject({ created: 1, updated: 1, refused: 1, linked: 1 });
  }
  const itself = { Under: { association: 'parent', by: 'svc_domain', missing: 'create' } };
  const end = await run('svc_company', ['Name,Domain,Under', 'Dune,dune.example,DUNE.example'], { map: itself });
  expect(end.result).toMatchObject({ created: 0, refused: 1, targets_created: 0 });
  expect(await all('svc_company')).toHaveLength(2);
});

test('one cell that is found and another that is to be created are two targets where one is allowed', async () => {
  await run('svc_company', ['Name', 'Acme']);
  const firm = { association: 'svc_deal_to_company', by: 'title', missing: 'create' };
  const end = await run('svc_deal', ['Deal name,Firm,Customer', 'A,Acme,Birch', 'B,Acme,acme', 'C,Cedar,CEDAR'], {
    map: { Firm: firm, Customer: firm },
  });
  expect(end.result).toMatchObject({ created: 2, refused: 1, linked: 2 });
  expect((await all('svc_company')).map(({ properties }) => properties['svc_name'])).toEqual(['Acme', 'Cedar']);
});

test('a title that two records have is refused with both ids', async () => {
  await run('svc_company', ['Name', 'Acme', 'ACME']);
  const end = await run('svc_contact', ['First name,Firm', 'Ada,acme'], {
    map: { Firm: { association: 'svc_contact_to_company' } },
  });
  const [first, second] = await all('svc_company');
  expect(end.result).toMatchObject({ created: 0, refused: 1 });
  expect(await errorsOf(end)).toContain(`title ""acme"" could mean ${first?.id} or ${second?.id}`);
});

test('deals come with their stage, within a pipeline where names repeat, their company and their owner', async () => {
  await run('svc_company', ['Name,Domain', 'Acme,acme.example']);
  const member = await createMember(service.database, { orgId, name: 'Olga', email: 'olga@team.example' });
  const pipeline = (await client.post(recordsPath('svc_deal_pipeline'), { properties: { svc_name: 'Renewals' } })).body;
  await client.post(recordsPath('svc_deal_pipeline_stage'), {
    properties: { svc_name: 'Won' },
    associations: [{ association_type: 'svc_deal_pipeline_stage_to_deal_pipeline', target_id: pipeline.data.id }],
  });
  const stage = { association: 'svc_deal_to_deal_pipeline_stage', by: 'title' };
  const lines = ['Deal name,Stage,Firm,Rep', 'A,won,acme.example,OLGA@team.example', 'B,Discovery,,'];
  const map = {
    Firm: { association: 'svc_deal_to_company', by: 'svc_domain' },
    Rep: { association: 'svc_record_to_user' },
  };
  const doubtful = await run('svc_deal', lines, { map: { ...map, Stage: stage } });
  expect(doubtful.result).toMatchObject({ created: 1, refused: 1 });
  expect(await errorsOf(doubtful)).toContain('Stage: title ""won"" could mean');
  const within = { ...stage, within: 'renewals', missing: 'skip' };
  const lost = await run('svc_deal', lines, { map: { ...map, Stage: { ...within, missing: 'create' } } });
  expect(lost.failure?.message).toContain('a new Deal Pipeline Stage would be in no pipeline');
  const end = await run('svc_deal', lines, { map: { ...map, Stage: within } });
  expect(end.result).toMatchObject({ created: 2, refused: 0, linked: 3, unlinked: 1 });
  const [, deal] = await all('svc_deal', [
    'svc_deal_to_deal_pipeline_stage',
    'svc_deal_to_company',
    'svc_record_to_user',
  ]);
  const [renewed] = deal?.associations?.['svc_deal_to_deal_pipeline_stage']?.items ?? [];
  expect(renewed?.properties).toMatchObject({ svc_name: 'Won' });
  expect(deal?.associations?.['svc_deal_to_company']?.items).toHaveLength(1);
  expect(deal?.associations?.['svc_record_to_user']?.items.map(({ id }) => id)).toEqual([member]);
  // Aggregations read facts, which know the ends of links as well.
  for (const association of ['svc_deal_to_company', 'svc_deal_to_deal_pipeline_stage']) {
    const body = { group_by: [{ association }], aggregations: [{ function: 'count' }] };
    const groups = (await client.post('/objects/svc_deal/records/aggregate/', body)).body.data;
    const counts = groups.map(
      ({ key: [end], values }: { key: [{ title: string } | null]; values: { count: string } }) => [
        end?.title ?? null,
        values.count,
      ],
    );
    expect(counts).toEqual(
      association === 'svc_deal_to_company'
        ? [
            ['Acme', '1'],
            [null, '2'],
          ]
        : expect.arrayContaining([['Won', '1']]),
    );
  }
});

test('a match adds links and moves stages of the records that it finds, and a row that changes nothing is unchanged', async () => {
  await run('svc_company', ['Name,Domain', 'Acme,acme.example', 'Birch,birch.example']);
  const map = {
    Firm: byDomain,
    Phase: { association: 'svc_contact_to_lifecycle_stage', by: 'title' },
  };
  const lines = (firm: string, phase: string) => ['Email,Firm,Phase', `a@x.example,${firm},${phase}`];
  const first = await run('svc_contact', lines('acme.example', 'Awareness'), { map, match: 'svc_email' });
  expect(first.result).toMatchObject({ created: 1, linked: 2 });
  const same = await run('svc_contact', lines('acme.example', 'Awareness'), { map, match: 'svc_email' });
  expect(same.result).toMatchObject({ unchanged: 1, linked: 0 });
  const other = await run('svc_contact', lines('birch.example', 'Customer'), { map, match: 'svc_email' });
  expect(other.result).toMatchObject({ updated: 1, linked: 2 });
  expect(await linked('svc_contact', 'svc_contact_to_company')).toEqual([['Acme', 'Birch']]);
  expect(await linked('svc_contact', 'svc_contact_to_lifecycle_stage')).toEqual([['Customer']]);
  expect(await all('svc_stage_timer')).toHaveLength(1);
});

test('records are dated from when the file says, in the order of these dates', async () => {
  const lines = [
    'Name,Since',
    'C,31/12/2020 10:00',
    'A,13/01/1999',
    'B,2010-06-01T00:00:00+02:00',
    'D,1/1/2999',
    'E,1/1/1960',
  ];
  const end = await run('svc_company', lines, { map: { Since: { created_at: true } } });
  expect(end.result).toMatchObject({ created: 3, refused: 2 });
  expect(await errorsOf(end)).toContain('Expected a time between 1970 and now');
  const companies = await all('svc_company');
  expect(companies.map(({ properties }) => [properties['svc_name'], properties['svc_created_at']])).toEqual([
    ['A', '1999-01-13T00:00:00.000Z'],
    ['B', '2010-05-31T22:00:00.000Z'],
    ['C', '2020-12-31T10:00:00.000Z'],
  ]);
  const again = await run('svc_company', ['Name,Domain,Since', 'F,f.example,2001-02-03', 'G,f.example,2002-02-03'], {
    map: { Since: { created_at: true } },
    match: 'svc_domain',
  });
  expect(again.result).toMatchObject({ created: 1, updated: 1 });
  expect((await all('svc_company'))[1]?.properties).toMatchObject({
    svc_name: 'G',
    svc_created_at: '2001-02-03T00:00:00.000Z',
  });
});

test('notes begin To Do, or in no stage if the options say so', async () => {
  const type = 'svc_note_to_note_pipeline_stage';
  await run('svc_note', ['Title', 'A']);
  await run('svc_note', ['Title', 'B'], { map: { columns: {}, options: { initial_stage: 'none' } } });
  expect(await linked('svc_note', type)).toEqual([['To Do'], []]);
});

test('activities are linked, and their dates become the last activity of what they are linked to', async () => {
  await run('svc_contact', ['First name,Email', 'Ada,ada@x.example']);
  const lines = ['Subject,Started,With', 'Call,2026-01-02 10:00,ada@x.example'];
  await run('svc_call', lines, { map: { With: { association: 'svc_activity_to_contact', by: 'svc_email' } } });
  expect((await all('svc_contact'))[0]?.properties).toMatchObject({ svc_last_activity_at: '2026-01-02T10:00:00Z' });
});

test('rows may name the rows before them, also in a dry run', async () => {
  await service.applySchema(orgId, {
    association_types: [
      { name: 'parent', label: 'Parent', source: 'svc_company', target: 'svc_company', cardinality: 'many_to_one' },
    ],
  });
  const rows = Array.from(
    { length: 25 },
    (_, index) => `C${index},c${index}.example,${index === 0 ? '' : `c${index - 1}.example`}`,
  );
  const map = { Under: { association: 'parent', by: 'svc_domain' } };
  onTestFinished(lowerBounds({ engine: { importedAtOnce: 10 } }));
  for (const dryRun of [true, false]) {
    const end = await run('svc_company', ['Name,Domain,Under', ...rows], { map, dryRun });
    expect(end.result, String(dryRun)).toMatchObject({ created: 25, refused: 0, linked: 24 });
  }
});

test.each([
  [
    { association: 'svc_contact_to_compny' },
    /which does not begin at svc_contact\. Did you mean "svc_contact_to_company"/,
  ],
  [
    { association: 'svc_contact_to_company', by: 'svc_name' },
    /by which no target .* Use title, id, external_id, svc_domain/,
  ],
  [{ association: 'svc_contact_to_company', within: 'x' }, /does not lead to stages of pipelines/],
  [{ association: 'svc_contact_to_company', by: 'id', missing: 'create' }, /a Company cannot be made from it/],
  [{ association: 'svc_record_to_user', missing: 'create' }, /a Member cannot be made from it/],
  [{ association: 'svc_contact_to_company', missing: 'perhaps' }, /a wrong object at \/missing/],
  [{ association: 'svc_contact_to_company', by: 'external_id' }, /External ids need a source/],
  [{ external_id: true }, /a wrong object/],
  [{ association: 'svc_record_to_org' }, /does not begin at svc_contact/],
])('a map that says %j is refused in one sentence', async (use, sentence) => {
  const { failure } = await run('svc_contact', ['First name,Firm', 'Ada,x'], { map: { Firm: use } });
  expect(`${failure?.message} ${failure?.fix}`).toMatch(sentence);
});
