// The Postman collection against the table of operations. `npm run interop` runs it in newman.
import { expect, test } from 'vitest';
import { operations } from '../../operations/all.ts';
import { exampleCursor, exampleIds, exampleOrigin } from '../../operations/examples/records.ts';
import { tags } from '../../operations/operation.ts';
import { printCollection } from './collection.ts';
import { variableOf } from './steps.ts';

interface Item {
  readonly name: string;
  readonly event: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly url: {
      readonly raw: string;
      readonly variable: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: { readonly raw: string };
  };
}

interface Collection {
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

const collection = JSON.parse(JSON.stringify(printCollection(exampleOrigin))) as Collection;
const folders = collection.item;
const items = folders.flatMap(({ item }) => item);

function itemOf(operation: (typeof operations)[number]): Item {
  const found = items.filter(({ name }) => name === operation.summary);
  expect(found, operation.id).toHaveLength(1);
  return found[0] as Item;
}

test('the collection has a folder for each tag and a request for each operation, and cleans up at the end', () => {
  expect(folders.map(({ name }) => name)).toEqual([...Object.keys(tags), 'Clean up']);
  expect(items).toHaveLength(operations.length + 1);
  for (const operation of operations) {
    const item = itemOf(operation);
    expect(folders.find(({ name }) => name === operation.tag)?.item).toContain(item);
    expect(item.request.method).toBe(operation.method);
    expect(item.request.auth?.type).toBe(operation.access === 'public' ? 'noauth' : undefined);
    const path = operation.path.replaceAll(/\{([a-z_]+)\}/g, ':$1');
    expect(item.request.url.raw.split('?')[0]).toBe(`{{url}}/rest/v1${path}`);
    const [key] = Object.keys(operation.pathParameters ?? {});
    if (key !== undefined) expect(item.request.url.variable.map((each) => each.value)).not.toContain('');
  }
});

test('bodies are those of the first examples, with variables for ids that only the reader knows', () => {
  for (const operation of operations) {
    const raw = itemOf(operation).request.body?.raw;
    const [example] = Object.values(operation.examples);
    const sent = [...variableOf].reduce((text, [id, name]) => text?.replaceAll(`{{${name}}}`, id), raw);
    expect(sent === undefined ? undefined : JSON.parse(sent), operation.id).toEqual(example?.body);
  }
  const text = JSON.stringify(collection);
  for (const id of [...Object.values(exampleIds), exampleCursor]) expect(text).not.toContain(id);
});

test('every variable is declared, and has its value from an earlier request, or from the reader', () => {
  const declared = collection.variable.map(({ key }) => key);
  expect(collection.variable.filter(({ value }) => value !== '')).toMatchObject([{ key: 'url', value: exampleOrigin }]);
  const known = new Set(['url', 'key']);
  const used = new Set(known);
  for (const { name, event, request } of items) {
    for (const [, variable = ''] of JSON.stringify(request).matchAll(/\{\{([a-z_]+)\}\}/g)) {
      expect([...known], name).toContain(variable);
      used.add(variable);
    }
    const script = event.flatMap((each) => each.script.exec).join('\n');
    for (const [, variable = ''] of script.matchAll(/\.set\('([a-z_]+)'/g)) known.add(variable);
  }
  expect([...used].sort()).toEqual(declared.toSorted());
});

test('every request tests that its status is one of success that the operation declares', () => {
  for (const operation of operations) {
    const script = itemOf(operation)
      .event.flatMap((each) => each.script.exec)
      .join('\n');
    const statuses = /oneOf\(\[([0-9, ]+)\]\)/.exec(script)?.[1]?.split(', ').map(Number) ?? [];
    expect(statuses, operation.id).toContain(operation.answer.status);
    for (const status of statuses) expect([operation.answer.status, operation.answer.or?.status]).toContain(status);
  }
});
