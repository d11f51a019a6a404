// The picture of the board in the README, made from the demo. PICTURE=write replaces the one in the repository.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';

const file = 'docs/console-board.png';
const size = { width: 1_440, height: 900 };
const bytesMost = 200_000;

/** The width and height that a PNG says it has. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

describe.skipIf(browserPath === undefined)('the picture of the README', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  test('shows the board of the demo, and is small', async () => {
    const { page, faults, close } = await world.visit('t/svc_deal/board', { viewport: size, locale: 'en-US' });
    await page.getByRole('region', { name: 'Negotiation' }).getByText('$248,000').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate('document.fonts.ready.then(() => true)');
    const png = await page.screenshot();
    expect(sizeOf(png)).toEqual(size);
    expect(png.length).toBeLessThan(bytesMost);
    if (process.env['PICTURE'] === 'write') writeFileSync(file, png);
    expect(faults()).toEqual([]);
    await close();
  });

  test('is in the repository', () => {
    const png = readFileSync(file);
    expect(sizeOf(png)).toEqual(size);
    expect(png.length).toBeLessThan(bytesMost);
    expect(readFileSync('README.md', 'utf8')).toContain(`](${file})`);
  });
});
