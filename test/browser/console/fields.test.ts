// Every field type in a real browser, on a type that the org made itself: its editor, what is shown, and its filter. And the
// board of a stage association that the org made itself.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';

interface Case {
  readonly field: string;
  /** Types the value into the open editor. */
  readonly type: (page: Page) => Promise<void>;
  readonly shown: string;
  readonly stored: unknown;
  /** The operator of a filter that finds it, and what is typed there if that is something else. */
  readonly operator: string;
  readonly find?: (page: Page) => Promise<void>;
}

const label = (field: string) => `A ${field.replace('_', ' ')}`;
const input = (page: Page, name: string) => page.locator(`:is(input, select, textarea)[aria-label="${name}"]`);
const fill = (field: string, text: string) => (page: Page) => input(page, label(field)).fill(text);
const choose = (field: string, value: string) => async (page: Page) => {
  await input(page, label(field)).selectOption(value);
};

const cases: readonly Case[] = [
  { field: 'text', type: fill('text', '<b>שלום</b>'), shown: '<b>שלום</b>', stored: '<b>שלום</b>', operator: 'eq' },
  {
    field: 'long_text',
    type: fill('long_text', 'One\nTwo'),
    shown: 'One Two',
    stored: 'One\nTwo',
    operator: 'contains',
    find: fill('long_text', 'two'),
  },
  {
    field: 'email',
    type: fill('email', 'ada@example.com'),
    shown: 'ada@example.com',
    stored: 'ada@example.com',
    operator: 'eq',
  },
  {
    field: 'url',
    type: fill('url', 'https://example.com/a'),
    shown: 'https://example.com/a',
    stored: 'https://example.com/a',
    operator: 'eq',
  },
  { field: 'domain', type: fill('domain', 'example.com'), shown: 'example.com', stored: 'example.com', operator: 'eq' },
  {
    field: 'phone',
    type: async (page) => {
      await input(page, `${label('phone')}: country`).selectOption('PT');
      await input(page, label('phone')).fill('225 550 142');
    },
    shown: '+351 225 55 01 42',
    stored: { country_code: 'PT', national_number: '225550142' },
    operator: 'eq',
  },
  { field: 'number', type: fill('number', '1234567.5'), shown: '1,234,567.5', stored: '1234567.5', operator: 'gte' },
  {
    field: 'currency',
    type: async (page) => {
      await input(page, `${label('currency')}: currency`).selectOption('JPY');
      await input(page, label('currency')).fill('98000');
    },
    shown: '¥98,000',
    stored: { amount: '98000', unit: 'JPY' },
    operator: 'gte',
  },
  { field: 'date', type: fill('date', '2031-02-03'), shown: '3 Feb 2031', stored: '2031-02-03', operator: 'eq' },
  {
    field: 'datetime',
    type: fill('datetime', '2031-07-03T09:30'),
    shown: '3 Jul 2031, 09:30',
    stored: '2031-07-03T09:30:00+01:00',
    operator: 'gte',
  },
  { field: 'boolean', type: choose('boolean', 'true'), shown: 'Yes', stored: true, operator: 'eq' },
  { field: 'select', type: choose('select', 'warm'), shown: 'Warm', stored: 'warm', operator: 'eq' },
  { field: 'country', type: choose('country', 'PT'), shown: 'Portugal', stored: 'PT', operator: 'eq' },
  {
    field: 'timezone',
    type: choose('timezone', 'Europe/Lisbon'),
    shown: 'Europe/Lisbon',
    stored: 'Europe/Lisbon',
    operator: 'eq',
  },
];
const chosen = ['boolean', 'select', 'country', 'timezone'];

const schema = {
  object_types: [
    {
      name: 'specimen',
      label: 'Specimen',
      plural_label: 'Specimens',
      title_property: 'title',
      properties: [
        { name: 'title', label: 'Title', field_type: 'text' },
        ...cases.map(({ field }) => ({
          name: `a_${field}`,
          label: label(field),
          field_type: field,
          ...(field === 'select'
            ? {
                options: [
                  { value: 'warm', label: 'Warm' },
                  { value: 'cold', label: 'Cold' },
                ],
              }
            : {}),
        })),
        { name: 'phones', label: 'Phones', field_type: 'phone', multi_valued: true },
      ],
    },
    {
      name: 'berth',
      label: 'Berth',
      title_property: 'name',
      properties: [{ name: 'name', label: 'Name', field_type: 'text' }],
    },
  ],
  association_types: [
    {
      name: 'at_berth',
      label: 'At berth',
      source: 'specimen',
      target: 'berth',
      cardinality: 'many_to_one',
      stage: true,
    },
  ],
};

describe.skipIf(browserPath === undefined)('every field type', () => {
  let world: ConsoleWorld;
  let id: string;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
    await world.service.applySchema(world.orgId, schema);
    const admin = await world.administrator();
    id = (await admin.records('specimen').create({ title: 'The one' })).data.id;
    await admin.records('specimen').create({ title: 'Another' });
  });
  afterAll(() => world.close());

  test('is typed in place, shown in the words of the reader, and found by its filter', async () => {
    const { page, faults, close } = await world.visit(`t/specimen/r/${id}`);
    const admin = await world.administrator();
    for (const { field, type, shown, stored } of cases) {
      if (await page.getByRole('button', { name: /^\d+ more$/ }).isVisible()) {
        await page.getByRole('button', { name: /^\d+ more$/ }).click();
      }
      await page.getByRole('button', { name: `Edit ${label(field).toLowerCase()}`, exact: true }).click();
      await type(page);
      if (!chosen.includes(field)) await page.getByRole('button', { name: /^Save/ }).click();
      await page.getByRole('button', { name: `${shown}. Edit ${label(field).toLowerCase()}`, exact: true }).waitFor();
      const { data } = await admin.records('specimen').get(id);
      expect(data.properties[`a_${field}`], field).toEqual(stored);
    }
    // A list of values: two lines, each its own.
    await page.getByRole('button', { name: 'Edit phones', exact: true }).click();
    await input(page, 'Phones: country').selectOption('DE');
    await input(page, 'Phones').fill('301');
    await page.getByRole('button', { name: 'Add another' }).click();
    await input(page, 'Phones: country').last().selectOption('FR');
    await input(page, 'Phones').last().fill('102');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByRole('button', { name: /^\+49 301, \+33 102/ }).waitFor();
    expect(faults()).toEqual([]);
    await close();
    const table = await world.visit('t/specimen');
    for (const { field, type, operator, find = type } of cases) {
      await table.page.getByRole('link', { name: 'Another' }).waitFor();
      await table.page.getByRole('button', { name: 'Filter', exact: true }).click();
      await table.page.getByRole('combobox', { name: 'Where' }).selectOption(`a_${field}`);
      await table.page.getByRole('combobox', { name: 'How it is compared' }).selectOption(operator);
      await find(table.page);
      await table.page.getByRole('button', { name: 'Apply' }).click();
      await table.page.getByRole('link', { name: 'Another' }).waitFor({ state: 'detached' });
      await table.page.getByRole('link', { name: 'The one' }).waitFor();
      await table.page.getByRole('button', { name: `Remove the filter on ${label(field)}` }).click();
    }
    expect(table.faults()).toEqual([]);
    await table.close();
  });

  test('a stage association that the org made has its board', async () => {
    const admin = await world.administrator();
    for (const name of ['Outer', 'Inner']) await admin.records('berth').create({ name });
    const { page, close } = await world.visit('t/specimen');
    await page.getByRole('link', { name: 'Board' }).click();
    const card = (stage: string) =>
      page.getByRole('region', { name: stage, exact: true }).getByRole('listitem', { name: 'The one' });
    await card('No stage').getByRole('button', { name: 'Move The one' }).click();
    await page.getByRole('menuitem', { name: 'Inner' }).click();
    await card('Inner').waitFor();
    await close();
  });

  test('titles that are empty, long, or written from right to left stay in their place', async () => {
    const admin = await world.administrator();
    await admin.records('specimen').create({ a_text: 'nameless' });
    await admin.records('specimen').create({ title: 'x'.repeat(1_024) });
    await admin.records('specimen').create({ title: 'العربية <img src=x onerror=alert(1)>' });
    const { page, faults, close } = await world.visit('t/specimen');
    await page.getByRole('link', { name: 'No name' }).waitFor();
    const long = await page.getByRole('link', { name: 'xxxxxxxx' }).boundingBox();
    expect(long?.width).toBeLessThan(220);
    await page.getByRole('link', { name: 'onerror=alert(1)' }).click();
    await page.getByRole('heading', { level: 1, name: 'onerror=alert(1)' }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(faults()).toEqual([]);
    await close();
  });

  test('an option that is gone is shown by its value, and its filter is marked', async () => {
    const gone = encodeURIComponent(JSON.stringify([{ property: 'a_select', operator: 'eq', value: 'lukewarm' }]));
    const { page, close } = await world.visit(`t/specimen?filter=${gone}`);
    await page.getByRole('button', { name: /A select is lukewarm/ }).waitFor();
    expect(await page.locator('.chip.invalid').count()).toBe(1);
    await close();
  });

  test('a type with as many properties as there may be opens, and asks only for what it shows', async () => {
    const properties = Array.from({ length: 490 }, (_, index) => ({
      name: `p${index}`,
      label: `Property ${index}`,
      field_type: 'text',
    }));
    const wide = { name: 'wide', label: 'Wide', plural_label: 'Wides', title_property: 'p0', properties };
    await world.service.applySchema(world.orgId, { ...schema, object_types: [...schema.object_types, wide] });
    const admin = await world.administrator();
    const { data } = await admin.records('wide').create({ p0: 'First', p489: 'Last' });
    const { page, close } = await world.visit(`t/wide/r/${data.id}`);
    await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
    await page.getByRole('button', { name: 'Last. Edit property 489' }).waitFor();
    await page.getByRole('button', { name: /^\d+ more$/ }).click();
    await page.getByRole('button', { name: 'Edit property 250', exact: true }).waitFor();
    await page.goto(`${world.service.url}/console/t/wide`);
    const asked = page.waitForRequest((request) => request.url().endsWith('/wide/records/query/'));
    await page.reload();
    expect((await asked).postDataJSON().properties.length).toBeLessThan(10);
    await close();
  });
});
