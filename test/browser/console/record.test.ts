// The page of a record in a real browser: values, stages, links, notes and tasks, what happened, and who did it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';

describe.skipIf(browserPath === undefined)('the page of a record', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  /** The page of the record that the search finds. */
  const open = async (type: string, title: string) => {
    const visit = await world.visit(`t/${type}?q=${encodeURIComponent(title)}`);
    await visit.page.getByRole('link', { name: title }).first().click();
    await visit.page.getByRole('heading', { level: 1, name: title }).waitFor();
    return visit;
  };
  const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline' });

  test('a deal is moved, changed and annotated, and the timeline tells who did what', async () => {
    const { page, faults, close } = await open('svc_deal', 'Roll-out to five more warehouses');
    const steps = page.getByRole('list', { name: 'In stage' });
    await expect
      .poll(() => steps.getByRole('button', { name: /^Negotiation/ }).getAttribute('aria-current'))
      .toBe('step');
    await steps.getByRole('button', { name: /^Proposal/ }).click();
    await expect.poll(() => steps.getByRole('button', { name: /^Proposal/ }).getAttribute('aria-current')).toBe('step');
    await timeline(page).getByText('Negotiation').first().waitFor();
    await timeline(page).getByText('by Maya Ferreira-Holt').first().waitFor();
    await page.getByRole('button', { name: /Edit amount/ }).click();
    await page.getByRole('textbox', { name: 'Amount' }).fill('190000');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '€190,000. Edit amount' }).waitFor();
    await timeline(page).getByText('€186,000').waitFor();
    await page.getByLabel('Write a note').fill('Marijke can take a yearly price to the board.');
    await page.keyboard.press('Control+Enter');
    await timeline(page).getByRole('link', { name: 'Marijke can take a yearly price to the board.' }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('a task is written and done', async () => {
    const { page, close } = await open('svc_deal', 'Lab inventory');
    await page.getByLabel('Write a note').click();
    await page.getByRole('button', { name: 'Task', exact: true }).click();
    await page.getByLabel('What is to be done').fill('Send the yearly price');
    await page.getByLabel('Due on').fill('2031-05-01');
    await page.getByRole('button', { name: 'Save task' }).click();
    const done = page.getByRole('checkbox', { name: 'Done: Send the yearly price' });
    await done.waitFor();
    await page.getByRole('complementary').getByText('1 May 2031').waitFor();
    await done.click();
    await done.waitFor({ state: 'detached' });
    await close();
  });

  test('what is refused stays at its field with the words of the service, and can be put back', async () => {
    const { page, close } = await open('svc_contact', 'Fatima El Khattabi');
    await page.getByRole('button', { name: /Edit email/ }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('not an address');
    await page.keyboard.press('Enter');
    const problem = page.getByRole('alert').filter({ hasText: 'Expected' });
    await problem.waitFor();
    expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('not an address');
    expect(await problem.innerText()).toMatch(/Request …[0-9a-f]{12}/);
    await page.getByRole('button', { name: /^Put back / }).click();
    await page.getByRole('button', { name: /Edit email/ }).waitFor();
    await close();
  });

  test('somebody else changes the same value meanwhile: theirs and mine, side by side', async () => {
    const { page, close } = await open('svc_company', 'Saebyeok Bio');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: /Edit industry/ }).click();
    await page.getByRole('textbox', { name: 'Industry' }).fill('Mine');
    const admin = await world.administrator();
    const [company] = await admin.records('svc_company').query({ search: 'saebyeok' }).toArray(1);
    await admin.records('svc_company').update(company?.id ?? '', { svc_industry: 'Theirs' });
    // Another value of the record is here already; what is typed was not touched.
    await admin.records('svc_company').update(company?.id ?? '', { svc_description: 'Changed elsewhere' });
    await page.getByText('Changed elsewhere').first().waitFor();
    expect(await page.getByRole('textbox', { name: 'Industry' }).inputValue()).toBe('Mine');
    await page.keyboard.press('Enter');
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else' });
    await conflict.getByText('Theirs', { exact: true }).last().waitFor();
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Mine. Edit industry' }).waitFor();
    await close();
  });

  test('an answer that comes late does not bring back what was before', async () => {
    const { page, faults, close } = await open('svc_company', 'Mtkvari Maps');
    await page.getByText('Live', { exact: true }).waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/objects/svc_company/records/*/', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      await held;
      return route.fulfill({ response });
    });
    const asked = page.waitForRequest((request) => request.method() === 'GET' && request.url().includes('/records/'));
    const change = async (label: string, value: string) => {
      await page.getByRole('button', { name: new RegExp(`Edit ${label.toLowerCase()}`) }).click();
      await page.getByRole('textbox', { name: label }).fill(value);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `${value}. Edit ${label.toLowerCase()}` }).waitFor();
    };
    // The page reads the record again when it hears of its own change; before that read is answered, it changes again.
    await change('Industry', 'Cartography');
    await asked;
    await change('Industry', 'Maps');
    release();
    await change('Industry', 'Surveys');
    expect(faults()).toEqual([]);
    await close();
  });

  test('a link is added by searching, and taken away', async () => {
    const { page, close } = await open('svc_deal', 'Starter plan');
    const side = page.getByRole('complementary');
    await side.getByRole('button', { name: 'Add to contacts' }).click();
    await page.getByRole('searchbox', { name: 'Search contacts' }).fill('whitcombe');
    await page.getByRole('dialog').getByRole('button', { name: 'Eleanor Whitcombe' }).click();
    await side.getByRole('link', { name: 'Eleanor Whitcombe' }).waitFor();
    await side.getByRole('button', { name: 'Unlink Eleanor Whitcombe' }).click();
    await side.getByRole('link', { name: 'Eleanor Whitcombe' }).waitFor({ state: 'detached' });
    await close();
  });

  test('a record is shared with its people alone, deleted, and comes back', async () => {
    const admin = await world.administrator();
    const { data: made } = await admin.records('svc_company').create({ svc_name: 'Here and Gone' });
    const { page, close } = await open('svc_company', 'Here and Gone');
    await page.getByRole('button', { name: 'Whole org' }).click();
    await page.getByRole('menuitemradio', { name: /^Only|^Nobody else/ }).click();
    await page.getByRole('button', { name: /^Only|^Nobody else/ }).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Undone').waitFor();
    expect((await admin.records('svc_company').get(made.id)).data.properties['svc_name']).toBe('Here and Gone');
    await close();
  });

  test('a record that somebody else deletes says so', async () => {
    const admin = await world.administrator();
    const { data: made } = await admin.records('svc_company').create({ svc_name: 'Short Lived' });
    const { page, close } = await open('svc_company', 'Short Lived');
    await page.getByText('Live', { exact: true }).waitFor();
    await admin.records('svc_company').delete(made.id);
    await page.getByText('This record was deleted meanwhile').waitFor();
    await page.getByRole('alert').getByRole('link', { name: 'Companies' }).click();
    await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
    await close();
  });

  test('the next record of the list, the one before, and merging two', async () => {
    const admin = await world.administrator();
    for (const name of ['Double Alpha', 'Double Beta']) await admin.records('svc_company').create({ svc_name: name });
    const { page, close } = await open('svc_company', 'Double Alpha');
    await page.getByRole('navigation', { name: 'Where you are' }).getByRole('link').click();
    await page.getByRole('searchbox', { name: 'Search companies' }).fill('double');
    await page.getByRole('link', { name: 'Double Alpha' }).click();
    await page.getByRole('link', { name: 'Next record' }).click();
    await page.getByRole('heading', { level: 1, name: 'Double Beta' }).waitFor();
    await page.getByRole('link', { name: 'Previous record' }).click();
    await page.getByRole('heading', { level: 1, name: 'Double Alpha' }).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Merge with…' }).click();
    await page.getByRole('searchbox', { name: 'Search companies' }).fill('double beta');
    await page.getByRole('dialog').getByRole('button', { name: 'Double Beta' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged').waitFor();
    expect(await admin.records('svc_company').query({ search: 'double' }).toArray(5)).toHaveLength(1);
    await close();
  });
});
