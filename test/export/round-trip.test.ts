// Import reads back what export writes: records of every writable type, and of a custom type with every field type, go
// through a file into another org and are exported from there as the same bytes, apart from ids and read-only cells.
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toCsvLine } from '../../client/import/files/to-csv-line.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json.ts';
import { exportRecords } from '../../src/cli/export/form.ts';
import type { Catalog } from '../../src/schema/catalog.ts';
import { buildCatalog, builtinCatalog } from '../../src/schema/custom/build-catalog.ts';
import type { ObjectType, Property } from '../../src/schema/object-type.ts';
import { findCustomSchema } from '../../src/store/org/custom-schemas.ts';
import type { Client } from '../support/client.ts';
import { samples, selectOptions } from '../support/field-values.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { findingsIn } from '../support/integrity.ts';
import { startService, type TestService } from '../support/service.ts';

const schema = {
  object_types: [
    {
      name: 'specimen',
      label: 'Specimen',
      properties: Object.keys(samples).flatMap((field_type) => {
        const options = selectOptions.map((value) => ({ value, label: `The ${value} one` }));
        const declared = { field_type, ...(field_type === 'select' ? { options } : {}) };
        return [
          { ...declared, name: `${field_type}_one`, label: `${field_type} one` },
          { ...declared, name: `${field_type}_many`, label: `${field_type} many`, multi_valued: true },
        ];
      }),
    },
  ],
};

let service: TestService;
let folder: ImportFolder;
let from: number;
let to: number;
let client: Client;
let catalog: Catalog;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
  [from, to] = [await newOrg(), await newOrg()];
  client = service.client((await service.createKey(from)).key);
  catalog = buildCatalog(await findCustomSchema(service.database, from));
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

async function newOrg(): Promise<number> {
  const org = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(org, schema);
  return org;
}

/** Texts that a spreadsheet would run, and texts that import could mistake for its own escapes. */
const hostile = ['=1+1', '+1', '-1', '@a', '\ta', '\r\na', "'=1", "''=1", "'", '"', '""', ';', 'a;b', '[a', '{', ' a '];

function valuesFor(property: Property): fc.Arbitrary<Json> {
  const { fieldType, options, range, multiValued } = property;
  const sample = samples[fieldType.name];
  if (sample === undefined) throw new Error(`There is no sample of ${fieldType.name}.`);
  const texts = fieldType.name === 'text' || fieldType.name === 'long_text' ? hostile : [];
  const one =
    range !== undefined
      ? fc.integer({ min: range.least, max: range.greatest }).map(String)
      : options.length > 0
        ? fc.constantFrom(...options.map(({ value }) => value))
        : fc.oneof({ weight: 3, arbitrary: sample.valid }, ...texts.map((text) => fc.constant<Json>(text)));
  return multiValued ? fc.array(one, { minLength: 1, maxLength: 3 }) : one;
}

/** Values of any of the writable properties, or of none; unique values are used once. */
function recordsOf(type: ObjectType, count: number, seed: number): readonly object[] {
  const writable = [...type.properties.values()].filter(({ readOnly }) => !readOnly);
  const values = fc.record(Object.fromEntries(writable.map((each) => [each.name, valuesFor(each)])), {
    requiredKeys: [],
    noNullPrototype: true,
  });
  return [{}, ...fc.sample(values, { numRuns: count, seed })].map((record, index) => {
    const own = writable.filter(({ unique, name }) => unique && Object.hasOwn(record, name));
    const distinct = own.map(({ name, multiValued }): [string, Json] => {
      const value = name === 'svc_domain' ? `a${index}.example` : `=${index}@a.example`;
      return [name, multiValued ? [value, `'${value}`] : value];
    });
    return { ...record, ...Object.fromEntries(distinct) };
  });
}

async function create(type: string, records: readonly object[]): Promise<void> {
  // Texts of 65,536 characters add up.
  for (let done = 0; done < records.length; done += 10) {
    const operations = records
      .slice(done, done + 10)
      .map((properties) => ({ operation: 'create', object_type: type, properties }));
    const { status, text } = await client.post('/batch/', { operations });
    expect(status, text).toBe(200);
  }
}

async function exported(orgId: number, typeName: string): Promise<string> {
  let text = '';
  await exportRecords(service.database, systemClock, { orgId, typeName, form: 'csv' }, async (piece) => {
    text += piece;
  });
  return text;
}

/** The lines with empty cells of ids and read-only values; the first line contains the column names. */
function linesOf(type: ObjectType, text: string): readonly string[] {
  const [header = [], ...rows] = parse(text) as string[][];
  const readOnly = header.map((name) => name === 'id' || type.properties.get(name)?.readOnly === true);
  const blank = (row: readonly string[]) => toCsvLine(row.map((cell, index) => (readOnly[index] ? '' : cell)));
  return [toCsvLine(header), ...rows.map(blank)];
}

async function goesThrough(typeName: string, count: number): Promise<void> {
  const type = catalog.objectTypes.get(typeName);
  if (type === undefined) throw new Error(`There is no ${typeName}.`);
  const seed = Date.now() % 2 ** 31;
  await create(typeName, recordsOf(type, count, seed));
  const text = await exported(from, typeName);
  const sent = linesOf(type, text);
  // Every org begins with some records.
  const before = linesOf(type, await exported(to, typeName)).length - 1;
  const rows = sent.length - 1;
  const { result } = await folder.run(service, to, typeName, text);
  expect(result, `seed ${seed}`).toMatchObject({
    rows,
    created: rows,
    refused: 0,
    errors_file: null,
  });
  const [header, ...lines] = linesOf(type, await exported(to, typeName));
  expect([header, ...lines.slice(before)], `seed ${seed}`).toEqual(sent);
}

const open = [...builtinCatalog.objectTypes.values()].filter(
  // Platform types are not imported, or have values that they must have.
  (type) => type.writableOperations.includes('create') && type.category !== 'platform',
);

test.each(open.map(({ name }) => name))('%s survives a round trip through another org', (name) =>
  goesThrough(name, 12),
);

test('a custom type survives it with every field type, single and multi-valued', async () => {
  await goesThrough('specimen', 80);
  expect(await findingsIn(service.database, to)).toEqual([]);
});
