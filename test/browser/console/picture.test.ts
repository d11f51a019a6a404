// The pictures of the README and the guide, made from the demo. PICTURE=write replaces those in the repository.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';

interface Picture {
  readonly file: string;
  /** The documents that show it. */
  readonly shownIn: readonly string[];
  readonly path: string;
  readonly size: { readonly width: number; readonly height: number };
  /** Until the page shows what the picture is about. */
  readonly prepare: (page: Page) => Promise<void>;
}

const guideSize = { width: 1_200, height: 720 };
const bytesMost = 200_000;

const pictures: readonly Picture[] = [
  {
    file: 'docs/console-board.png',
    shownIn: ['README.md', 'docs/work-with-deals.md'],
    path: 't/svc_deal/board',
    size: { width: 1_440, height: 900 },
    prepare: (page) => page.getByRole('region', { name: 'Negotiation' }).getByText('$248,000').waitFor(),
  },
  {
    file: 'docs/console-report.png',
    shownIn: ['docs/reports.md'],
    path: 't/svc_deal/report?by=svc_close_date:month&measure=sum:svc_amount&chart=line',
    size: { width: 1_440, height: 900 },
    prepare: (page) => page.getByRole('table', { name: 'Sum of amount' }).getByRole('row').nth(4).waitFor(),
  },
  {
    file: 'docs/import-a-spreadsheet.png',
    shownIn: ['docs/import-a-spreadsheet.md'],
    path: 't/svc_contact/import',
    size: guideSize,
    prepare: async (page) => {
      const lines = [
        'First name,Last name,Email,Company,Job start date,Internal remark',
        'Lena,Holm,lena@nordlys.example,Nordlys,3/1/2026,Met in Oslo',
        'Tom,Reed,tom@tidewater.example,Tidewater,14/2/2026,',
      ];
      await page
        .getByLabel('Choose a file')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
      await page.getByRole('table', { name: 'Columns' }).waitFor();
    },
  },
  {
    file: 'docs/invite-a-colleague.png',
    shownIn: ['docs/invite-a-colleague.md'],
    path: 'settings/members',
    size: guideSize,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Add a colleague' }).click();
      const form = page.getByRole('dialog', { name: 'Add a colleague' });
      await form.getByLabel(/^Email/).fill('grace@orrery.example');
      await form.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    },
  },
  {
    file: 'docs/add-a-property.png',
    shownIn: ['docs/add-a-property.md'],
    path: 'settings/types/svc_deal',
    size: guideSize,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New property' }).click();
      const form = page.getByRole('dialog', { name: 'New property' });
      await form.getByLabel('Field type').selectOption({ label: 'Choice' });
      await form.getByLabel('Options').fill('Finance\nManagement');
      await form.getByLabel('Label', { exact: true }).fill('Budget approved by');
    },
  },
];

/** The width and height that a PNG says it has. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

describe.skipIf(browserPath === undefined)('the pictures of the documents', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  test.for(pictures)('$file shows the demo, and is small', async ({ file, path, size, prepare }) => {
    const { page, faults, close } = await world.visit(path, {
      viewport: size,
      locale: 'en-US',
      reducedMotion: 'reduce',
    });
    await page.getByText('Live', { exact: true }).waitFor();
    await prepare(page);
    await page.evaluate('document.fonts.ready.then(() => true)');
    const png = await page.screenshot();
    expect(sizeOf(png)).toEqual(size);
    expect(png.length).toBeLessThan(bytesMost);
    if (process.env['PICTURE'] === 'write') writeFileSync(file, png);
    expect(faults()).toEqual([]);
    await close();
  });

  test.for(pictures)('$file is in the repository, and is shown', ({ file, shownIn, size }) => {
    const png = readFileSync(file);
    expect(sizeOf(png)).toEqual(size);
    expect(png.length).toBeLessThan(bytesMost);
    for (const document of shownIn) {
      const address = document.startsWith('docs/') ? file.slice('docs/'.length) : file;
      expect(readFileSync(document, 'utf8')).toContain(`](${address})`);
    }
  });
});
