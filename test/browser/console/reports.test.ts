// Reports in a real browser: built from what the field types allow, true, saved and shared, and the ready-made ones.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, overhang } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';
import { sendShown, shownRequests } from '../../support/browser/shown-requests.ts';
import { trialDeals } from '../../support/browser/trial-deals.ts';
import { expectReadable } from '../../support/browser/violations.ts';
import { adminOf } from '../../support/platform/administrator.ts';
import { memberWith } from '../../support/sign-in/person.ts';

describe.skipIf(browserPath === undefined)('reports', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const cells = async (page: Page, table: string, row: RegExp) =>
    (await page.getByRole('table', { name: table, exact: true }).getByRole('row', { name: row }).innerText())
      .split(/\t/)
      .map((text) => text.trim())
      .filter((text) => text !== '');

  const csvLines = async (page: Page, within: Locator | Page = page) => {
    const download = page.waitForEvent('download');
    await within.getByRole('button', { name: 'CSV' }).click();
    return (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
  };

  test('a report offers what the field types allow, is true, leads to its records and is saved as CSV', async () => {
    const { page, faults, close } = await world.visit('t/svc_deal');
    await page.getByRole('link', { name: 'Report', exact: true }).click();
    expect(await cells(page, 'Number of deals', /^Negotiation/)).toEqual(['Negotiation', '4']);
    const measure = page.getByLabel('Measure');
    const offered = await measure.locator('option').allInnerTexts();
    expect(offered).toContain('Average of amount');
    expect(offered).not.toContain('Median of amount');
    expect(offered).not.toContain('Sum of close date');
    expect(await page.getByLabel('Grouped by').locator('option').allInnerTexts()).toContain('Close date');
    await measure.selectOption({ label: 'Sum of amount' });
    expect((await cells(page, 'Sum of amount', /^Negotiation/))[1]?.replace(/\s+/g, ' ')).toBe('$248,000 €186,000');
    expect(await page.getByRole('button', { name: 'Funnel' }).count()).toBe(0);
    await measure.selectOption({ label: 'Number of deals' });
    await page.getByRole('button', { name: 'Funnel' }).click();
    await page.getByLabel('Grouped by', { exact: true }).selectOption({ label: 'Close date' });
    await page.getByLabel('Grouped by: granularity').selectOption({ label: 'Year' });
    const year = (await page.getByRole('table', { name: 'Number of deals' }).getByRole('row').nth(1).innerText()).split(
      /\s+/,
    );
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv.split('\r\n').slice(0, 2)).toEqual(['Close date,Number of deals', `${year[0]},${year[1]}`]);
    // By keyboard, a point of the line leads to its records.
    await page.getByRole('link', { name: `${year[0]}: ${year[1]}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Close date between/).waitFor();
    await page.getByRole('button', { name: 'Count rows' }).click();
    await page.getByText(`${year[1]} rows`).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('a report is saved for all or for oneself, opened by others, and deleted and back again', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact/report?by=svc_lead_score&chart=bar');
    await page.getByRole('table', { name: 'Number of contacts' }).waitFor();
    const save = async (name: string, isPrivate: boolean) => {
      await page.getByRole('button', { name: 'Save view' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill(name);
      if (isPrivate) await page.getByLabel('Only for me').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
      await part(page, 'Saved views').getByRole('link', { name }).waitFor();
    };
    await save('Leads by score', false);
    await page.goto(`${world.service.url}/console/t/svc_contact/report`);
    await save('For my eyes', true);
    await page.getByRole('link', { name: 'Reports', exact: true }).click();
    const member = await memberWith(await adminOf(world.service, world.orgId), 'Member');
    const other = await world.visit('reports', {}, { email: member.email });
    await part(other.page, 'Saved reports').getByRole('link', { name: 'Leads by score' }).click();
    await other.page.getByRole('table', { name: 'Number of contacts' }).getByRole('row', { name: /^Hot/ }).waitFor();
    await other.page.goBack();
    await part(other.page, 'Saved reports').getByRole('link', { name: 'Leads by score' }).waitFor();
    expect(await other.page.getByText('For my eyes').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete Leads by score' }).click();
    await part(other.page, 'Saved reports')
      .getByRole('link', { name: 'Leads by score' })
      .waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await part(other.page, 'Saved reports').getByRole('link', { name: 'Leads by score' }).waitFor();
    expect([...faults(), ...other.faults()]).toEqual([]);
    await Promise.all([close(), other.close()]);
  });

  test('a table is saved as it is shown, opened from the navigation by others, and changed', async () => {
    const { page, faults, close } = await world.visit('t/svc_company?sort=svc_name:desc&columns=svc_domain');
    await page.getByRole('searchbox').fill('baobab');
    await page.getByRole('row', { name: /Baobab/ }).waitFor();
    await page.getByRole('button', { name: 'Save view' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Trees');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = part(page, 'Saved views').getByRole('link', { name: 'Trees' });
    expect(await saved.getAttribute('aria-current')).toBe('page');
    const member = await memberWith(await adminOf(world.service, world.orgId), 'Member');
    const other = await world.visit('settings/views', {}, { email: member.email });
    await other.page.getByRole('main').getByRole('link', { name: 'Trees' }).click();
    await other.page.getByRole('row', { name: /Baobab/ }).waitFor();
    expect(await other.page.getByRole('columnheader').allInnerTexts()).toEqual(
      await page.getByRole('columnheader').allInnerTexts(),
    );
    // What the other one looks for is not the view of all until it is saved.
    await other.page.getByRole('searchbox').fill('quintal');
    await other.page.getByRole('row', { name: /Quintal/ }).waitFor();
    await other.page.getByRole('button', { name: 'Save view' }).click();
    const changes = other.page.getByRole('dialog');
    expect(await changes.getByLabel('Name').inputValue()).toBe('Trees');
    await changes.getByLabel('Name').fill('Villas');
    await changes.getByRole('button', { name: 'Save changes' }).click();
    await part(page, 'Saved views').getByRole('link', { name: 'Villas' }).click();
    await page.getByRole('row', { name: /Quintal/ }).waitFor();
    await page.getByRole('link', { name: 'Board', exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('villas');
    await page.getByRole('option', { name: /Villas/ }).waitFor();
    expect([...faults(), ...other.faults()]).toEqual([]);
    await Promise.all([close(), other.close()]);
  });

  test('a report has the largest groups and says what is cut; "Show request" asks for what is shown', async () => {
    const { page, faults, close } = await world.visit('t/svc_contact/report?by=svc_last_name&chart=table');
    const table = page.getByRole('table', { name: 'Number of contacts' });
    await table.waitFor();
    const lines = await csvLines(page);
    const counts = lines.slice(1).map((line) => Number(/\d+$/.exec(line)?.[0]));
    expect(counts).toEqual(counts.toSorted((one, other) => other - one));
    // More than an answer has without a limit.
    expect(counts.length).toBeGreaterThan(100);
    const [shown] = await shownRequests(page);
    if (shown === undefined) throw new Error('No request is shown.');
    const { key } = await world.service.createKey(world.orgId);
    expect(await sendShown(key, world.service.url, shown)).toHaveLength(counts.length);

    const dayOf = (index: number) => new Date(index * 86_400_000).toISOString().slice(0, 10);
    const group = (index: number) => ({ key: [dayOf(index)], values: { value: String(9_000 - index) } });
    let pages = 0;
    await page.route('**/svc_contact/records/aggregate/', (route) => {
      const data = Array.from({ length: 1_000 }, (_, index) => group(pages * 1_000 + index));
      pages++;
      return route.fulfill({ json: { data, pagination: { next_cursor: `page-${pages}` }, request_id: 'of-a-page' } });
    });
    await page.goto(`${world.service.url}/console/t/svc_contact/report?by=svc_last_name&chart=bar`);
    await page.getByText(/^There are more than 5,000 groups\. Only the 5,000 largest are shown/).waitFor();
    await page.getByText('The first 40 of 5000 are drawn; the table has all of these.').waitFor();
    expect((await csvLines(page)).length).toBe(5_001);
    expect(pages).toBe(6);
    await page.goto(`${world.service.url}/console/t/svc_contact/report?by=svc_created_at:day&chart=table`);
    await page.getByText(/^There are more than 5,000 groups\. Only the latest 5,000 are shown/).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('of more days than a line has room for, the last ones are drawn, and it says so', async () => {
    const { page, faults, close } = await world.visit('account');
    await page.route('**/svc_contact/records/aggregate/', (route) => {
      const data = ['2026-11-19', '2026-11-18', '1990-01-01'].map((day) => ({ key: [day], values: { value: '3' } }));
      return route.fulfill({ json: { data, pagination: { next_cursor: null }, request_id: 'of-three-days' } });
    });
    await page.goto(`${world.service.url}/console/t/svc_contact/report?by=svc_created_at:day&chart=line`);
    await page.getByText(/^The last 1000 are drawn, from 24 Feb 2024; the table has the earlier ones too/).waitFor();
    expect(await page.getByRole('group').getByRole('link').count()).toBe(2);
    expect(await page.getByRole('table').getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Number of contacts'),
      expect.stringMatching(/1 Jan 1990\s+3/),
      expect.stringMatching(/^18 Nov\b.*\s+3$/),
      expect.stringMatching(/^19 Nov\b.*\s+3$/),
    ]);
    expect(faults()).toEqual([]);
    await close();
  });

  test('time in stage, conversion and age are those of the timers', async () => {
    await trialDeals(world);
    const { page, faults, close } = await world.visit('reports');
    await page.getByRole('button', { name: 'Trials' }).click();
    const time = 'Time in stage';
    await page
      .getByRole('table', { name: time })
      .getByRole('row', { name: /^Trial one/ })
      .waitFor();
    expect(await cells(page, time, /^Trial one/)).toEqual(['Trial one', '6 d', '4']);
    expect(await cells(page, time, /^Trial two/)).toEqual(['Trial two', '20 d', '1']);
    const conversion = 'Conversion from stage to stage';
    expect(await cells(page, conversion, /^Trial one/)).toEqual(['Trial one', '5']);
    expect(await cells(page, conversion, /^Trial two/)).toEqual(['Trial two', '3', '60%']);
    expect(await cells(page, conversion, /^Trial done/)).toEqual(['Trial done', '2', '67%']);
    const age = 'Average deal age';
    expect(await cells(page, age, /^Open/)).toEqual(['Open', '15 d', '2']);
    expect(await cells(page, age, /^Won/)).toEqual(['Won', '17 d', '2']);
    expect(await cells(page, age, /^Lost/)).toEqual(['Lost', '2 d', '1']);

    // The files have numbers, and not words.
    const day = 86_400;
    expect(await csvLines(page, part(page, time))).toEqual([
      'Stage,Average time in seconds,Departures',
      `Trial one,${6 * day},4`,
      `Trial two,${20 * day},1`,
    ]);
    expect(await csvLines(page, part(page, conversion))).toEqual([
      'Stage,Reached,From previous stage',
      'Trial one,5,',
      'Trial two,3,0.6',
      'Trial done,2,0.6667',
    ]);
    expect((await csvLines(page, part(page, age))).slice(2)).toEqual([`Won,${17 * day},2`, `Lost,${2 * day},1`]);
    const shown = await shownRequests(page, part(page, conversion).getByRole('button', { name: 'Show request' }));
    expect(shown.map(({ title }) => title)).toEqual(['Trial one', 'Trial two', 'Trial done']);
    const { key } = await world.service.createKey(world.orgId);
    const answers = await Promise.all(shown.map((request) => sendShown(key, world.service.url, request)));
    expect(answers.map(([group]) => group?.values['count'])).toEqual(['5', '3', '2']);

    await page.getByRole('table', { name: conversion }).getByRole('link', { name: 'Trial two' }).click();
    await page.getByText(/^In stage is .*Trial two.*Trial done.* or Time of deal where/).waitFor();
    await page.getByRole('button', { name: 'Count rows' }).click();
    await page.getByText('3 rows').waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('an address that names what is not there gives a report all the same; nothing found is said, and a refusal told', async () => {
    const { page, close } = await world.visit('t/svc_company/report?by=nothing,svc_created_at:eon&measure=sum:nothing');
    await page.getByRole('table', { name: 'Number of companies' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('searchbox').fill('nobody has this');
    await page.getByText('No companies match').waitFor();
    const wrong = encodeURIComponent(JSON.stringify([{ property: 'svc_name', operator: 'gt', value: 'x' }]));
    await page.goto(`${world.service.url}/console/t/svc_company/report?filter=${wrong}`);
    await page
      .getByRole('alert')
      .getByText(/^Request [0-9a-f-]{36}$/)
      .waitFor();
    await close();
  });

  test('both pages, and every form of a report, are readable in both themes and at every width', async () => {
    const { page, faults, close } = await world.visit('account', { reducedMotion: 'reduce' });
    const report = 't/svc_deal/report?by=';
    for (const path of [
      'reports',
      `${report}svc_close_date:month&measure=sum:svc_amount`,
      `${report}%3Esvc_deal_to_deal_pipeline_stage&measure=sum:svc_amount&chart=bar`,
      `${report}%3Esvc_deal_to_deal_pipeline_stage&chart=funnel`,
      `${report}svc_close_date:quarter,%3Esvc_deal_to_deal_pipeline_stage&chart=line`,
      `${report}%3Esvc_deal_to_deal_pipeline_stage,svc_close_date:year&chart=bar`,
    ]) {
      await page.goto(`${world.service.url}/console/${path}`);
      await page.getByRole('table').first().waitFor();
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
      await expectReadable(page, path);
      for (const width of [360, 2_560, 1_280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overhang(page), `${path} at ${width} pixels`).toBe(0);
      }
    }
    expect(faults()).toEqual([]);
    await close();
  });
});
