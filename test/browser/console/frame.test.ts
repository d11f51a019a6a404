// The frame of the console in a real browser: navigation, search over everything, themes, every width, and what axe finds.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, overhang } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';
import { expectReadable } from '../../support/browser/violations.ts';

describe.skipIf(browserPath === undefined)('the frame', () => {
  let world: ConsoleWorld;
  let record: string;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
    const admin = await world.administrator();
    const [deal] = await admin.records('svc_deal').query({ search: 'warehouses' }).toArray(1);
    record = `t/svc_deal/r/${deal?.id}`;
  });
  afterAll(() => world.close());

  const everyPage = () => ['t/svc_contact', 't/svc_deal/board', record, 'account'];

  test('entries are links by type, and the org is named', async () => {
    const { page, faults, close } = await world.visit('');
    const navigation = page.getByRole('navigation').first();
    await navigation.getByText('Demo', { exact: true }).waitFor();
    for (const [name, path] of [
      ['Companies', 't/svc_company'],
      ['Subscriptions', 't/subscription'],
      ['Meetings', 't/svc_meeting'],
    ] as const) {
      const entry = navigation.getByRole('link', { name, exact: true });
      expect(await entry.getAttribute('href')).toBe(`/console/${path}`);
      await entry.click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      expect(await entry.getAttribute('aria-current')).toBe('page');
    }
    await navigation.getByRole('button', { name: /^All \d+ types/ }).click();
    await navigation.getByRole('link', { name: 'Deal Pipelines' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deal Pipelines' }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('Ctrl-K finds a record, a page, and something to do', async () => {
    const { page, close } = await world.visit('t/svc_company');
    await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
    const find = async (words: string, option: RegExp) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill(words);
      await page.getByRole('option', { name: option }).first().waitFor();
      for (let steps = 0; steps < 20; steps++) {
        if (option.test((await page.getByRole('option', { selected: true }).innerText()).replace(/\s+/g, ' '))) break;
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Enter');
    };
    await find('waalhaven', /Slot planning for the Waalhaven site.*Deal/);
    await page.getByRole('heading', { level: 1, name: 'Slot planning for the Waalhaven site' }).waitFor();
    await find('contacts', /^Contacts.*Table/);
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
    await find('new company', /New company/);
    await page.getByRole('dialog', { name: 'New company' }).getByLabel(/^Name/).fill('Made by keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Made by keyboard' }).waitFor();
    await find('dark', /Theme: Dark/);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await close();
  });

  test('the first load is small, comes from this host alone, and is kept by the browser', async () => {
    const { page, close } = await world.visit('account', {}, { isAlone: true });
    const asked: URL[] = [];
    page.on('request', (request) => asked.push(new URL(request.url())));
    await page.goto(`${world.service.url}/console/t/svc_contact`);
    await page.getByRole('row').nth(1).waitFor();
    expect([...new Set(asked.map(({ origin }) => origin))]).toEqual([world.service.url]);
    const own = asked.filter(({ pathname }) => pathname.startsWith('/console/'));
    expect(own.length).toBeGreaterThan(3);
    let bytes = 0;
    for (const { href, pathname } of own) {
      const file = await fetch(href);
      if (pathname.includes('/assets/')) expect(file.headers.get('cache-control'), pathname).toContain('immutable');
      if (!pathname.endsWith('.woff2')) bytes += gzipSync(await file.arrayBuffer()).length;
    }
    expect(bytes).toBeLessThan(160 * 1_024);
    await close();
  });

  test('axe finds nothing on any page, in either theme, and nothing hangs over at any width', async () => {
    const { page, faults, close } = await world.visit('', { reducedMotion: 'reduce' });
    const check = (what: string) => expectReadable(page, what);
    for (const path of everyPage()) {
      await page.goto(`${world.service.url}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      await check(path);
      for (const width of [360, 768, 2_560, 1_280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overhang(page), `${path} at ${width} pixels`).toBe(0);
      }
    }
    await page.goto(`${world.service.url}/console/t/svc_contact`);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Where' }).selectOption({ label: 'Job title' });
    await check('filter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New contact' }).click();
    await check('new');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await check('palette');
    expect(faults()).toEqual([]);
    await close();
  });

  test('on a phone the navigation opens, a type is chosen, and it closes', async () => {
    const { page, close } = await world.visit('t/svc_contact', { viewport: { width: 390, height: 844 } });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Notes' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor();
    await page.getByRole('navigation', { name: 'Records' }).getByRole('link', { name: 'Deals' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deals' }).waitFor();
    await page.getByRole('link', { name: 'Starter plan' }).first().click();
    await page.getByRole('button', { name: 'Properties', exact: true }).click();
    await page.getByRole('button', { name: /Edit amount/ }).waitFor();
    await close();
  });
});
