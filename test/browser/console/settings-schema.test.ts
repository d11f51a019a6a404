// The settings in a real browser, as somebody shapes an org: types, properties, options, associations, pipelines and stages; and what
// every page of the settings promises.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, overhang } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';
import { expectReadable } from '../../support/browser/violations.ts';

/** A refusal that the test asks for is an error in the browser's own list. */
function surprising(faults: readonly string[]): readonly string[] {
  return faults.filter((fault) => !/responded with a status of 4(09|22)/.test(fault));
}

describe.skipIf(browserPath === undefined)('the settings of the schema', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  const choose = async (page: Page, title: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${title}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const titles = (page: Page, list: string) =>
    page.getByRole('list', { name: list }).locator('.ordered-title').allInnerTexts();

  test('a type with a select property is made, used at once, and deleted when it has no records', async () => {
    const { page, faults, close } = await world.visit('settings/types');
    await page.getByRole('button', { name: 'New type' }).click();
    const form = page.getByRole('dialog', { name: 'New type' });
    await form.getByLabel('Label', { exact: true }).fill('Lighthouse');
    await form.getByLabel(/^Plural label/).fill('Lighthouses');
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('lighthouse');
    await form.getByRole('button', { name: 'Make type' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lighthouses' }).waitFor();
    await page.getByRole('button', { name: 'New property' }).click();
    const property = page.getByRole('dialog', { name: 'New property' });
    await property.getByLabel('Label', { exact: true }).fill('Light');
    await property.getByLabel('Field type').selectOption({ label: 'Choice' });
    await property.getByLabel('Options').fill('Fixed\nFlashing\n');
    await property.getByRole('button', { name: 'Make property' }).click();
    await choose(page, 'Light', 'Options');
    const options = page.getByRole('dialog', { name: 'Options of Light' });
    // By keyboard from the handle: the last becomes the first.
    await options.getByRole('button', { name: 'Move Flashing' }).focus();
    for (const key of ['Space', 'ArrowUp', 'Space']) await page.keyboard.press(key);
    await page.getByText('Order saved').first().waitFor();
    expect(await titles(page, 'Options of Light')).toEqual(['Flashing', 'Fixed']);
    await options.getByRole('button', { name: 'Close' }).last().click();
    // The next page has the type, its form the property, and the property the options in their order.
    await page.getByRole('link', { name: 'Open table' }).click();
    await page.getByRole('button', { name: 'New lighthouse' }).click();
    const record = page.getByRole('dialog', { name: 'New lighthouse' });
    await record.getByLabel(/^Name/).fill('Bell Rock');
    await record.getByLabel('Light', { exact: true }).selectOption({ index: 1 });
    await record.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bell Rock' }).waitFor();
    await page.getByText('Flashing').first().waitFor();
    // What is in use is said before the click, with the way to do it.
    await page.goto(`${world.service.url}/console/settings/types/lighthouse`);
    await choose(page, 'Light', 'Options');
    await choose(page, 'Flashing', 'Delete');
    await page.getByText('A record has this option.').waitFor();
    await page.getByRole('link', { name: 'Show the records that have it' }).click();
    await page.getByRole('link', { name: 'Bell Rock' }).waitFor();
    await page.goto(`${world.service.url}/console/settings/types/lighthouse`);
    await choose(page, 'Lighthouse', 'Delete');
    await page.getByText('lighthouse has records, live or in the trash.').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show its records' }).click();
    const row = page.getByRole('link', { name: 'Bell Rock' });
    await row.waitFor();
    // Records in the trash are in the way as well, and are shown there.
    const admin = await world.administrator();
    const [lighthouse] = await admin.records('lighthouse').query({}).toArray(1);
    await admin.records('lighthouse').delete(lighthouse?.id ?? '');
    await row.waitFor({ state: 'detached' });
    await page.goto(`${world.service.url}/console/settings/types/lighthouse`);
    await choose(page, 'Lighthouse', 'Delete');
    await page.getByText(/^Its records are in the trash, where they count/).waitFor();
    await page.getByRole('link', { name: 'Show them in the trash' }).click();
    expect(await page.getByRole('combobox', { name: 'Type' }).inputValue()).toBe('lighthouse');
    await page.getByRole('button', { name: 'Restore Bell Rock' }).waitFor();
    expect(surprising(faults())).toEqual([]);
    await close();
  });

  test('a property becomes required only when every record has a value, and what is built in is only renamed', async () => {
    const { page, faults, close } = await world.visit('settings/types/svc_contact');
    await choose(page, 'Preferred channel', 'Edit');
    await page.getByRole('checkbox', { name: 'Required' }).check();
    await page.getByText('A record has no value of this property.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Show the records without a value' }).click();
    await page.getByRole('button', { name: /Preferred channel is not set/ }).waitFor();
    await page.goto(`${world.service.url}/console/settings/types/svc_contact`);
    await page.getByRole('button', { name: 'Actions for Job title' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Edit']);
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill('Position');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Actions for Position' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByRole('button', { name: 'Actions for Job title' }).waitFor();
    expect(surprising(faults())).toEqual([]);
    await close();
  });

  test('an association is made and deleted', async () => {
    const { page, faults, close } = await world.visit('settings/associations');
    await page.getByRole('button', { name: 'New association' }).click();
    const form = page.getByRole('dialog', { name: 'New association' });
    await form.getByLabel(/^Label/).fill('Recommended by');
    await form.getByLabel('Source').selectOption({ label: 'Deal' });
    await form.getByLabel('Target').selectOption({ label: 'Any person' });
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('deal_to_person');
    await form.getByRole('button', { name: 'Make association' }).click();
    await page.getByRole('row', { name: /Recommended by Deal Any person Many to many Custom/ }).waitFor();
    // While records are linked by it, it stays, and they are shown.
    const admin = await world.administrator();
    const [deal] = await admin.records('svc_deal').query({ search: 'showroom bookings' }).toArray(1);
    const [contact] = await admin.records('svc_contact').query({}).toArray(1);
    const ends = [deal?.id ?? '', 'deal_to_person', contact?.id ?? ''] as const;
    await admin.records('svc_deal').putAssociation(...ends);
    await choose(page, 'Recommended by', 'Delete');
    await page.getByText('There are links of deal_to_person.').waitFor();
    await page.getByRole('link', { name: 'Show the deals that have such a link' }).click();
    await page.getByRole('link', { name: 'Showroom bookings' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await admin.records('svc_deal').deleteAssociation(...ends);
    await page.goto(`${world.service.url}/console/settings/associations`);
    await choose(page, 'Recommended by', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('row', { name: /Recommended by/ }).waitFor({ state: 'detached' });
    expect(surprising(faults())).toEqual([]);
    await close();
  });

  test('a stage is added, dragged, moved by keyboard and changed; one with deals stays, and they are shown', async () => {
    const { page, faults, close } = await world.visit('settings/pipelines');
    const stages = 'Stages of Sales';
    await page.getByRole('button', { name: 'New stage in Sales' }).click();
    const form = page.getByRole('dialog', { name: 'New stage' });
    await form.getByLabel(/^Name/).fill('Trial');
    await form.getByLabel(/^Probability/).fill('140');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').first().waitFor();
    await form.getByLabel(/^Probability/).fill('40');
    await form.getByRole('button', { name: 'Save' }).click();
    const list = page.getByRole('list', { name: stages });
    await list.getByText('Trial').waitFor();
    expect(await titles(page, stages)).toEqual([
      'Qualification',
      'Discovery',
      'Proposal',
      'Negotiation',
      'Won',
      'Lost',
      'Trial',
    ]);
    await list
      .getByRole('button', { name: 'Move Trial' })
      .dragTo(list.getByText('Proposal'), { targetPosition: { x: 8, y: 2 } });
    await expect
      .poll(() => titles(page, stages))
      .toEqual(['Qualification', 'Discovery', 'Trial', 'Proposal', 'Negotiation', 'Won', 'Lost']);
    await page.getByText('Order saved').first().waitFor();
    await list.getByRole('button', { name: 'Move Trial' }).focus();
    for (const key of ['Space', 'ArrowUp', 'Escape']) await page.keyboard.press(key);
    expect(await titles(page, stages)).toEqual([
      'Qualification',
      'Discovery',
      'Trial',
      'Proposal',
      'Negotiation',
      'Won',
      'Lost',
    ]);
    for (const key of ['Space', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await expect
      .poll(() => titles(page, stages))
      .toEqual(['Qualification', 'Trial', 'Discovery', 'Proposal', 'Negotiation', 'Won', 'Lost']);
    await list.getByText('40%', { exact: true }).waitFor();
    await choose(page, 'Trial', 'Edit');
    const edited = page.getByRole('dialog', { name: 'Edit Trial' });
    await edited.getByLabel(/^Probability/).fill('55.5');
    await edited.getByRole('checkbox', { name: 'Closed' }).check();
    await edited.getByRole('button', { name: 'Save' }).click();
    await list.getByText('55.5%', { exact: true }).waitFor();
    const [stored] = await (await world.administrator())
      .records('svc_deal_pipeline_stage')
      .query({ filter: { property: 'svc_name', operator: 'eq', value: 'Trial' } })
      .toArray(1);
    expect(stored?.properties).toMatchObject({ svc_probability: '55.5', svc_closed: true });
    // A pipeline with deals stays, and they are shown.
    await choose(page, 'Sales', 'Delete');
    await page.getByRole('link', { name: 'Show the records in its stages' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deals' }).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    expect(decodeURIComponent(page.url())).toContain('svc_deal_pipeline_stage_to_deal_pipeline');
    await page.goto(`${world.service.url}/console/settings/pipelines`);
    await choose(page, 'Proposal', 'Delete');
    await page.getByText('Records are in this Deal Pipeline Stage').waitFor();
    await page.getByRole('link', { name: 'Show the records in it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deals' }).waitFor();
    await page
      .getByRole('row', { name: /Proposal/ })
      .first()
      .waitFor();
    // The board has the new stage where it was put.
    await page.goto(`${world.service.url}/console/t/svc_deal/board`);
    await page.getByRole('region', { name: 'Trial', exact: true }).waitFor();
    await page.goto(`${world.service.url}/console/settings/pipelines`);
    await choose(page, 'Trial', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await list.getByText('Trial').waitFor({ state: 'detached' });
    expect(surprising(faults())).toEqual([]);
    await close();
  });

  test('each page, and what opens on it, passes axe in both themes and hangs over at no width', async () => {
    const { page, faults, close } = await world.visit('settings', { reducedMotion: 'reduce' });
    const navigation = page.getByRole('navigation', { name: 'Settings' });
    const check = async (what: string) => {
      await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor();
      await expect.poll(() => page.locator('.settings-body .bars').count()).toBe(0);
      await expectReadable(page, what);
      for (const width of [360, 2_560, 1_280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overhang(page), `${what} at ${width} pixels`).toBe(0);
      }
    };
    await navigation.waitFor();
    for (const name of await navigation.getByRole('link').allInnerTexts()) {
      await navigation.getByRole('link', { name, exact: true }).click();
      await check(name);
    }
    await navigation.getByRole('link', { name: 'Types' }).click();
    await page.getByRole('link', { name: 'Subscriptions' }).last().click();
    await page
      .getByText('Renewal date')
      .or(page.getByText('subscription', { exact: true }))
      .first()
      .waitFor();
    await check('a type');
    await navigation.getByRole('link', { name: 'Access keys' }).click();
    await page.getByRole('link', { name: 'New key' }).click();
    await page.getByRole('checkbox', { name: 'Update contacts' }).check();
    await page.getByRole('button', { name: 'Properties of contacts: all' }).click();
    await page.getByText('"svc_email"').waitFor();
    await check('a new key');
    await page.getByLabel('Name', { exact: true }).fill('axe');
    await page.getByRole('button', { name: 'Make key' }).click();
    await page.getByRole('dialog', { name: 'The secret of axe' }).waitFor();
    await check('a secret');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await navigation.getByRole('link', { name: 'Members' }).click();
    await choose(page, 'Maya Ferreira-Holt', 'Make a sign-in link');
    await page.getByRole('dialog', { name: 'Sign-in link for Maya Ferreira-Holt' }).waitFor();
    await check('an invitation');
    await page.getByRole('button', { name: 'Close' }).last().click();
    await choose(page, 'Maya Ferreira-Holt', 'Deactivate');
    await page.getByText('Not possible now').waitFor();
    await check('a refusal');
    await page.keyboard.press('Escape');
    await page.goto(`${world.service.url}/console/settings/types/svc_contact`);
    await page.getByRole('button', { name: 'New property' }).click();
    await page.getByRole('dialog').getByLabel('Field type').selectOption({ label: 'Choice' });
    await check('a new property');
    await page.keyboard.press('Escape');
    await choose(page, 'Preferred channel', 'Options');
    await page.getByRole('dialog', { name: 'Options of Preferred channel' }).waitFor();
    await check('options');
    expect(surprising(faults())).toEqual([]);
    await close();
  });
});
