// The table in a real browser: finding, sorting, filtering, editing in place, many at once, and what stands in the address.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';

describe.skipIf(browserPath === undefined)('the table', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  const row = (page: Page, title: string) => page.getByRole('row', { name: title });
  const cell = (page: Page, title: string, name: RegExp) => row(page, title).getByRole('button', { name });
  const message = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text);

  test('a person finds a contact, changes a value in place, and takes it back', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact');
    await page.getByRole('link', { name: 'Samir Ghosh' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('whitcombe');
    // She is among the others already; what is opened before they are gone would go with them.
    await page.getByRole('link', { name: 'Samir Ghosh' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Eleanor Whitcombe' }).waitFor();
    await cell(page, 'Eleanor Whitcombe', /Edit job title/).click();
    await page.getByRole('textbox', { name: 'Job title' }).fill('Chief of Operations');
    await page.keyboard.press('Enter');
    await cell(page, 'Eleanor Whitcombe', /^Chief of Operations/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await cell(page, 'Eleanor Whitcombe', /^Operations Director\. Edit job title/).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('filters, the order and the columns stand in the address, and show the same to somebody else', async () => {
    const { page, close } = await world.visit('t/svc_company');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Where' }).selectOption({ label: 'Industry' });
    await page.getByRole('combobox', { name: 'How it is compared' }).selectOption({ label: 'contains' });
    await page.getByRole('textbox', { name: 'Industry' }).fill('logistics');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('link', { name: 'Kestrel & Vane Logistics' }).waitFor();
    await page.getByRole('button', { name: 'Sort', exact: true }).click();
    await page.getByRole('menuitemradio', { name: 'Name' }).click();
    await page.keyboard.press('Escape');
    await page.getByText('Name, ascending').waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Domain' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Kestrel & Vane Logistics' }).waitFor();
    const titles = await page.getByRole('gridcell').getByRole('link').allInnerTexts();
    const other = await world.visit(page.url().slice(`${world.service.url}/console/`.length));
    await other.page.getByRole('link', { name: 'Kestrel & Vane Logistics' }).waitFor();
    await other.page.getByText('Name, ascending').waitFor();
    expect(await other.page.getByRole('gridcell').getByRole('link').allInnerTexts()).toEqual(titles);
    // The chip can be changed, and taken away.
    await other.page.getByRole('button', { name: 'Remove the filter on Industry' }).click();
    await other.page.getByRole('link', { name: 'Brightmoor Instruments' }).waitFor();
    await Promise.all([close(), other.close()]);
  });

  test('contacts of one company: a filter on the link, by searching for the record', async () => {
    const { page, close } = await world.visit('t/svc_contact');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Where' }).selectOption('>svc_contact_to_company');
    await page.getByRole('searchbox', { name: 'Search companies' }).fill('kestrel');
    await page.getByRole('dialog').getByRole('button', { name: 'Kestrel & Vane Logistics' }).click();
    await page.getByRole('link', { name: 'Marijke van Oosten' }).waitFor();
    expect(await page.getByRole('gridcell').getByRole('checkbox').count()).toBeLessThan(10);
    await page.reload();
    // The name of the record comes from its id in the address.
    await page
      .getByRole('button', { name: /Kestrel & Vane Logistics/ })
      .first()
      .waitFor();
    await close();
  });

  test('many at once: a value that some cannot have fails for those alone, with the reason, and the rest is undone', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact');
    await page.getByRole('link', { name: 'Samir Ghosh' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search contacts' }).fill('kestrelvane');
    await page.getByRole('link', { name: 'Samir Ghosh' }).waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select Marijke van Oosten' }).check();
    await page.getByRole('checkbox', { name: 'Select Joost Terlouw' }).check();
    await page.getByRole('button', { name: 'Change value' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Properties' }).selectOption({ label: 'Job title' });
    await page.getByRole('dialog').getByLabel('Job title').fill('Advisor');
    await page.getByRole('button', { name: /^Save Enter/ }).click();
    await page.getByText('2 changed').waitFor();
    await cell(page, 'Joost Terlouw', /^Advisor/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Undone').waitFor();
    await cell(page, 'Joost Terlouw', /^Warehouse Manager/).waitFor();
    // An address that is unique can go to one of them only.
    await page.getByRole('checkbox', { name: 'Select Marijke van Oosten' }).check();
    await page.getByRole('checkbox', { name: 'Select Joost Terlouw' }).check();
    await page.getByRole('button', { name: 'Change value' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Properties' }).selectOption({ label: 'Email' });
    await page.getByRole('dialog').getByLabel('Email', { exact: true }).fill('both@example.com');
    await page.getByRole('button', { name: /^Save Enter/ }).click();
    await page.getByText(/1 failed: Another record of svc_contact has this svc_email already/).waitFor();
    await page.getByRole('button', { name: 'Select those' }).click();
    await page.getByRole('region', { name: '1 selected' }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('many are linked, two are merged, and some deleted, each with a way back', async () => {
    const admin = await world.administrator();
    for (const name of ['Twin One', 'Twin Two', 'Twin Three']) {
      const [first, last] = name.split(' ');
      await admin.records('svc_contact').create({ svc_first_name: first ?? '', svc_last_name: last ?? '' });
    }
    const { page, close } = await world.visit('t/svc_contact?q=twin');
    for (const name of ['One', 'Two']) await page.getByRole('checkbox', { name: `Select Twin ${name}` }).check();
    await page.getByRole('region', { name: '2 selected' }).getByRole('button', { name: 'Link' }).click();
    await page.getByRole('combobox', { name: 'Links' }).selectOption({ label: 'Works at' });
    await page.getByRole('searchbox', { name: 'Search companies' }).fill('vireo');
    await page.getByRole('dialog').getByRole('button', { name: 'Vireo Learning' }).click();
    await page.getByText('2 linked').waitFor();
    await row(page, 'Twin Two').getByText('Vireo Learning').waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    for (const name of ['One', 'Two']) await page.getByRole('checkbox', { name: `Select Twin ${name}` }).check();
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('radio', { name: 'Keep Twin Two' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    await message(page, 'Merged').waitFor();
    await row(page, 'Twin One').waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select Twin Three' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted').waitFor();
    await row(page, 'Twin Three').waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'Deleted' }).getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Twin Three').waitFor();
    await close();
  });

  test('rows of others come when they are asked for, and "Show request" asks the same', async () => {
    const { page, close } = await world.visit('t/svc_company?q=newcomer');
    await page.getByText('No companies match').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const admin = await world.administrator();
    await admin.records('svc_company').create({ svc_name: 'Newcomer Works' });
    await page.getByRole('button', { name: '1 new record: show it' }).click();
    await page.getByRole('link', { name: 'Newcomer Works' }).waitFor();
    await page.getByRole('button', { name: 'Show request' }).click();
    const curl = await page.getByRole('dialog').locator('pre').innerText();
    const body = /-d '([\s\S]*)'$/.exec(curl)?.[1] ?? '';
    const { key } = await world.service.createKey(world.orgId);
    const answer = await world.service.client(key).post('/objects/svc_company/records/query/', JSON.parse(body));
    expect(answer.body.data).toHaveLength(1);
    expect(curl).toContain(`${world.service.url}/rest/v1/objects/svc_company/records/query/`);
    await page.getByRole('button', { name: '@orrery/client' }).click();
    await page.getByText("from '@orrery/client'").waitFor();
    await close();
  });

  test('the view as CSV, rows counted when asked, and a column resized by keyboard', async () => {
    const { page, close } = await world.visit('t/svc_deal?q=renewal');
    await page.getByRole('link', { name: 'Renewal: Waalhaven' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('svc_deal.csv');
    await page.getByRole('button', { name: 'Count rows' }).click();
    await page.getByText('8 rows', { exact: true }).waitFor();
    const edge = page.getByRole('separator', { name: 'Width of Amount' });
    const before = Number(await edge.getAttribute('aria-valuenow'));
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 16);
    await close();
  });
});
