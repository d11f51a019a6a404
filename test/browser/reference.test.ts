// The documentation in a real browser: the reference shows every operation and calls the service with the reader's key,
// the guide needs no script, and no other host is contacted.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageNames } from '../../scripts/site/guide.ts';
import { operations } from '../../src/operations/all.ts';
import { browserPath, openPage, overhang, startBrowser } from '../support/browser/chromium.ts';
import { startService, type TestService } from '../support/service.ts';

const absent = browserPath === undefined;
if (absent) process.stderr.write('The browser check is skipped: there is no Chromium on this machine.\n');

test('a browser is installed if the check is required', () => {
  const required = process.env['BROWSER_CHECK'] === 'required';
  expect(required && absent, 'Install it: apt-get install chromium').toBe(false);
});

// Chromium is slow on a busy machine.
describe.skipIf(absent)('in Chromium', () => {
  let browser: Browser;
  let service: TestService;
  beforeAll(async () => {
    // The document names another address; the reader's key must not go there.
    const settings = { publicUrl: 'https://crm.example.com' };
    [browser, service] = await Promise.all([startBrowser(), startService({ settings })]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  test('a reader sees all operations, authorizes with a key, and calls getSelf and createRecord', async () => {
    const client = await service.newClient();
    const { page, faults, requests, close } = await openPage(browser, service.url);
    // A link to an operation opens it.
    await page.goto(`${service.url}/docs/#/Service/getSelf`);
    expect(await shownOperations(page)).toEqual(operations.map(({ id }) => id).toSorted());
    for (const text of ['Guide', 'Reference', 'Errors', 'openapi.json']) {
      expect(await page.locator('header').getByText(text, { exact: true }).count(), text).toBe(1);
    }
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const modal = page.locator('.modal-ux');
    await modal.locator('input').fill(client.key ?? '');
    await modal.getByRole('button', { name: 'Apply credentials' }).click();
    await modal.getByRole('button', { name: 'Close' }).click();

    expect(await execute(page, 'getSelf')).toMatch(/^200[\s\S]*principal_id/);
    await page.locator('[id$="-createRecord"] button').first().click();
    // A reader first tries the document's own example unchanged.
    const created = await execute(page, 'createRecord');
    expect(created).toMatch(/^201/);
    const type = /"object_type": "(\w+)"/.exec(created)?.[1] ?? '';
    const id = /"id": "([^"]+)"/.exec(created)?.[1] ?? '';
    expect(await client.get(`/objects/${type}/records/${id}/`)).toMatchObject({ status: 200 });

    const called = requests.filter(({ pathname }) => pathname.startsWith('/rest/'));
    expect(called.map(({ origin }) => origin)).toEqual(Array(3).fill(service.url));
    expect(faults).toEqual([]);
    // The key is gone with the page.
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain(client.key);
    await close();
  });

  test('the reference follows the dark mode of the reader, fits a small screen, and contacts no other host', async () => {
    const { page, faults, close } = await openPage(browser, service.url, { ...small, colorScheme: 'dark' });
    await page.goto(`${service.url}/docs/`);
    await page.locator('.opblock').first().waitFor();
    expect(await backgroundOf(page)).toBe('rgb(20, 24, 27)');
    expect(await page.locator('html.dark-mode').count()).toBe(1);
    // The widest part: an operation with a body, its parameters, its answers and their examples.
    await page.locator('[id$="-queryRecords"] button').first().click();
    await page.locator('[id$="-queryRecords"] .responses-wrapper').waitFor();
    expect(await overhang(page)).toBe(0);
    expect(faults).toEqual([]);
    const sent = await page.evaluate(`fetch('https://orrery.example/').then(() => 'sent', () => 'refused')`);
    expect(sent).toBe('refused');
    await expect.poll(() => faults.join('\n')).toContain(`Policy directive: "connect-src 'self'"`);
    await close();
  });

  test('the guide leads from page to page without a script, in light and dark mode and at both widths', async () => {
    const { page, faults, close } = await openPage(browser, service.url);
    await page.goto(`${service.url}/docs/${pageNames[0]}/`);
    for (const [index, name] of pageNames.entries()) {
      expect(new URL(page.url()).pathname).toBe(`/docs/${name}/`);
      expect(await page.locator('main h1').count(), name).toBe(1);
      expect(await page.locator('script').count(), name).toBe(0);
      expect(await page.locator('.contents a').count(), name).toBeGreaterThan(0);
      for (const [colorScheme, size, paper] of [
        ['light', { width: 1280, height: 800 }, 'rgb(253, 252, 250)'],
        ['dark', small.viewport, 'rgb(20, 24, 27)'],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        expect(await overhang(page), `${name} at ${size.width}`).toBe(0);
        expect(await backgroundOf(page)).toBe(paper);
      }
      if (index < pageNames.length - 1) await page.locator('a[rel="next"]').click();
    }
    expect(await page.locator('a[rel="next"]').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});

const small = { viewport: { width: 360, height: 740 } };

async function shownOperations(page: Page): Promise<readonly string[]> {
  await page.locator('.opblock').first().waitFor();
  const ids = await page.evaluate<readonly string[]>(`[...document.querySelectorAll('.opblock')].map(({ id }) => id)`);
  return ids.map((id) => id.replace(/^.*-/, '')).toSorted();
}

/** Tries an operation that is already open; returns the status and the answer as shown. */
async function execute(page: Page, id: string): Promise<string> {
  const operation = page.locator(`[id$="-${id}"]`);
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  return operation.locator('.live-responses-table .response').innerText();
}

function backgroundOf(page: Page): Promise<string> {
  return page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
}
