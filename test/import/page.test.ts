// Imports as a page runs them, against the real service: the counts are right whatever breaks, nothing comes in twice, and all of
// it can be taken back.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Choice, Counts } from '../../console/data/import/messages.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { type Fetch, memoryStore, PageImport, smallBatches } from '../support/import/page-import.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let restore: () => void;
beforeAll(async () => {
  service = await startService();
  restore = smallBatches(10);
});
afterAll(async () => {
  restore();
  await service.stop();
});

async function newKey(): Promise<string> {
  return (await service.createKey(await service.createOrg())).key;
}

const none: Counts = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  refused: 0,
  linked: 0,
  unlinked: 0,
  targetsCreated: 0,
};
const contacts = { typeName: 'svc_contact' };

function people(count: number, headers = 'First name,Last name,Email'): string {
  const rows = Array.from({ length: count }, (_, index) => `Ada,Number${index},a${index}@page.example`);
  return [headers, ...rows, ''].join('\r\n');
}

async function countOf({ client }: PageImport, type = 'svc_contact'): Promise<number> {
  const [group] = (
    await client
      .records(type)
      .aggregate({ aggregations: [{ function: 'count' }] })
      .first()
  ).data;
  return Number(group?.values['count']);
}

const isWrite = (address: string, init: RequestInit) =>
  address.endsWith('/batch/') && new Headers(init.headers).has('Idempotency-Key');

/** What becomes of the writes, in their order: the service does one and its answer is lost, or it is never asked. */
function breaking(fates: readonly ('answered' | 'lost' | 'unreachable' | 'hangs' | 'hangs unasked')[]): Fetch {
  let writes = 0;
  return async (address, init) => {
    const fate = isWrite(address, init) ? (fates[writes++] ?? 'answered') : 'answered';
    if (fate === 'unreachable') throw new TypeError('fetch failed');
    if (fate === 'hangs unasked') return new Promise(() => {});
    const answer = await fetch(address, init);
    if (fate === 'hangs') return new Promise(() => {});
    if (fate === 'lost') throw new TypeError('fetch failed');
    return answer;
  };
}

test('a file is read, planned and shown, checked without storing anything, imported and taken back', async () => {
  const page = new PageImport(service, await newKey());
  await page.open(people(25), contacts);
  expect(page.state.file).toMatchObject({
    headers: ['First name', 'Last name', 'Email'],
    rowCount: 25,
    delimiter: ',',
  });
  expect(page.state.plan).toMatchObject({ faults: [], matches: ['svc_email'] });
  expect(page.state.preview?.rows).toHaveLength(20);
  expect(page.state.preview?.rows[0]).toMatchObject({
    line: 2,
    values: { svc_email: ['a0@page.example'] },
    faults: [],
  });

  await page.do({ name: 'dry run' });
  const all = { ...none, rows: 25, created: 25 };
  expect([page.progress.state, page.counts]).toEqual(['done', all]);
  expect(await countOf(page)).toBe(0);

  await page.do({ name: 'start' });
  expect([page.progress.state, page.counts, await countOf(page)]).toEqual(['done', all, 25]);
  expect(page.state.saved).toMatchObject({ fileName: 'people.csv', progress: { kind: 'import', state: 'done' } });
  expect(page.told.some(({ progress }) => (progress?.rowsPerSecond ?? 0) > 0 && progress?.secondsLeft === 0)).toBe(
    true,
  );

  // Somebody has changed one record since.
  const [first] = (await page.client.records('svc_contact').list({ limit: 1 }).first()).data;
  await page.client.records('svc_contact').update(first?.id ?? '', { svc_first_name: 'Grace' });
  await page.do({ name: 'undo' });
  const undone = { batches: 3, of: 3, reverted: 24, kept: 1, refused: 0 };
  expect(page.progress).toMatchObject({ kind: 'undo', state: 'done', undone });
  expect(await countOf(page)).toBe(1);
  await page.do({ name: 'forget' });
  expect([page.state.saved, await page.store.load()]).toEqual([null, undefined]);
});

test('answers that are lost, and a service that cannot be reached, are waited out, and nothing comes in twice', async () => {
  const key = await newKey();
  const page = new PageImport(service, key, {
    fetch: breaking(['lost', 'unreachable', 'answered', 'unreachable', 'lost']),
  });
  await page.open(people(25, 'First name,Last name,Remark'), contacts);
  await page.do({ name: 'start' });
  expect([page.counts, await countOf(page)]).toEqual([{ ...none, rows: 25, created: 25 }, 25]);
  const waits = page.told.flatMap(({ progress }) => (progress?.state === 'waiting' ? [progress.detail] : []));
  expect(waits).toHaveLength(4);
  expect(waits[0]).toMatch(/cannot be reached, or the connection broke. Trying again in/);
  // The requests that have written are known, also where their answers came under others.
  await page.do({ name: 'undo' });
  expect([page.progress.undone?.reverted, await countOf(page)]).toEqual([25, 0]);
});

test('an import that is stopped goes on where it was, and so does its undo', async () => {
  const key = await newKey();
  const page = new PageImport(service, key);
  await page.open(people(45), contacts);
  page.onTold = ({ progress }) => {
    if (progress?.rows === 20) void page.do({ name: 'stop' });
  };
  await page.do({ name: 'start' });
  expect([page.progress.state, page.counts.rows, await countOf(page)]).toEqual(['stopped', 20, 20]);

  const later = new PageImport(service, key, { store: page.store });
  await later.do({ name: 'look' });
  expect(later.state.saved).toMatchObject({
    fileName: 'people.csv',
    typeName: 'svc_contact',
    progress: { rows: 20, total: 45 },
  });
  await later.do({ name: 'go on' });
  expect([later.progress.state, later.counts, await countOf(later)]).toEqual([
    'done',
    { ...none, rows: 45, created: 45 },
    45,
  ]);

  later.onTold = ({ progress }) => {
    if (progress?.undone?.batches === 2) void later.do({ name: 'stop' });
  };
  await later.do({ name: 'undo' });
  expect([later.progress.kind, later.progress.state, await countOf(later)]).toEqual(['undo', 'stopped', 30]);
  const last = new PageImport(service, key, { store: page.store });
  await last.do({ name: 'go on' });
  expect(last.progress).toMatchObject({ state: 'done', undone: { reverted: 45, kept: 0, refused: 0 } });
  expect(await countOf(last)).toBe(0);
});

const dayMs = 86_400_000;

test.each([
  ['within a day, by its key', 'hangs', 0],
  ['after a day, by its records', 'hangs', dayMs],
  ['within a day, though it never arrived', 'hangs unasked', 0],
  ['after a day, though it never arrived', 'hangs unasked', dayMs],
] as const)('a batch under way when the page was closed is done once: %s', async (_, fate, later) => {
  const key = await newKey();
  const store = memoryStore();
  const page = new PageImport(service, key, { store, fetch: breaking(['answered', fate]) });
  await page.open(people(25, 'First name,Last name,Remark'), contacts);
  const sent = new Promise<void>((resolve) => {
    const { save } = store;
    store.save = async (kept, refused) => {
      await save(kept, refused);
      if (kept.pending?.number === 1) resolve();
    };
  });
  void page.do({ name: 'start' });
  await sent;
  const count = fate === 'hangs' ? 20 : 10;
  await expect.poll(() => countOf(page)).toBe(count);

  const next = new PageImport(service, key, { store, nowMs: () => Date.now() + later });
  await next.do({ name: 'go on' });
  expect([next.progress.state, next.counts, await countOf(next)]).toEqual([
    'done',
    { ...none, rows: 25, created: 25 },
    25,
  ]);
  await next.do({ name: 'undo' });
  expect([next.progress.undone?.reverted, await countOf(next)]).toEqual([25, 0]);
});

test('what a batch has written whose answer is not known is taken back as well', async () => {
  const key = await newKey();
  const store = memoryStore();
  const page = new PageImport(service, key, { store, fetch: breaking(['answered', 'hangs']) });
  await page.open(people(25), contacts);
  void page.do({ name: 'start' });
  await expect.poll(() => countOf(page)).toBe(20);
  const next = new PageImport(service, key, { store });
  await next.do({ name: 'undo' });
  expect([next.progress.state, next.progress.undone?.reverted, await countOf(next)]).toEqual(['done', 20, 0]);
});

test('where nobody can tell whether a batch was stored, a person decides', async () => {
  const key = await newKey();
  const store = memoryStore();
  const page = new PageImport(service, key, { store, fetch: breaking(['hangs']) });
  const text = ['Note', 'Call back', 'Send the offer', ''].join('\n');
  await page.open(text, { typeName: 'svc_note', columns: { 0: { kind: 'property', property: 'svc_body' } } });
  void page.do({ name: 'start' });
  await expect.poll(() => countOf(page, 'svc_note')).toBe(2);
  const next = new PageImport(service, key, { store, nowMs: () => Date.now() + dayMs });
  await next.do({ name: 'go on' });
  expect(next.progress.state).toBe('in doubt');
  expect(next.progress.detail).toMatch(/rows of lines 2 to 3 were stored/);
  await next.do({ name: 'go on', doubt: 'leave out' });
  expect([next.progress.state, next.counts]).toEqual(['done', { ...none, rows: 2, refused: 2 }]);
  expect(await next.refused()).toContain(
    '"line 2: Left out, because nobody can tell whether it was stored.",Call back',
  );
});

test('refused rows come in a file that can be mended and imported', async () => {
  const page = new PageImport(service, await newKey());
  const lines = [
    'First name,Email,Lead score',
    'Ada,ada@page.example,hot',
    'Bo,not an address,warm',
    'Cy,cy@page.example,none',
    'Di,di@page.example,hot,too many',
    'Ed,ADA@page.example,hot',
    ...Array.from({ length: 9 }, (_, index) => `F,f${index}@page.example,cold`),
    'Gi,f3@page.example,hot',
    '',
  ];
  await page.open(lines.join('\n'), contacts);
  for (const name of ['dry run', 'start'] as const) {
    await page.do({ name });
    expect([name, page.counts]).toEqual([name, { ...none, rows: 15, created: 10, refused: 5 }]);
    const [head, ...rows] = (await page.refused()).trim().split('\r\n');
    expect(head).toBe('_import_errors,First name,Email,Lead score');
    expect(rows).toHaveLength(5);
    expect(rows[0]).toMatch(/^"line 3: Email: Expected an email address.*\(wrong_shape\)",Bo,not an address,warm$/);
    expect(rows[2]).toMatch(/line 5: The row has 4 cells; the header has 3\./);
    expect(rows[4]).toMatch(
      name === 'dry run' ? /line 16: Line 10 has the same value of Email/ : /line 16: .*unique_value_taken/,
    );
  }
  const mended = (await page.refused())
    .replaceAll('not an address', 'bo@page.example')
    .replace(/none\r\n/, 'cold\r\n')
    .replace(',too many', '');
  await page.open(mended, contacts);
  await page.do({ name: 'start' });
  expect(page.counts).toEqual({ ...none, rows: 5, created: 3, refused: 2 });
});

test('rows find the records that they change, and a dry run knows how it will be', async () => {
  const page = new PageImport(service, await newKey());
  await page.open(people(12), contacts);
  await page.do({ name: 'start' });
  const lines = [
    'First name,Last name,Email',
    'Ada,Number0,a0@page.example',
    'Ada,Changed,a1@page.example',
    'New,One,new@page.example',
    ...Array.from({ length: 9 }, (_, index) => `N,${index},n${index}@page.example`),
    // In the next batch: the same again, and with another name.
    'New,One,new@page.example',
    'New,Two,NEW@page.example',
    '',
  ];
  await page.open(lines.join('\n'), { ...contacts, match: 'svc_email' });
  for (const name of ['dry run', 'start'] as const) {
    await page.do({ name });
    expect([name, page.counts]).toEqual([name, { ...none, rows: 14, created: 10, updated: 2, unchanged: 2 }]);
  }
  expect(await countOf(page)).toBe(22);
});

test('links are made by titles, unique values, ids and what the file itself has made, and missing records as it says', async () => {
  const page = new PageImport(service, await newKey());
  const companies = [
    'Record ID,Company name,Company Domain Name,Create Date',
    '501,Nordlys,nordlys.example,2019-05-02',
    '',
  ];
  await page.open(companies.join('\n'), { typeName: 'svc_company' });
  const uses = page.state.plan?.columns.map(({ use }) => use);
  expect(uses).toMatchObject([{ kind: 'external_id', source: 'hubspot', guessed: true }, {}, {}, { kind: 'ignored' }]);
  await page.do({ name: 'start' });
  expect(page.counts).toEqual({ ...none, rows: 1, created: 1 });

  const link = (by: string, missing: 'refuse' | 'skip' | 'create', source?: string) =>
    ({ kind: 'link', association: 'svc_contact_to_company', by, missing, ...(source && { source }) }) as const;
  const columns: Choice['columns'] = {
    1: link('svc_domain', 'create'),
    2: link('title', 'refuse'),
    3: link('external_id', 'skip', 'hubspot'),
    4: { kind: 'link', association: 'svc_contact_to_lifecycle_stage', by: 'title', missing: 'refuse' },
  };
  const lines = [
    'First name,Domain,Firm,Firm id,Phase',
    'Ada,nordlys.example,,,Customer',
    'Bo,NORDLYS.example;new.example,,,',
    'Cy,new.example,nordlys,501;502,',
    'Di,,Nowhere,,',
    'Ed,,,,Nothing',
    ...Array.from({ length: 6 }, () => 'F,,,,'),
    'Gi,new.example;other.example,,,',
    '',
  ];
  await page.open(lines.join('\n'), { ...contacts, columns });
  expect(page.state.plan?.faults).toEqual([]);
  const expected = { ...none, rows: 12, created: 10, refused: 2, linked: 8, unlinked: 1, targetsCreated: 2 };
  for (const name of ['dry run', 'start'] as const) {
    await page.do({ name });
    expect([name, page.counts]).toEqual([name, expected]);
    expect(await page.refused()).toMatch(/line 5: Firm: There is no company with the name ""Nowhere""/);
  }
  expect(await countOf(page, 'svc_company')).toBe(3);
});

test('what stands in the way is said of its column, and nothing is guessed about dates and money', async () => {
  const page = new PageImport(service, await newKey());
  const lines = ['Deal Name,Amount,Currency,Close Date', 'One,"1,000",NOK,3/1/2027', 'Two,"2,500",GBP,4/1/2027', ''];
  const deals = { typeName: 'svc_deal' };
  await page.open(lines.join('\n'), deals);
  expect(page.state.plan?.faults).toMatchObject([
    { column: 1, choose: 'decimal' },
    { column: 3, choose: { dates: ['DD/MM/YYYY', 'MM/DD/YYYY'] } },
  ]);
  await expect(page.do({ name: 'start' })).rejects.toThrow(/can be read in two ways/);

  const written = { decimal: '.', dates: 'M/D/YYYY' } as const;
  await page.do({ name: 'plan', choice: { ...deals, columns: {}, written } });
  expect(page.state.plan?.faults).toMatchObject([
    { column: 2, detail: expect.stringMatching(/looks like the currency of/) },
  ]);
  const ignored = { 2: { kind: 'ignored' } } as const;
  await page.do({ name: 'plan', choice: { ...deals, columns: ignored, written } });
  expect(page.state.plan?.faults).toMatchObject([{ column: 1, choose: 'currency' }]);
  const unit = { 2: { kind: 'unit', property: 'svc_amount' } } as const;
  await page.do({ name: 'plan', choice: { ...deals, columns: unit, written } });
  expect(page.state.plan?.faults).toEqual([]);
  expect(page.state.preview?.rows[0]?.values).toEqual({
    svc_name: 'One',
    svc_amount: { amount: '1000', unit: 'NOK' },
    svc_close_date: '2027-03-01',
  });
  const amount = { kind: 'property', property: 'svc_amount', currency: 'NOK' } as const;
  await page.do({
    name: 'plan',
    choice: { ...deals, columns: { 0: amount, 1: amount, 2: { kind: 'ignored' } }, written },
  });
  expect(page.state.plan?.faults).toMatchObject([
    { column: 1, detail: expect.stringMatching(/are both used for Amount/) },
  ]);
});

test('a file comes in as the command imports it: values, links and refused rows', async () => {
  const files = {
    svc_company: [
      'Record ID;Company name;Company Domain Name;Number of Employees;Country',
      '501;Nordlys;NORDLYS.example;1.200;no',
      '502;Tidewater;tidewater.example;45;GB',
      '503;;not a domain;1,5;XX',
    ],
    svc_contact: [
      'First Name,Last Name,Email,E-mail 2,Phone Number,Lead score,Lifecycle Stage,Company,Job start,Time zone',
      'Lena,Holm,lena@nordlys.example,LENA@nordlys.example;l@nordlys.example,22 86 44 00,Hot,Customer,Nordlys,31/03/2026,Europe/Oslo',
      'Tom,Reed,tom@tidewater.example,,+1 415 555 0123,warm,Interest,Tidewater,1/4/2026,',
      "'=Eve,Sun,eve@x.example,,not a number,lukewarm,Nowhere,Nobody,32/13/2026,Mars",
      'Again,Holm,tom@tidewater.example,,,,,,,',
      'Short,row',
    ],
    svc_deal: [
      'Deal Name,Amount (EUR),Close Date,Deal Stage,Company Name,Contact email',
      'Harbour lights,"12,000.50",31 Dec 2026,Proposal,Nordlys,lena@nordlys.example',
      'Night ferries,$10,1 Jan 2027,Discovery,Tidewater,tom@tidewater.example;lena@nordlys.example',
    ],
  } as const;
  const folder = await ImportFolder.make();
  const byCommand = await service.createOrg();
  const key = await newKey();
  for (const [typeName, lines] of Object.entries(files)) {
    const text = `${lines.join('\n')}\n`;
    const { result } = await folder.run(service, byCommand, typeName, text, { country: 'NO' });
    const page = new PageImport(service, key);
    await page.open(text, { typeName, written: { country: 'NO' } });
    expect(page.state.plan?.faults).toEqual([]);
    await page.do({ name: 'start' });
    const { rows, created, refused, linked, unlinked } = result ?? {};
    expect(page.counts).toEqual({ ...none, rows, created, refused, linked, unlinked });
    const lineOf = (file: string) => [...file.matchAll(/^"?line (\d+)/gm)].map(([, line]) => line);
    const errors = await readFile(result?.errors_file ?? '', 'utf8').catch(() => '');
    expect(lineOf(await page.refused())).toEqual(lineOf(errors));
  }
  const [command, page] = [(await service.createKey(byCommand)).key, key].map((each) => new PageImport(service, each));
  expect(await contentOf(page as PageImport)).toEqual(await contentOf(command as PageImport));
  await folder.remove();
});

/** Everything that imports have made, without what differs from org to org. */
async function contentOf({ client }: PageImport): Promise<unknown> {
  const include = {
    svc_company: [],
    svc_contact: ['svc_contact_to_company', 'svc_contact_to_lifecycle_stage'],
    svc_deal: ['svc_deal_to_company', 'svc_deal_to_contact', 'svc_deal_to_deal_pipeline_stage'],
  };
  const content = Object.entries(include).map(async ([type, associations]) => {
    const { data } = await client.records(type).list({ include: associations }).first();
    return data.map(({ properties, associations: linked = {} }) => {
      const { svc_created_at: _, svc_updated_at: __, ...values } = properties;
      return { values, linked: Object.entries(linked).map(([name, page]) => [name, titlesOf(page?.items ?? [])]) };
    });
  });
  return Promise.all(content);
}

function titlesOf(items: readonly { readonly properties?: Readonly<Record<string, unknown>> }[]): readonly string[] {
  const titles = items.map(({ properties = {} }) => String(properties['svc_name'] ?? properties['svc_last_name']));
  return titles.toSorted((one, other) => one.localeCompare(other));
}

test('an import whose place another tab has taken goes on no more, and is not taken for the other one', async () => {
  const key = await newKey();
  const store = memoryStore();
  const [first, second] = [0, 1].map(() => new PageImport(service, key, { store })) as [PageImport, PageImport];
  await first.open(people(30), contacts);
  first.onTold = ({ progress }) => {
    if (progress?.rows === 10) void first.do({ name: 'stop' });
  };
  await first.do({ name: 'start' });
  expect(first.progress.state).toBe('stopped');
  await second.open('Last name,Email\r\nSecond,second@page.example\r\n', contacts);
  await expect(second.do({ name: 'start' })).rejects.toThrow('The import of people.csv is not finished');
  await second.do({ name: 'start', replaces: second.state.saved?.id ?? '' });
  expect(second.progress.state).toBe('done');
  for (const name of ['go on', 'undo'] as const) {
    await expect(first.do({ name })).rejects.toThrow('Another tab has begun another import');
  }
  await expect(first.refused()).rejects.toThrow('Another tab has begun another import');
  expect(await countOf(second)).toBe(first.counts.rows + 1);
});
