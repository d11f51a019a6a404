// What a file is planned as: by the names of its columns, and by what a map says.
import { expect, test } from 'vitest';
import { moneyOf } from '../../../client/import/cells/amount-cell.ts';
import { guessColumns } from '../../../client/import/guess-columns.ts';
import { builtinCatalog } from '../../schema/custom/build-catalog.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import { parseMap } from './column-map.ts';
import { propertyOf } from './column-use.ts';
import { describeType } from './describe-type.ts';
import { planImport } from './plan.ts';

function typeOf(name: string): ObjectType {
  const type = builtinCatalog.objectTypes.get(name);
  if (type === undefined) throw new Error(name);
  return type;
}
const contact = typeOf('svc_contact');
const company = typeOf('svc_company');

/** The property of each column, as if it was alone in its file; also one that is read-only. */
const guess = (type: ObjectType, ...headers: readonly string[]) => headers.map((header) => guessAlone(type, header));

function guessAlone(type: ObjectType, header: string): string | undefined {
  const file = { headers: [header], rows: [] };
  const decided = { headers: new Set<string>(), subjects: new Set<string>() };
  const [column] = guessColumns({ type: describeType(builtinCatalog, type), file, money: moneyOf('EUR'), decided });
  if (column?.use.kind === 'ignored') return /^(\w+) is read-only$/.exec(column.use.why)?.[1];
  return column?.use.kind === 'property' ? column.use.property : undefined;
}

test('every property is found by its name, with and without its prefix, and by its label', () => {
  for (const type of builtinCatalog.objectTypes.values()) {
    for (const { name, label } of type.properties.values()) {
      expect(guess(type, name, name.toUpperCase(), name.replace('svc_', ''), label), `${type.name} ${name}`).toEqual(
        Array(4).fill(name),
      );
    }
  }
});

test('case, spaces, signs, plurals and the name of the type do not count', () => {
  expect(guess(contact, ' E-Mail ', 'EMAILS', 'contact email', 'Phone Numbers', 'firstName', 'LAST-NAME')).toEqual([
    'svc_email',
    'svc_email',
    'svc_email',
    'svc_phone_number',
    'svc_first_name',
    'svc_last_name',
  ]);
  expect(guess(company, 'Company', 'Company name', 'Companies: Domain', 'Industries')).toEqual([
    'svc_name',
    'svc_name',
    'svc_domain',
    'svc_industry',
  ]);
});

test('names used by other programs are known, each for the type that it belongs to', () => {
  expect(
    guess(contact, 'Surname', 'Given name', 'Mobile', 'E-mail address', 'Position', 'LinkedIn URL', 'City'),
  ).toEqual([
    'svc_last_name',
    'svc_first_name',
    'svc_phone_number',
    'svc_email',
    'svc_job_title',
    'svc_network_url',
    'svc_location',
  ]);
  expect(guess(company, 'Account name', 'Website', 'Number of employees', 'ZIP', 'State', 'City')).toEqual([
    'svc_name',
    'svc_website',
    'svc_employee_count',
    'svc_postal_code',
    'svc_region',
    'svc_city',
  ]);
});

test('a header that means nothing, or two things, is not guessed', () => {
  expect(
    guess(
      contact,
      'Full name',
      'Company',
      '',
      '_import_errors',
      '__proto__',
      'constructor',
      'toString',
      '=1+1',
      '\u0000',
    ),
  ).toEqual(Array(9).fill(undefined));
  const one = contact.properties.get('svc_headline') as Property;
  const twice = contact.with({ properties: new Map([...contact.properties, ['slogan', { ...one, name: 'slogan' }]]) });
  // Both have the label "Headline", but only one of them the name.
  expect(guess(twice, 'Slogan', 'headline', 'Headlines')).toEqual(['slogan', 'svc_headline', 'svc_headline']);
});

const plan = (headers: readonly string[], map: Readonly<Record<string, string | null>> = {}, match?: string) =>
  planImport({
    catalog: builtinCatalog,
    type: contact,
    headers,
    rows: [],
    currency: 'EUR',
    map: parseMap(map, {}),
    match,
  });

test('the surest of several columns gets the property, and columns of read-only properties are ignored', () => {
  const { columns, match } = plan(['Title', 'Job title', 'svc_created_at', 'Notes', 'Email'], {}, 'email');
  expect(columns.map(({ use }) => propertyOf(use))).toEqual([
    undefined,
    'svc_job_title',
    undefined,
    undefined,
    'svc_email',
  ]);
  expect(columns.map(({ use }) => (use.kind === 'ignored' ? use.why : undefined))).toEqual([
    'another column maps to svc_job_title',
    undefined,
    'svc_created_at is read-only',
    'no matching property',
    undefined,
  ]);
  expect(match).toBe('svc_email');
});

test('several columns feed a list, by whatever name they are known', () => {
  const { columns } = plan(['Phone', 'MobilePhone', 'Email', 'Work email']);
  expect(columns.map(({ use }) => propertyOf(use))).toEqual([
    'svc_phone_number',
    'svc_phone_number',
    'svc_email',
    'svc_email',
  ]);
});

test('a decision of the map beats every guess', () => {
  const { columns } = plan(['Email', 'Work', 'Phone'], { Work: 'svc_email', Phone: null });
  expect(columns.map(({ use }) => propertyOf(use))).toEqual([undefined, 'svc_email', undefined]);
});

test.each([
  [['Surname', 'Surname'], {}, undefined, /both map to svc_last_name.*Rename/],
  [['A', 'B'], { A: 'svc_headline', B: 'svc_headline' }, undefined, /"A" and "B" both map to svc_headline/],
  [['A'], { A: { property: 'svc_headline', part: 'unit' } }, undefined, /svc_headline, which has no amounts/],
  [['Foo', 'svc_created_at'], {}, undefined, /No column.*svc_first_name/],
  [['Email'], { Emial: 'svc_email' }, undefined, /the column "Emial".*Did you mean "Email"/],
  [['Email'], { Email: 'svc_emial' }, undefined, /"svc_emial", which svc_contact does not have.*"svc_email"/],
  [['Email'], { Email: 'svc_created_at' }, undefined, /read-only.*null/],
  [['Email'], {}, 'svc_last_name', /svc_last_name cannot be used to match.*Match by svc_email/],
  [['Email'], {}, 'svc_emails', /no property "svc_emails".*"svc_email"/],
  [['Last name'], {}, 'svc_email', /No column of the file maps to svc_email.*--map/],
])('%j with %j, matched by %s, is one sentence with its fix', (headers, map, match, sentence) => {
  let told = '';
  try {
    plan(headers, map as Readonly<Record<string, string>>, match);
  } catch (error) {
    told = `${(error as Error).message} ${(error as { fix?: string }).fix}`;
  }
  expect(told).toMatch(sentence);
});
