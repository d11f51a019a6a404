// Reports in a real browser: built from what the field types allow, true, saved and shared, and the ready-made ones.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, overhang } from '../../support/browser/chromium.ts';
import { ConsoleWorld, violations } from '../../support/browser/console-world.ts';
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

  test('time in stage, conversion and age are those of the timers', async () => {
    const admin = await world.administrator();
    const stages = await admin.records('svc_deal_pipeline_stage').query({}).toArray(50);
    const stage = (name: string) => stages.find(({ properties }) => properties['svc_name'] === name)?.id ?? '';
    const [left] = await admin
      .records('svc_stage_timer')
      .aggregate({
        filter: {
          association: 'svc_stage_timer_to_deal_pipeline_stage',
          operator: 'exists',
          target_id: stage('Discovery'),
        },
        aggregations: [{ function: 'count' }, { function: 'avg', property: 'svc_duration_seconds', as: 'seconds' }],
      })
      .toArray(1);
    const days = `${Math.floor(Number(left?.values['seconds']) / 86_400)} d`;
    const [won] = await admin
      .records('svc_deal')
      .aggregate({
        filter: { association: 'svc_deal_to_deal_pipeline_stage', operator: 'exists', target_id: stage('Won') },
        aggregations: [{ function: 'count' }],
      })
      .toArray(1);
    const { page, faults, close } = await world.visit('reports');
    expect(await cells(page, 'Time in stage', /^Discovery/)).toEqual([
      'Discovery',
      days,
      String(left?.values['count']),
    ]);
    const conversion = await cells(page, 'Conversion from stage to stage', /^Won/);
    expect(conversion[1]).toBe(won?.values['count']);
    expect(conversion[2]).toMatch(/^\d+%$/);
    const age = await cells(page, 'Average deal age', /^Won/);
    expect(age[1]).toMatch(/^\d+ d$/);
    await page
      .getByRole('table', { name: 'Conversion from stage to stage' })
      .getByRole('link', { name: 'Won' })
      .click();
    await page.getByText(/^In stage is Won or Time of deal where Time in deal stage is Won$/).waitFor();
    await page.getByRole('button', { name: 'Count rows' }).click();
    await page.getByText(`${conversion[1]} rows`).waitFor();
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

  test('both pages are readable in both themes and at every width, and their parts of the program are small', async () => {
    const { page, faults, close } = await world.visit('account', { reducedMotion: 'reduce' });
    const files = new Map<string, string[]>();
    page.on('request', (request) => {
      const [, name] = /assets\/(reports?-page)-/.exec(request.url()) ?? [];
      if (name !== undefined) files.set(name, [...(files.get(name) ?? []), request.url()]);
    });
    for (const path of ['reports', 't/svc_deal/report?by=svc_close_date:month&measure=sum:svc_amount']) {
      await page.goto(`${world.service.url}/console/${path}`);
      await page.getByRole('table').first().waitFor();
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
        expect(await violations(page), `${path}, ${colorScheme}`).toEqual([]);
      }
      for (const width of [360, 2_560, 1_280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overhang(page), `${path} at ${width} pixels`).toBe(0);
      }
    }
    expect([...files.keys()].toSorted()).toEqual(['report-page', 'reports-page']);
    for (const [name, urls] of files) {
      const sizes = await Promise.all(urls.map(async (url) => gzipSync(await (await fetch(url)).arrayBuffer()).length));
      expect(
        sizes.reduce((sum, size) => sum + size, 0),
        name,
      ).toBeLessThan(60 * 1_024);
    }
    expect(faults()).toEqual([]);
    await close();
  });
});
