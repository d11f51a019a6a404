// The import of a spreadsheet in a real browser: a file is dropped in, its columns are understood and changed, all rows are checked,
// imported, fixed, and taken back; it is stopped, loses its connection and goes on, and nothing is stored twice.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../../client/main.ts';
import { browserPath, overhang } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';
import { expectReadable } from '../../support/browser/violations.ts';
import { adminOf } from '../../support/platform/administrator.ts';
import { memberWith } from '../../support/sign-in/person.ts';

describe.skipIf(browserPath === undefined)('the import of a spreadsheet', () => {
  let world: ConsoleWorld;
  let admin: Client;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
    admin = await world.administrator();
    for (const [name, domain] of [
      ['Nordlys', 'nordlys.example'],
      ['Tidewater', 'tidewater.example'],
    ] as const) {
      await admin.records('svc_company').create({ svc_name: name, svc_domain: domain });
    }
  });
  afterAll(() => world.close());

  const csv = (name: string, lines: readonly string[]) => ({
    name,
    mimeType: 'text/csv',
    buffer: Buffer.from(`${lines.join('\r\n')}\r\n`),
  });
  const choose = (page: Page, file: ReturnType<typeof csv>) => page.getByLabel('Choose a file').setInputFiles(file);
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 2, name });
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
  const isFocused = (page: Page, place: Locator) => place.and(page.locator(':focus')).waitFor();
  /** What the page says of the rows, such as `{created: '1,200'}`. */
  const figures = (page: Page) =>
    page.evaluate<Record<string, string>>(
      `Object.fromEntries([...document.querySelectorAll('dl dt')].map((term) => [term.textContent, term.nextElementSibling.textContent]))`,
    );
  const stored = async (domain: string) =>
    Number(
      (
        await admin
          .records('svc_contact')
          .aggregate({
            filter: { property: 'svc_email', operator: 'ends_with', value: `@${domain}` },
            aggregations: [{ function: 'count' }],
          })
          .toArray(1)
      )[0]?.values['count'] ?? 0,
    );
  const people = (count: number, domain: string) => [
    'First name,Last name,Email',
    ...Array.from({ length: count }, (_, index) => `Ada,Number ${index},ada${index}@${domain}`),
  ];

  test('a file is dropped in, its columns are understood and changed, checked and imported, with links and ids', async () => {
    const rows = Array.from({ length: 1_100 }, (_, index) => {
      const company = index % 2 === 0 ? 'Nordlys' : 'tidewater';
      return `${9_000 + index},Ada,Number ${index},ada${index}@sheet.example,22 86 44 01,${company},3/1/2019,hot,Remark ${index}`;
    });
    const file = [
      'Record ID,First Name,Last Name,Email,Phone Number,Company,Job start date,Lead score,Internal remark',
      ...rows,
      '1,Bad,Address,not an address,,Nordlys,5/1/2019,,',
      '2,Bad,Score,score@sheet.example,,Nowhere,5/1/2019,lukewarm,',
    ].join('\n');
    const { page, faults, close } = await world.visit('t/svc_contact');
    await page.getByRole('main').getByRole('link', { name: 'Import' }).click();
    await heading(page, 'Drop a CSV file here').waitFor();
    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(file)}], 'people.csv')); return data; })()`,
    );
    for (const event of ['dragover', 'drop'])
      await page.dispatchEvent('.import-page', event, { dataTransfer: dropped });
    await page.getByText('1,102 rows · commas, UTF-8').waitFor();
    const columns = page.getByRole('table', { name: 'Columns' });
    await columns.waitFor();
    await isFocused(page, heading(page, 'people.csv'));
    await columns.getByRole('button', { name: 'What Email becomes: Email' }).waitFor();
    await columns.getByRole('button', { name: 'What Company becomes: Works at' }).waitFor();

    // What only a person can say is asked at its column, and the way to the check leads there.
    await press(page, 'Check all rows');
    const dates = page.getByLabel('Job start date: Dates are written');
    await isFocused(page, dates);
    await dates.selectOption({ label: 'DD/MM/YYYY (3/1/2019 is 3 Jan 2019)' });
    await page.getByLabel('Phone Number: Numbers without a country code are from').selectOption({ label: 'Norway' });
    await press(page, 'What Internal remark becomes: Ignored');
    await page.getByRole('combobox', { name: 'What Internal remark becomes' }).fill('headl');
    await page.keyboard.press('Enter');
    await columns.getByRole('button', { name: 'What Internal remark becomes: Headline' }).waitFor();
    await press(page, 'What Record ID becomes: Ignored (no matching property)');
    await page.getByRole('option', { name: 'Id in another system', exact: true }).click();
    await page.getByText(/has ids of another system\. Say which system/).waitFor();
    await page.getByLabel('Record ID: Name of the other system').fill('hubspot');
    await page.keyboard.press('Enter');
    await press(page, 'Company: Confirm');
    await page.getByRole('button', { name: 'Company: Confirm' }).waitFor({ state: 'detached' });
    const preview = page.getByRole('region', { name: 'The first rows, as they will be' });
    await preview.getByRole('row', { name: /^2 Ada Number 0 ada0@sheet.example \+47 .*Remark 0/ }).waitFor();
    await press(page, 'Show request');
    const request = page.getByRole('dialog', { name: 'Request' });
    await request.getByText(/"operation": "create",\s+"object_type": "svc_contact",.*"ada0@sheet.example"/s).waitFor();
    await request.getByRole('button', { name: /client$/ }).click();
    await request.getByText(/client.batch\(\[.*svc_headline: "Remark 0"/s).waitFor();
    await page.keyboard.press('Escape');

    await press(page, 'Check all rows');
    await heading(page, 'Checked: nothing is stored yet').waitFor();
    expect(await figures(page)).toMatchObject({ 'will be created': '1,100', 'will be refused': '2', links: '1,100' });
    await page
      .getByRole('region', { name: 'The first rows that were refused' })
      .getByText(/not an address/)
      .first()
      .waitFor();
    expect(await stored('sheet.example')).toBe(0);
    await press(page, 'Import 1,100 rows');
    await heading(page, 'Imported').waitFor();
    await isFocused(page, heading(page, 'Imported'));
    expect(await figures(page)).toMatchObject({ created: '1,100', refused: '2', links: '1,100' });
    expect(await stored('sheet.example')).toBe(1_100);
    const filter = { external_id: '9001', source: 'hubspot' };
    const [made] = await admin
      .records('svc_contact')
      .query({ filter, include: ['svc_contact_to_company'] })
      .toArray(2);
    expect(made?.properties).toMatchObject({
      svc_last_name: 'Number 1',
      svc_job_start_date: '2019-01-03',
      svc_lead_score: 'hot',
      svc_headline: 'Remark 1',
    });
    expect(JSON.stringify(made?.properties)).toContain('"country_code":"NO"');
    expect(JSON.stringify(made?.associations)).toContain('Tidewater');
    await page.getByRole('link', { name: 'Open contacts' }).click();
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('refused rows are fixed and imported; an import is undone, and what was changed since stays', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact/import');
    await choose(page, csv('mended.csv', [...people(3, 'mended.example'), 'Bad,Row,no address']));
    await press(page, 'Check all rows');
    await press(page, 'Import 3 rows');
    await heading(page, 'Imported').waitFor();
    const download = page.waitForEvent('download');
    await press(page, 'Download 1 row that was refused');
    expect((await download).suggestedFilename()).toBe('mended.errors.csv');
    const refused = await readFile(await (await download).path(), 'utf8');
    expect(refused).toContain('_import_errors');
    await press(page, 'Import another file');
    await choose(page, csv('mended.errors.csv', [refused.trim().replaceAll('no address', 'bad@mended.example')]));
    await page.getByLabel('Rows that exist already').selectOption({ label: 'are found by email, and updated' });
    await press(page, 'Check all rows');
    await press(page, 'Import 1 row');
    await heading(page, 'Imported').waitFor();
    expect(await stored('mended.example')).toBe(4);

    // Other rows of a file that finds them again change them, and undoing that gives them their earlier values.
    await press(page, 'Import another file');
    await choose(
      page,
      csv('again.csv', [
        'Email,Last name,Job title',
        'ada0@mended.example,Number 0,Engineer',
        'ada1@mended.example,Number 1,Engineer',
        'new@mended.example,New,',
      ]),
    );
    await page.getByLabel('Rows that exist already').selectOption({ label: 'are found by email, and updated' });
    await press(page, 'Check all rows');
    await heading(page, /^Checked/).waitFor();
    expect(await figures(page)).toMatchObject({ 'will be created': '1', 'will be updated': '2' });
    await press(page, 'Import 3 rows');
    await heading(page, 'Imported').waitFor();
    const filter = { property: 'svc_email', operator: 'eq', value: 'ada1@mended.example' } as const;
    const [changed] = await admin.records('svc_contact').query({ filter }).toArray(1);
    expect(changed?.properties['svc_job_title']).toBe('Engineer');
    await admin.records('svc_contact').update(changed?.id ?? '', { svc_job_title: 'Pilot' });
    await page.reload();
    const last = page.getByRole('region', { name: 'The last import' });
    await last.getByText('again.csv: 1 created, 2 updated, 0 refused.').waitFor();
    await last.getByRole('button', { name: 'Undo the import' }).click();
    await page.getByRole('dialog', { name: 'Undo the import' }).getByRole('button', { name: 'Undo' }).click();
    await heading(page, 'Undone').waitFor();
    expect(await figures(page)).toEqual({ undone: '2', 'kept (changed since)': '1' });
    expect(await stored('mended.example')).toBe(4);
    const now = await admin.records('svc_contact').get(changed?.id ?? '');
    expect(now.data.properties['svc_job_title']).toBe('Pilot');
    expect(faults()).toEqual([]);
    await close();
  });

  test('what is not a table is said, with what to do, and the next file comes in all the same', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact/import');
    const wide = Array.from({ length: 2_001 }, (_, index) => `c${index}`).join();
    for (const [name, content, said] of [
      ['sheet.xlsx', 'PK\u0003\u0004', /workbook.*CSV UTF-8/],
      ['empty.csv', '', /is empty.*column names/],
      ['quote.csv', 'First name,Last name\nAda,"Lovelace\nGrace,Hopper\n', /never closed/],
      ['wide.csv', `${wide}\n`, /2001 columns; at most 2000/],
    ] as const) {
      await choose(page, { name, mimeType: 'text/csv', buffer: Buffer.from(content) });
      const alert = page.getByRole('alert').filter({ hasText: `${name} cannot be imported` });
      await alert.getByText(said).waitFor();
    }
    await choose(page, csv('strange.csv', ['Foo,Bar', '1,2']));
    await page
      .getByRole('alert')
      .getByText(/No column is used/)
      .waitFor();
    await press(page, 'What Foo becomes: Ignored (no matching property)');
    await page.getByRole('option', { name: 'Last name' }).click();
    await page.getByText(/No column is used/).waitFor({ state: 'detached' });
    await press(page, 'Check all rows');
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
    await press(page, 'Change columns');
    await page.getByRole('table', { name: 'Columns' }).waitFor();
    // Of another type, the same file is looked at anew.
    await page.getByLabel('What the rows are').selectOption({ label: 'Companies' });
    await page.getByRole('button', { name: 'What Foo becomes: Ignored (no matching property)' }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('it is stopped, the tab is closed, and it goes on where it was', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact/import');
    await choose(page, csv('long.csv', people(1_600, 'long.example')));
    await press(page, 'Check all rows');
    let hold: (() => void) | undefined;
    let batches = 0;
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    await page.route('**/rest/v1/batch/', async (route) => {
      if (route.request().headers()['svc-dry-run'] === undefined && ++batches > 1) await held;
      return route.continue();
    });
    await press(page, 'Import 1,600 rows');
    await heading(page, 'Importing').waitFor();
    await expect.poll(() => page.getByRole('progressbar').getAttribute('value')).not.toBe('0');
    // Another page of the console can be looked at meanwhile.
    await page.getByRole('link', { name: 'Companies' }).first().click();
    await page.goBack();
    await heading(page, 'Importing').waitFor();
    await press(page, 'Stop');
    hold?.();
    await heading(page, 'Stopped').waitFor();
    const so = await stored('long.example');
    expect(so).toBeGreaterThan(0);
    expect(so).toBeLessThan(1_600);
    await page.reload();
    const saved = page.getByRole('region', { name: 'This import was interrupted' });
    await saved.getByText(/^long.csv: [\d,]+ of 1,600 rows are imported/).waitFor();
    await saved.getByRole('button', { name: 'Go on' }).click();
    await heading(page, 'Imported').waitFor();
    expect(await figures(page)).toMatchObject({ created: '1,600', refused: '0' });
    expect(await stored('long.example')).toBe(1_600);
    expect(faults()).toEqual([]);
    await close();
  });

  test('one tab imports at a time, and an unfinished import is given up only by somebody who says so', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact/import');
    await choose(page, csv('first.csv', people(1_600, 'first.example')));
    await press(page, 'Check all rows');
    await page.getByRole('button', { name: 'Import 1,600 rows' }).waitFor();
    let hold: (() => void) | undefined;
    let batches = 0;
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    await page.route('**/rest/v1/batch/', async (route) => {
      if (++batches > 1) await held;
      return route.continue();
    });
    await press(page, 'Import 1,600 rows');
    await expect.poll(() => page.getByRole('progressbar').getAttribute('value')).not.toBe('0');

    const other = await page.context().newPage();
    await other.goto(`${world.service.url}/console/t/svc_contact/import`);
    const card = other.getByRole('region', { name: 'Another tab is importing' });
    await card.getByText(/^first.csv is being imported/).waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    // The other file has its columns the other way round: beside the state of the first, its rows would come in wrong.
    await choose(other, csv('second.csv', ['Email,Last name', 'b0@second.example,Second']));
    await press(other, 'Check all rows');
    await press(other, 'Import 1 row');
    await other
      .getByRole('alert')
      .getByText(/^Another tab of this browser is importing/)
      .waitFor();
    // In a browser without locks another tab could have begun one: what the first tab stores is told from that by its id.
    await page.evaluate<unknown>(`new Promise((resolve) => {
      const opened = indexedDB.open('orrery-imports');
      opened.onsuccess = () => {
        const imports = opened.result.transaction('imports', 'readwrite').objectStore('imports');
        imports.openCursor().onsuccess = ({ target: { result: at } }) =>
          (at.update({ ...at.value, id: 'another' }).onsuccess = resolve);
      };
    })`);
    hold?.();
    await heading(page, 'It did not finish').waitFor();
    await page
      .getByText(/^Another tab has begun another import since/)
      .first()
      .waitFor();
    await press(other, 'Import 1 row');
    const asked = other.getByRole('dialog', { name: 'Give up the unfinished import?' });
    await asked.getByText(/^first.csv is not finished: [\d,]+ of 1,600 rows are imported/).waitFor();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    expect(await stored('second.example')).toBe(0);
    await press(other, 'Import 1 row');
    await asked.getByRole('button', { name: 'Give it up and import' }).click();
    await heading(other, 'Imported').waitFor();
    expect(await stored('second.example')).toBe(1);

    // What the first tab still shows is gone, and it takes nothing of the other one for its own.
    const so = await stored('first.example');
    await press(page, 'Undo the import');
    await page.getByRole('dialog', { name: 'Undo the import' }).getByRole('button', { name: 'Undo' }).click();
    await page
      .getByText(/^Another tab has begun another import since/)
      .first()
      .waitFor();
    expect([await stored('first.example'), await stored('second.example')]).toEqual([so, 1]);
    expect(faults()).toEqual([]);
    await close();
  });

  test('without a connection it waits and says so; answers that were lost are not written twice', async () => {
    const { page, close } = await world.visit('t/svc_contact/import');
    await choose(page, csv('lost.csv', people(1_200, 'lost.example')));
    await press(page, 'Check all rows');
    await page.getByRole('button', { name: 'Import 1,200 rows' }).waitFor();
    let lost = 0;
    await page.route('**/rest/v1/batch/', async (route) => {
      if (lost++ > 1) return route.continue();
      // The service has done it, and nobody hears of it.
      await route.fetch();
      return route.abort('connectionreset');
    });
    await press(page, 'Import 1,200 rows');
    await heading(page, 'Waiting for the service').waitFor();
    await heading(page, 'Imported').waitFor();
    expect(lost).toBeGreaterThan(2);
    expect(await figures(page)).toMatchObject({ created: '1,200', refused: '0' });
    expect(await stored('lost.example')).toBe(1_200);
    await close();
  });

  test('the ways in are there for those who may create, and for nobody else', async () => {
    const viewer = await memberWith(await adminOf(world.service, world.orgId), 'Viewer');
    const reader = await world.visit('t/svc_contact', {}, { email: viewer.email });
    await reader.page.getByRole('row').nth(1).waitFor();
    expect(await reader.page.getByRole('link', { name: 'Import' }).count()).toBe(0);
    await reader.page.goto(`${world.service.url}/console/t/svc_contact/import`);
    await reader.page.getByText(/^Your role does not let you create contacts/).waitFor();
    const { page, faults, close } = await world.visit('t/svc_member');
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByRole('main').getByRole('link', { name: 'Import' }).count()).toBe(0);
    await page.getByRole('navigation').getByRole('link', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Drop a CSV file here' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('import comp');
    await page.getByRole('option', { name: 'Import companies' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Drop a CSV file here').waitFor();
    expect(await page.getByLabel('What the rows are').inputValue()).toBe('svc_company');
    expect([...faults(), ...reader.faults()]).toEqual([]);
    await Promise.all([close(), reader.close()]);
  });

  test('every step is readable in both themes and at every width', async () => {
    const { page, faults, close } = await world.visit('t/svc_deal/import', { reducedMotion: 'reduce' });
    const check = async (what: string) => {
      await expectReadable(page, what);
      for (const width of [360, 1_280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overhang(page), `${what} at ${width} pixels`).toBe(0);
        // Only the steps are scrolled: the head with its button stays.
        const below = 'document.getElementById("main").scrollHeight - document.getElementById("main").clientHeight';
        expect(await page.evaluate<number>(below), `${what} at ${width} pixels`).toBe(0);
      }
    };
    await heading(page, 'Drop a CSV file here').waitFor();
    await check('file');
    const long = 'x'.repeat(300);
    await choose(
      page,
      csv('deals.csv', [
        `Deal name,Amount,Close Date,Company,Deal Stage,${long}`,
        `Harbour lights,1.000,3/1/2027,Nordlys,Proposal,${long}`,
        'Night ferries,2.000,4/1/2027,Tidewater,Nowhere,',
      ]),
    );
    await page.getByRole('table', { name: 'Columns' }).waitFor();
    await check('columns');
    await press(page, /^What Company becomes/);
    await page.getByRole('listbox').waitFor();
    await check('what a column becomes');
    await page.keyboard.press('Escape');
    await page.getByLabel('Amount: Decimals').selectOption(',');
    await page.getByLabel('Amount: Amounts without a currency are').selectOption('EUR');
    await page.getByLabel('Close Date: Dates are written').selectOption('DD/MM/YYYY');
    await page.getByLabel('Deal Stage: If none is found').selectOption({ label: 'refuse the row' });
    await press(page, 'Check all rows');
    await page.getByRole('region', { name: 'The first rows that were refused' }).waitFor();
    await check('checked');
    await press(page, 'Import 1 row');
    await heading(page, 'Imported').waitFor();
    await check('imported');
    const [deal] = await admin.records('svc_deal').query({ search: 'Harbour lights' }).toArray(1);
    expect(deal?.properties).toMatchObject({
      svc_amount: { amount: '1000', unit: 'EUR' },
      svc_close_date: '2027-01-03',
    });
    expect(faults()).toEqual([]);
    await close();
  });
});
