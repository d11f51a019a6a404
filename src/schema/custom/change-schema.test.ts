// Definitions come and go one by one: what is stored of the others never moves.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildCatalog } from './build-catalog.ts';
import {
  addAssociationType,
  addedProperties,
  addProperty,
  addType,
  changeAssociationType,
  changeProperty,
  customType,
  propertyOf,
  removeType,
  restoreType,
  withColumns,
  withoutDefinition,
} from './change-schema.ts';
import { type CustomSchema, emptyCustomSchema, type StoredType } from './custom-schema.ts';

const label = 'A label';

function vessels(): CustomSchema {
  return addType(emptyCustomSchema, { name: 'vessel', label, record: 'vessel' });
}

function property(schema: CustomSchema, name: string, field_type = 'number'): CustomSchema {
  return addProperty(schema, 'vessel', { name, label, field_type, record: `${name} ${schema.last_id}` });
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is not there.');
  return value;
}

/** The column of each property by its number, removed ones included, and the numbers that share a column with another. */
function columnsOf(schema: CustomSchema): ReadonlyMap<number, string> {
  const slots = must(buildCatalog(schema).objectTypes.get('vessel')).slots.properties;
  return new Map([...slots].map(([id, { column, unit }]) => [id, `${column} ${unit ?? ''}`]));
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      fieldType: fc.constantFrom('number', 'currency', 'select', 'date'),
    }),
    fc.record({ kind: fc.constantFrom('remove' as const, 'restore' as const, 'purge' as const), index: fc.nat(30) }),
  ),
  { minLength: 5, maxLength: 60 },
);

test('a property keeps its number, its key and its column for as long as it is there, and no two share one', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      let schema = vessels();
      const numbers = new Set<number>();
      for (const step of taken) {
        const before = addedProperties(schema, 'vessel');
        const columns = columnsOf(schema);
        const isFree = (name: string) => before.every((each) => each.removed === true || each.name !== name);
        if (step.kind === 'add') {
          const name = Array.from({ length: 30 }, (_, index) => `p${index}`).find(isFree) ?? '';
          schema = property(schema, name, step.fieldType);
        } else {
          const chosen = before[step.index % Math.max(1, before.length)];
          if (chosen === undefined) continue;
          const place = must(propertyOf(schema, must(chosen.record)));
          if (step.kind === 'remove') schema = changeProperty(schema, place, { removed: true });
          else if (chosen.removed === true && step.kind === 'purge')
            schema = withoutDefinition(schema, must(chosen.record));
          else if (isFree(chosen.name)) schema = changeProperty(schema, place, { removed: undefined });
        }
        schema = withColumns(JSON.parse(JSON.stringify(schema)) as CustomSchema);
        const after = addedProperties(schema, 'vessel');
        for (const { id, name, key } of after) {
          const former = before.find((each) => each.id === id);
          if (former === undefined) expect(numbers.has(id)).toBe(false);
          else {
            expect([name, key]).toEqual([former.name, former.key]);
            expect(columnsOf(schema).get(id)).toBe(columns.get(id));
          }
          numbers.add(id);
        }
        const keys = after.map(({ key, name }) => key ?? name);
        expect(new Set(keys).size).toBe(keys.length);
        const used = [...columnsOf(schema).values()].flatMap((each) => each.trim().split(' '));
        expect(new Set(used).size).toBe(used.length);
      }
    }),
    { numRuns: 60 },
  );
});

test('a property that has the name of a deleted one keeps its values under another key', () => {
  const first = property(vessels(), 'flag');
  const place = must(propertyOf(first, must(addedProperties(first, 'vessel')[0]?.record)));
  const second = property(changeProperty(first, place, { removed: true }), 'flag');
  const type = must(buildCatalog(second).objectTypes.get('vessel'));
  expect(type.properties.get('flag')).toMatchObject({ id: 1002, key: '~1002' });
  expect(type.removed).toMatchObject([{ id: 1001, key: 'flag' }]);
  expect([...type.groups.byKey.keys()]).toEqual(expect.arrayContaining(['flag', '~1002']));
});

function linked(): CustomSchema {
  const two = addType(vessels(), { name: 'port', label, record: 'port' });
  const ends = { source: 'vessel', target: 'port', cardinality: 'many_to_one' } as const;
  return addAssociationType(two, { name: 'lies_in', record: 'lies_in', ...ends });
}

const typeOf = (schema: CustomSchema, name: string): StoredType =>
  must(schema.object_types.find((type) => type.name === name));
const pairsOf = (schema: CustomSchema) =>
  buildCatalog(schema)
    .pairs.filter(({ id }) => id >= 1_000)
    .map(({ name }) => name);

test('an association type goes with either of its types, and comes back when both are there', () => {
  const all = linked();
  expect(pairsOf(all)).toEqual(['lies_in']);
  const withoutVessel = removeType(all, typeOf(all, 'vessel'));
  expect(customType(withoutVessel, 'vessel')).toBeUndefined();
  expect(pairsOf(withoutVessel)).toEqual([]);
  const withoutBoth = removeType(withoutVessel, typeOf(withoutVessel, 'port'));
  const vesselBack = restoreType(withoutBoth, typeOf(withoutBoth, 'vessel'));
  expect(pairsOf(vesselBack)).toEqual([]);
  const bothBack = restoreType(vesselBack, typeOf(vesselBack, 'port'));
  expect(pairsOf(bothBack)).toEqual(['lies_in']);
});

test('one that was deleted alone does not come back with a type', () => {
  const all = linked();
  const [association] = all.association_types;
  const without = changeAssociationType(all, must(association).id, { removed: 0 });
  const gone = removeType(without, typeOf(without, 'vessel'));
  expect(pairsOf(restoreType(gone, typeOf(gone, 'vessel')))).toEqual([]);
});

test('the columns of links do not move when another association type goes', () => {
  const ends = { source: 'vessel', target: 'port', cardinality: 'many_to_one' } as const;
  const two = withColumns(addAssociationType(linked(), { name: 'built_in', record: 'built_in', ...ends }));
  const columns = (schema: CustomSchema) => must(buildCatalog(schema).objectTypes.get('vessel')).slots.links;
  const [first, second] = two.association_types;
  const before = columns(two).get(must(second).id);
  const one = withColumns(changeAssociationType(two, must(first).id, { removed: 0, columns: undefined }));
  expect(columns(one).get(must(second).id)).toBe(before);
  const three = withColumns(addAssociationType(one, { name: 'sold_in', record: 'sold_in', ...ends }));
  expect(columns(three).get(must(second).id)).toBe(before);
  expect(new Set(columns(three).values()).size).toBe(columns(three).size);
});
