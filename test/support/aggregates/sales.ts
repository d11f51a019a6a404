// A small custom type whose aggregates can be counted by hand, and short ways to ask for them.
import { expect } from 'vitest';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import { make, type RecordData, recordsPath } from '../records.ts';
import type { Entry } from './model.ts';

export const salesSchema = {
  object_types: [
    {
      name: 'sale',
      label: 'Sale',
      title_property: 'name',
      properties: [
        { name: 'name', label: 'Name', field_type: 'text' },
        { name: 'body', label: 'Body', field_type: 'long_text' },
        { name: 'mail', label: 'Mail', field_type: 'email' },
        { name: 'page', label: 'Page', field_type: 'url' },
        { name: 'host', label: 'Host', field_type: 'domain' },
        { name: 'call', label: 'Call', field_type: 'phone', multi_valued: true },
        { name: 'size', label: 'Size', field_type: 'number' },
        { name: 'sizes', label: 'Sizes', field_type: 'number', multi_valued: true },
        { name: 'price', label: 'Price', field_type: 'currency' },
        { name: 'day', label: 'Day', field_type: 'date' },
        { name: 'moment', label: 'Moment', field_type: 'datetime' },
        { name: 'done', label: 'Done', field_type: 'boolean' },
        { name: 'state', label: 'State', field_type: 'select', options: options('open', 'lost', 'Won') },
        { name: 'tags', label: 'Tags', field_type: 'text', multi_valued: true },
        { name: 'land', label: 'Land', field_type: 'country' },
        { name: 'zone', label: 'Zone', field_type: 'timezone' },
      ],
    },
  ],
  association_types: [
    { name: 'sale_to_company', source: 'sale', target: 'svc_company', cardinality: 'many_to_many' },
    { name: 'sale_to_sale', source: 'sale', target: 'sale', cardinality: 'many_to_one' },
    { name: 'sale_to_note', source: 'sale', target: 'svc_note', cardinality: 'many_to_many' },
  ],
};

function options(...values: readonly string[]): readonly object[] {
  return values.map((value) => ({ value, label: value }));
}

export const sales = recordsPath('sale');
export const count = [{ function: 'count' }];

export function aggregate(client: Client, body: unknown, type = 'sale'): Promise<Answer> {
  return client.post(`${recordsPath(type)}aggregate/`, body);
}

/** The groups of the first page; fails when they are refused. */
export async function groups(client: Client, body: object, type = 'sale'): Promise<readonly Entry[]> {
  const answer = await aggregate(client, body, type);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

/** `[key, count]` of each group by the one key. */
export async function countsBy(
  client: Client,
  key: object,
  more: object = {},
): Promise<readonly (readonly unknown[])[]> {
  const found = await groups(client, { group_by: [key], aggregations: count, ...more });
  return found.map(({ key: parts, values }) => [...parts, values['count']]);
}

/** The values of the one group that there is without keys. */
export async function valuesFor(client: Client, aggregations: readonly object[], more: object = {}): Promise<unknown> {
  const found = await groups(client, { aggregations, ...more });
  expect(found).toHaveLength(1);
  expect(found[0]?.key).toEqual([]);
  return found[0]?.values;
}

/** The value of each function over the property. */
export function each(property: string, ...functions: readonly string[]): readonly object[] {
  return functions.map((name) => ({ function: name, property, as: name }));
}

export async function makeSales(client: Client, ...all: readonly object[]): Promise<readonly RecordData[]> {
  const made: RecordData[] = [];
  for (const properties of all) made.push(await make(client, 'sale', { ...properties }));
  return made;
}
