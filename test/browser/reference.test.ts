// The documentation in a real browser: it can be read without a script, it is searched and its requests are sent with the
// reader's key, axe finds nothing, and no other host is contacted.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageNames } from '../../scripts/site/guide.ts';
import { operations } from '../../src/operations/all.ts';
import { browserPath, openPage, overhang, startBrowser } from '../support/browser/chromium.ts';
import { allButColours, type ChosenRules, violations } from '../support/browser/violations.ts';
import { startService, type TestService } from '../support/service.ts';

const absent = browserPath === undefined;
if (absent) process.stderr.write('The browser check is skipped: there is no Chromium on this machine.\n');

test('a browser is installed if the check is required', () => {
  const required = process.env['BROWSER_CHECK'] === 'required';
  expect(required && absent, 'Install it: apt-get install chromium').toBe(false);
});

const small = { width: 390, height: 844 };
const wide = { width: 1280, height: 800 };

// Chromium is slow on a busy machine.
describe.skipIf(absent)('in Chromium', () => {
  let browser: Browser;
  let service: TestService;
  beforeAll(async () => {
    // The examples name another address; the reader's key must not go there.
    const settings = { publicUrl: 'https://crm.example.com' };
    [browser, service] = await Promise.all([startBrowser(), startService({ settings })]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  test('everything is read without a script: the overview, every operation, the guide, and examples in each language', async () => {
    const { page, faults, close } = await openPage(browser, service.url, { javaScriptEnabled: false, viewport: small });
    await page.goto(`${service.url}/docs/`);
    expect(await page.locator('.operations a').count()).toBe(operations.length);
    const read: string[] = [];
    for (;;) {
      const { pathname } = new URL(page.url());
      read.push(pathname);
      expect(await page.locator('main h1').count(), pathname).toBe(1);
      expect(await overhang(page), pathname).toBe(0);
      const next = page.locator('a[rel="next"]');
      if ((await next.count()) === 0) break;
      await next.click();
      await page.waitForURL((url) => url.pathname !== pathname);
    }
    const own = operations.map(({ id }) => `/docs/reference/${id}/`);
    expect(read.toSorted()).toEqual(['/docs/', '/docs/reference/object-types/', ...own].toSorted());

    await page.goto(`${service.url}/docs/reference/createRecord/`);
    const shown = () => page.locator('.examples > figure[data-language]:visible code').first().innerText();
    expect(await shown()).toMatch(/^curl -X POST https:\/\/crm\.example\.com\/rest\/v1\//);
    await page.locator('.languages input[value="python"]').check();
    expect(await shown()).toMatch(/^import os\n\nimport requests/);
    expect(await page.locator('details.try').isVisible()).toBe(false);
    // The list of pages opens without a script, and closes with Escape.
    const list = page.getByRole('navigation', { name: 'Pages' });
    expect(await list.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Pages' }).click();
    await list.getByRole('link', { name: 'Quick start' }).click();
    expect(new URL(page.url()).pathname).toBe('/docs/quick-start/');
    expect(faults).toEqual([]);
    await close();
  });

  test('a reader enters a wrong key and a right one, reads, tries a write as a dry run, and writes', async () => {
    const client = await service.newClient();
    const { page, faults, requests, close } = await openPage(browser, service.url);
    // Links to operations in the reference of former releases go on to work.
    await page.goto(`${service.url}/docs/#/Service/getSelf`);
    await page.waitForURL(`${service.url}/docs/reference/getSelf/`);
    await page.getByText('Try it', { exact: true }).click();
    const send = page.locator('form.request button[type="submit"]');
    await send.click();
    expect(await page.locator('.result').innerText()).toBe('Enter your key above first, and choose “Use key”.');
    const state = page.locator('#key-state');
    for (const [key, told] of [
      ['svc_live_0000000000_wrong', 'This key was not accepted. '],
      ['schlüssel', 'A key has only letters, digits and underscores'],
      ['', 'Enter a key.'],
    ] as const) {
      await useKey(page, key);
      await expect.poll(() => state.innerText()).toContain(told);
      expect(await stored(page)).toEqual({});
    }
    await useKey(page, client.key ?? '');
    await expect.poll(() => state.innerText()).toMatch(/^The key “test” of org \d+ works\./);
    await send.click();
    await expect.poll(() => page.locator('.answered').innerText()).toMatch(/^200 OK/);
    await page.locator('.result summary').click();
    expect(await page.locator('.result').innerText()).toMatch(/ratelimit: "org"[\s\S]*"principal_id": "/);

    // The key is kept for the tab; the form has the example.
    await page.goto(`${service.url}/docs/reference/createRecord/#try`);
    expect(await state.innerText()).toBe('Your key is kept until you close this tab.');
    expect(await send.innerText()).toBe('Send as dry run');
    await send.click();
    await expect
      .poll(() => page.locator('.answered').innerText())
      .toMatch(/^201 Created.*Dry run: nothing was stored$/);
    const deals = async () => (await client.get('/objects/svc_deal/records/')).body.data.length as number;
    expect(await deals()).toBe(0);
    await page.locator('[name="dry-run"]').uncheck();
    expect(await send.innerText()).toBe('Send and store');
    await send.click();
    await expect.poll(() => page.locator('.answered').innerText()).toMatch(/^201 Created(?!.*Dry run)/);
    expect(await deals()).toBe(1);

    // An example is chosen, and a body that is no JSON is not sent.
    await page.locator('#try-example').selectOption({ index: 2 });
    expect(await page.locator('#try-object_type').inputValue()).toBe('svc_contact');
    await page.locator('#try-body').fill('{"properties": }');
    const before = requests.length;
    await send.click();
    expect(await page.locator('.result').innerText()).toContain('The body is not valid JSON');
    expect(requests.length).toBe(before);

    // A record of the org stands in for the one of the example.
    await page.goto(`${service.url}/docs/reference/deleteRecord/#try`);
    await page.locator('#try-object_type').fill('svc_deal');
    await page.locator('[data-find="id"]').click();
    await expect.poll(() => page.locator('#try-id').inputValue()).toMatch(/^[0-9a-f-]{36}$/);
    await send.click();
    await expect.poll(() => page.locator('.answered').innerText()).toMatch(/^200 OK.*nothing was stored$/);
    expect(await deals()).toBe(1);
    await page.locator('#try-object_type').fill('nothing');
    await send.click();
    await expect.poll(() => page.locator('.answered').innerText()).toMatch(/^404/);
    expect(await page.locator('.result').innerText()).toContain('"reason": "object_type_unknown"');

    // Only the refused requests are faults, and no other host knows the key.
    expect(faults.map((fault) => fault.replace(/^.*status of (\d+) .*$/, '$1'))).toEqual(['401', '404']);
    expect(await stored(page)).toEqual({ 'orrery.docs.key': client.key });
    expect(await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie')).not.toContain(client.key);
    const foreign = await page.evaluate(`fetch('https://orrery.example/').then(() => 'sent', () => 'refused')`);
    expect(foreign).toBe('refused');
    await expect.poll(() => faults.join('\n')).toContain(`Policy directive: "connect-src 'self'"`);
    await close();
  });

  test('the search finds operations, properties, codes and the guide, by keyboard alone', async () => {
    const { page, faults, requests, close } = await openPage(browser, service.url);
    await page.goto(`${service.url}/docs/`);
    const indexes = () => requests.filter(({ pathname }) => pathname.includes('/search.')).length;
    expect(indexes()).toBe(0);
    await page.keyboard.press('/');
    await expect.poll(indexes).toBe(1);
    const found = page.locator('.found');
    for (const [search, kind, title] of [
      ['create rec', 'Operation', 'Create a record'],
      ['svc_email', 'Property', 'svc_email'],
      ['group_by', 'Member', 'group_by'],
      ['not_found', 'Code', 'not_found'],
      ['cursor exp', 'Reason', 'cursor_expired'],
      ['quick', 'Guide', 'Quick start'],
    ] as const) {
      await page.keyboard.press('Control+A');
      await page.keyboard.type(search);
      await expect.poll(() => found.locator('a').first().locator('b').innerText()).toBe(title);
      expect(await found.locator('a').first().locator('.result-kind').innerText()).toBe(kind);
    }
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('zyxw');
    await expect.poll(() => found.innerText()).toBe('Nothing found for “zyxw”.');
    await page.keyboard.press('Escape');
    expect(await found.isVisible()).toBe(false);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('svc_email');
    await expect.poll(() => found.locator('a').count()).toBeGreaterThan(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/docs/reference/object-types/#svc_contact.svc_email`);
    expect(indexes()).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });

  test('axe finds nothing on any page, and nothing hangs over', async () => {
    const { page, faults, close } = await openPage(browser, service.url);
    const own = operations.map(({ id }) => `/docs/reference/${id}/#try`);
    const guide = pageNames.map((name) => `/docs/${name}/`);
    const places = ['/docs/', '/docs/reference/object-types/', ...own, ...guide, '/nowhere'];
    // Together they have all that pages are made of, and so all colours. The others have the same frame.
    const wholly = new Set(['/docs/', '/docs/reference/queryRecords/#try', '/docs/filters/', '/nowhere']);
    for (const [index, place] of places.entries()) {
      await page.goto(`${service.url}${place}`);
      if (guide.includes(place)) expect(await page.locator('.contents a').count(), place).toBeGreaterThan(0);
      if (wholly.has(place)) await examine(page, looks);
      else await examine(page, looks.slice(index % 2).slice(0, 1), { rules: allButColours, within: 'main' });
    }
    expect(faults.map((fault) => fault.replace(/^.*status of (\d+) .*$/, '$1'))).toEqual(['404']);
    await close();
  });

  test('axe finds nothing in what a sent request shows: a missing key, an answer and a problem', async () => {
    const { page, close } = await openPage(browser, service.url);
    await page.goto(`${service.url}/docs/reference/getObjectType/#try`);
    const send = page.locator('form.request button[type="submit"]');
    await send.click();
    expect(await page.locator('.failed').isVisible()).toBe(true);
    await examine(page, looks, { within: 'details.try' });
    await useKey(page, (await service.newClient()).key ?? '');
    await expect.poll(() => page.locator('#key-state').innerText()).toMatch(/ works\./);
    for (const [type, status] of [
      ['svc_deal', '200'],
      ['nothing', '404'],
    ] as const) {
      await page.locator('#try-object_type').fill(type);
      await send.click();
      await expect.poll(() => page.locator('.answered .status').innerText()).toContain(status);
      await examine(page, looks, { within: 'details.try' });
    }
    await close();
  });

  test('the code of the guide is copied, and on paper there is its text alone', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, faults, close } = await openPage(browser, service.url, { viewport: small, permissions });
    await page.goto(`${service.url}/docs/quick-start/`);
    const figure = page.locator('figure.code').filter({ hasText: 'ORRERY_URL=' }).first();
    await figure.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain('export ORRERY_KEY=$(');
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('https://crm.example.com}\n');

    await page.emulateMedia({ media: 'print' });
    for (const part of ['header.top', '.pages', '.contents', '.copy', '.skip']) {
      expect(await page.locator(part).first().isVisible(), part).toBe(false);
    }
    expect(await figure.isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  test('the code of an operation is copied, and on paper its page is all open, without what can only be pressed', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, faults, close } = await openPage(browser, service.url, { permissions });
    await page.goto(`${service.url}/docs/reference/createRecord/`);
    const sample = page.locator('.examples > figure[data-language="sh"]').first();
    await sample.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => sample.getByRole('button').innerText()).toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await sample.locator('code').innerText());

    const pressed = ['details.try', '.languages', '.copy', '.search'];
    const folded = [
      '.problems .fold .reasons',
      '#body-associations + .nested table',
      '.another figure:not([data-language])',
    ];
    const seen = (parts: readonly string[]) => Promise.all(parts.map((part) => page.locator(part).first().isVisible()));
    expect(await seen(pressed)).toEqual(pressed.map(() => true));
    expect(await seen(folded)).toEqual(folded.map(() => false));
    await page.emulateMedia({ media: 'print' });
    expect(await seen(pressed)).toEqual(pressed.map(() => false));
    expect(await seen(folded)).toEqual(folded.map(() => true));
    // The script does the same for browsers whose styles cannot, and closes it all again.
    await page.emulateMedia({ media: 'screen' });
    const print = (event: string) => page.evaluate(`dispatchEvent(new Event('${event}'))`);
    await print('beforeprint');
    expect(await seen(folded)).toEqual(folded.map(() => true));
    await print('afterprint');
    expect(await seen(folded)).toEqual(folded.map(() => false));
    expect(faults).toEqual([]);
    await close();
  });
});

/** Each theme at one of the widths. */
const looks = [
  { colorScheme: 'light', size: wide, paper: 'rgb(255, 255, 255)' },
  { colorScheme: 'dark', size: small, paper: 'rgb(20, 21, 25)' },
] as const;

/** The page as it is, with everything open. */
async function examine(page: Page, wanted: readonly (typeof looks)[number][], chosen: ChosenRules = {}): Promise<void> {
  await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
  for (const { size } of looks) {
    await page.setViewportSize(size);
    expect(await overhang(page), `${page.url()} at ${size.width}`).toBe(0);
  }
  if (chosen.within !== undefined) await page.evaluate(withoutTheSame(chosen.within));
  for (const { colorScheme, size, paper } of wanted) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(size);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(paper);
    expect(await violations(page, chosen), `${page.url()} ${colorScheme}`).toEqual([]);
  }
}

/**
 * Axe reads every element of a page, whatever part it examines. Most of them are the same on each page, which are examined
 * where pages are examined wholly: the frame, and the colours of samples.
 */
const withoutTheSame = (part: string) => `
  for (const frame of document.querySelectorAll('header.top, .pages')) frame.replaceChildren();
  for (const code of document.querySelectorAll('pre code'))
    if (code.closest('.result') === null) code.textContent = code.textContent;
  if (document.querySelector('${part}') === null) throw new Error('The page has no ${part}.');`;

async function useKey(page: Page, key: string): Promise<void> {
  await page.locator('#try-key').fill(key);
  await page.getByRole('button', { name: 'Use key' }).click();
}

function stored(page: Page): Promise<unknown> {
  return page.evaluate('({ ...sessionStorage })');
}
