// The board in a real browser: cards moved by pointer, keyboard and menu, two people at once, and stages of every kind.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';

describe.skipIf(browserPath === undefined)('the board', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  const column = (page: Page, stage: string) => page.getByRole('region', { name: stage, exact: true });
  const card = (page: Page, stage: string, title: string) => column(page, stage).getByRole('listitem', { name: title });

  test('a card that one person moves, moves for the other within a second', async () => {
    const one = await world.visit('t/svc_deal/board');
    const other = await world.visit('t/svc_deal/board');
    await card(one.page, 'Discovery', 'Customs documents').waitFor();
    await card(other.page, 'Discovery', 'Customs documents').waitFor();
    await other.page.getByText('Live', { exact: true }).waitFor();
    await card(one.page, 'Discovery', 'Customs documents')
      .getByRole('button', { name: 'Move Customs documents' })
      .click();
    await one.page.getByRole('menuitem', { name: 'Proposal' }).click();
    await card(one.page, 'Proposal', 'Customs documents').waitFor();
    await card(other.page, 'Proposal', 'Customs documents').waitFor();
    // Only once, and not where it was.
    await expect.poll(() => other.page.getByRole('listitem', { name: 'Customs documents' }).count()).toBe(1);
    // By keyboard, back again: the bar says what will happen.
    await card(other.page, 'Proposal', 'Customs documents').focus();
    await other.page.keyboard.press('Space');
    await other.page.keyboard.press('ArrowLeft');
    await other.page.getByText('Move Customs documents to Discovery').waitFor();
    await other.page.keyboard.press('Enter');
    await card(one.page, 'Discovery', 'Customs documents').waitFor();
    // Escape puts a card back.
    await card(one.page, 'Discovery', 'Customs documents').focus();
    for (const key of ['Space', 'ArrowRight', 'Escape']) await one.page.keyboard.press(key);
    await card(one.page, 'Discovery', 'Customs documents').waitFor();
    expect([...one.faults(), ...other.faults()]).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });

  test('a card is dragged, the move is undone, and counts and sums follow', async () => {
    const { page, faults, close } = await world.visit('t/svc_deal/board');
    const title = 'Showroom bookings';
    await card(page, 'Discovery', title).waitFor();
    await column(page, 'Proposal').getByText('$312,500').waitFor();
    await card(page, 'Discovery', title).dragTo(column(page, 'Proposal'));
    await card(page, 'Proposal', title).waitFor();
    await column(page, 'Proposal').getByText('€6,200').first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await card(page, 'Discovery', title).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('a filter that leaves nothing leaves the columns; a stage folds and opens', async () => {
    const { page, close } = await world.visit('t/svc_deal/board');
    await page.getByRole('searchbox', { name: 'Search deals' }).fill('nobody has this');
    await column(page, 'Discovery').getByText('Nothing here').waitFor();
    await page.getByRole('searchbox', { name: 'Search deals' }).fill('');
    await card(page, 'Discovery', 'Pump inspections').waitFor();
    await column(page, 'Lost').getByRole('button').click();
    await column(page, 'Lost').getByRole('listitem').first().waitFor();
    await column(page, 'Lost').getByRole('button', { name: 'Fold Lost' }).click();
    await close();
  });

  test('a card whose stage is in no pipeline, a card without a stage, and a new stage are all seen', async () => {
    const admin = await world.administrator();
    const { data: stage } = await admin.records('svc_deal_pipeline_stage').create({ svc_name: 'Adrift' });
    await admin
      .records('svc_deal')
      .create(
        { svc_name: 'In a stage without a pipeline' },
        { associations: [{ association_type: 'svc_deal_to_deal_pipeline_stage', target_id: stage.id }] },
      );
    await admin.records('svc_deal').create({ svc_name: 'Without a stage' });
    const { page, close } = await world.visit('t/svc_deal/board');
    await card(page, 'Other stages', 'In a stage without a pipeline').waitFor();
    await card(page, 'No stage', 'Without a stage').waitFor();
    // A stage that is made elsewhere is here without a reload.
    const pipeline = (await admin.records('svc_deal_pipeline').query({}).toArray(10)).find(
      ({ properties }) => properties['svc_name'] === 'Sales',
    );
    await admin.records('svc_deal_pipeline_stage').create(
      { svc_name: 'Legal review', svc_position: '35' },
      {
        associations: [{ association_type: 'svc_deal_pipeline_stage_to_deal_pipeline', target_id: pipeline?.id ?? '' }],
      },
    );
    await column(page, 'Legal review').waitFor();
    await card(page, 'No stage', 'Without a stage').getByRole('button', { name: 'Move Without a stage' }).click();
    await page.getByRole('menuitem', { name: 'Legal review' }).click();
    await card(page, 'Legal review', 'Without a stage').waitFor();
    await close();
  });

  test('the other pipeline has its own board, and a card is a link', async () => {
    const { page, close } = await world.visit('t/svc_deal/board');
    await page.getByRole('combobox', { name: 'Pipeline' }).selectOption({ label: 'Renewals' });
    await card(page, 'Due', 'Renewal: support desk').waitFor();
    expect(page.url()).toContain('pipeline=');
    await page.getByRole('link', { name: 'Renewal: support desk' }).click();
    await page.getByRole('heading', { level: 1, name: 'Renewal: support desk' }).waitFor();
    await page.goBack();
    await card(page, 'Due', 'Renewal: support desk').waitFor();
    await close();
  });

  test('on a phone one stage is shown at a time, and a card is moved from a sheet', async () => {
    const { page, faults, close } = await world.visit('t/svc_deal/board', { viewport: { width: 390, height: 844 } });
    await card(page, 'Qualification', 'Starter plan').waitFor();
    expect(await column(page, 'Discovery').isVisible()).toBe(false);
    await page.getByRole('button', { name: /^Discovery/ }).click();
    await card(page, 'Discovery', 'Pump inspections').getByRole('button', { name: 'Move Pump inspections' }).click();
    await page.getByRole('menuitem', { name: 'Negotiation' }).click();
    await page.getByRole('button', { name: /^Negotiation/ }).click();
    await card(page, 'Negotiation', 'Pump inspections').waitFor();
    expect(faults()).toEqual([]);
    await close();
  });
});
