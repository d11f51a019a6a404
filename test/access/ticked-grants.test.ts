// The table of grants in the console reads and writes the texts of keys: what it writes gives the same as what it has read, by the
// rules of the service.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  givenOf,
  readGrants,
  stateOf,
  withOperation,
  withState,
  writeGrants,
} from '../../console/pages/settings/grants/grants.ts';
import {
  type Grant,
  grantOperations,
  grantText,
  names,
  permission,
  readGrants as serviceGrants,
} from '../../src/access/grant.ts';

const types = [
  { name: 'svc_contact', category: 'core' },
  { name: 'lighthouse', category: 'custom' },
  { name: 'svc_member', category: 'platform' },
] as const;
const properties = ['svc_email', 'svc_name', 'light'];

const some = (all: readonly string[]) => fc.subarray([...all]);
const grant: fc.Arbitrary<Grant> = fc
  .record({
    objectTypes: fc.subarray([...types.map(({ name }) => name), '*', 'platform'], { minLength: 1 }),
    operations: fc.subarray([...grantOperations], { minLength: 1 }),
    hiddenProperties: some(properties),
    lockedProperties: some(properties),
  })
  .map(({ hiddenProperties, lockedProperties, ...rest }) => ({
    ...rest,
    ...(hiddenProperties.length === 0 ? {} : { hiddenProperties }),
    ...(lockedProperties.length === 0 ? {} : { lockedProperties }),
  }));

/** What the service makes of the texts for a type, in words that can be compared. */
function meant(texts: readonly string[], type: (typeof types)[number]) {
  const given = permission(serviceGrants(texts).filter((each) => names(each, type)));
  if (given === undefined) return undefined;
  const { operations, hidden, locked } = given;
  const unwritable = [...locked].filter((name) => !hidden.has(name));
  return { operations: [...operations].toSorted(), hidden: [...hidden].toSorted(), locked: unwritable.toSorted() };
}

test('what is written gives the same as what was read, and shows it', () => {
  fc.assert(
    fc.property(fc.array(grant, { minLength: 1, maxLength: 4 }), (grants) => {
      const texts = grants.map(grantText);
      const ticked = readGrants(texts);
      const written = writeGrants(ticked);
      for (const type of types) {
        const expected = meant(texts, type);
        expect(meant(written, type)).toEqual(expected);
        const shown = givenOf(ticked, type);
        const changes = [...shown.operations].filter((each) => each !== 'read').toSorted();
        expect(changes).toEqual(expected?.operations ?? []);
        expect([...shown.hidden].toSorted()).toEqual(expected?.hidden ?? []);
        expect([...shown.locked].toSorted()).toEqual(expected?.locked ?? []);
      }
    }),
  );
});

test('ticking an operation includes reading, and a type that is not read has nothing', () => {
  const ticked = withOperation({ operations: new Set(), hidden: new Set(), locked: new Set() }, 'update', true);
  expect([...ticked.operations]).toEqual(['update', 'read']);
  expect(writeGrants(new Map([['svc_contact', ticked]]))).toEqual(['svc_contact:update']);
  const marked = withState(withState(ticked, ['svc_email'], 'lock'), ['svc_name', 'svc_email'], 'hide');
  expect([stateOf(marked, 'svc_email'), stateOf(marked, 'svc_name'), stateOf(marked, 'light')]).toEqual([
    'hide',
    'hide',
    'show',
  ]);
  expect(writeGrants(new Map([['svc_contact', marked]]))).toEqual(['svc_contact:update;hide=svc_name,svc_email']);
  expect(writeGrants(new Map([['svc_contact', withOperation(marked, 'read', false)]]))).toEqual([]);
});

test('types with the same rights share a text, which is never too long to be stored', () => {
  const read = { operations: new Set(['read'] as const), hidden: new Set<string>(), locked: new Set<string>() };
  const many = Array.from({ length: 200 }, (_, index) => `a_type_with_a_long_name_${index}`);
  const texts = writeGrants(new Map(many.map((name) => [name, read])));
  expect(texts.length).toBeLessThan(10);
  for (const text of texts) expect(text.length).toBeLessThan(1_024);
  expect([...readGrants(texts).keys()]).toEqual(many);
});
