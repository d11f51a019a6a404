// Narrowing: what a caller's catalog contains, and that it never contains more than the org's.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Catalog } from '../schema/catalog.ts';
import { applySchema } from '../schema/custom/apply-schema.ts';
import { builtinCatalog } from '../schema/custom/build-catalog.ts';
import { emptyCustomSchema } from '../schema/custom/custom-schema.ts';
import { adminGrant, fullGrant, type Grant, type GrantOperation, grantOperations, readGrants } from './grant.ts';
import { narrow } from './narrow.ts';

const { catalog: orgCatalog, faults } = applySchema(emptyCustomSchema, {
  object_types: [
    { name: 'investor', label: 'Investor', kind: 'person', properties: [] },
    { name: 'site_visit', label: 'Site visit', kind: 'activity', properties: [] },
    { name: 'ticket', label: 'Ticket', properties: [{ name: 'title', label: 'Title', field_type: 'text' }] },
    { name: 'ticket_stage', label: 'Ticket stage', properties: [] },
  ],
  association_types: [
    { name: 'ticket_to_stage', source: 'ticket', target: 'ticket_stage', cardinality: 'many_to_one', stage: true },
    { name: 'ticket_to_ticket', source: 'ticket', target: 'ticket', cardinality: 'many_to_many' },
  ],
});
const activities = [
  ...['svc_meeting', 'svc_meeting_notes', 'svc_email_thread', 'svc_booking'],
  ...['svc_call', 'svc_sms_conversation', 'svc_network_conversation'],
];

const isPlatform = (name: string) => orgCatalog.objectTypes.get(name)?.category === 'platform';

test('the org of these tests has a schema without errors', () => {
  expect(faults).toEqual([]);
});

test('without grants the catalog is empty', () => {
  for (const grants of [[], [grant('', '')], [grant('*', '')], [grant('svc_contact', '')], [grant('', 'read')]]) {
    const { objectTypes, pairs } = narrow(orgCatalog, grants);
    expect([...objectTypes.keys()]).toEqual([]);
    expect(pairs).toEqual([]);
  }
});

test('the full grant and that of an administrator give back the whole catalog', () => {
  expect(narrow(orgCatalog, [fullGrant, adminGrant])).toEqual(orgCatalog);
});

test('the star covers custom types', () => {
  const { objectTypes } = narrow(orgCatalog, [grant('*', 'read')]);
  expect([...objectTypes.keys()]).toEqual([...orgCatalog.objectTypes.keys()].filter((name) => !isPlatform(name)));
  expect(objectTypes.has('investor')).toBe(true);
  expect([...objectTypes.values()].every((type) => type.writableOperations.length === 0)).toBe(true);
});

test.each(['create', 'update', 'delete', 'associate'])(
  '%s implies read: the type is visible with its properties',
  (each) => {
    const { objectTypes } = narrow(orgCatalog, [grant('svc_note', each)]);
    expect([...objectTypes.keys()]).toEqual(['svc_note']);
    expect(objectTypes.get('svc_note')?.writableOperations).toEqual([each]);
    expect(objectTypes.get('svc_note')?.properties).toEqual(orgCatalog.objectTypes.get('svc_note')?.properties);
  },
);

test('the nature of a type wins over grants', () => {
  const { objectTypes } = narrow(orgCatalog, [
    fullGrant,
    grant('svc_meeting,svc_risk', 'create,update,delete,associate'),
  ]);
  const writable = (name: string) => objectTypes.get(name)?.writableOperations;
  expect(writable('svc_meeting')).toEqual(['associate']);
  for (const name of ['svc_meeting_notes', 'svc_email_thread', 'svc_booking', 'svc_booking_type', 'svc_file']) {
    expect(writable(name), name).toEqual([]);
  }
  for (const name of ['svc_risk', 'svc_web_visit', 'svc_web_visitor', 'svc_stage_timer']) {
    expect(writable(name), name).toEqual([]);
  }
  for (const name of ['svc_contact', 'svc_call', 'svc_deal_pipeline', 'svc_deal_pipeline_stage', 'ticket']) {
    expect(writable(name), name).toEqual(['create', 'update', 'delete', 'associate']);
  }
});

test('a meeting may be linked only by a key with associate on it', () => {
  const meeting = (operations: string) =>
    narrow(orgCatalog, [grant('svc_meeting', operations)]).objectTypes.get('svc_meeting');
  expect(meeting('read,create,update,delete')?.writableOperations).toEqual([]);
  expect(meeting('associate')?.writableOperations).toEqual(['associate']);
});

test('deal totals of a contact need read on deals and on their stages', () => {
  const has = (types: string, property: string) =>
    narrow(builtinCatalog, [grant(types, 'read')])
      .objectTypes.get('svc_contact')
      ?.properties.has(property);
  for (const property of ['svc_potential_deal_total', 'svc_weighted_deal_total']) {
    expect(has('svc_contact', property)).toBe(false);
    expect(has('svc_contact,svc_deal', property)).toBe(false);
    expect(has('svc_contact,svc_deal_pipeline_stage', property)).toBe(false);
    expect(has('svc_contact,svc_deal,svc_deal_pipeline_stage', property)).toBe(true);
  }
  expect(has('svc_contact', 'svc_last_name')).toBe(true);
});

test('the last activity needs read on every type of activity, custom ones included', () => {
  const has = (catalog: Catalog, types: readonly string[]) =>
    narrow(catalog, [grant(types.join(','), 'read')])
      .objectTypes.get('svc_deal')
      ?.properties.has('svc_last_activity_at');
  expect(has(builtinCatalog, ['svc_deal', ...activities])).toBe(true);
  expect(has(orgCatalog, ['svc_deal', ...activities])).toBe(false);
  expect(has(orgCatalog, ['svc_deal', 'site_visit', ...activities])).toBe(true);
  for (const missing of activities) {
    const others = activities.filter((each) => each !== missing);
    expect(has(builtinCatalog, ['svc_deal', ...others]), missing).toBe(false);
  }
});

test('a pair needs both of its ends', () => {
  const names = (types: string) => narrow(orgCatalog, [grant(types, 'read')]).pairs.map((pair) => pair.name);
  expect(names('svc_deal,svc_company')).toContain('svc_deal_to_company');
  expect(names('svc_deal')).not.toContain('svc_deal_to_company');
  expect(names('svc_company')).not.toContain('svc_deal_to_company');
  expect(names('ticket')).toContain('ticket_to_ticket');
  expect(names('ticket')).not.toContain('ticket_to_stage');
  expect(names('ticket_stage,ticket')).toContain('ticket_to_stage');
  expect(names('svc_stage_timer,ticket')).toContain('svc_stage_timer_to_record');
  expect(names('svc_stage_timer,ticket')).not.toContain('svc_stage_timer_to_stage');
});

test('users and the org stay as targets of every visible type, and are not types themselves', () => {
  const narrowed = narrow(orgCatalog, [grant('svc_note,ticket', 'read'), grant('svc_user,svc_org', 'read')]);
  expect([...narrowed.objectTypes.keys()].sort()).toEqual(['svc_note', 'ticket']);
  for (const name of ['svc_note', 'ticket']) {
    const targets = narrowed.pairsOf(name).filter(({ direction }) => direction === 'outgoing');
    expect(targets.map(({ pair }) => pair.targetType)).toEqual(expect.arrayContaining(['svc_user', 'svc_org']));
  }
  expect(narrowed.pairs.some((pair) => ['svc_user', 'svc_org'].includes(pair.sourceType))).toBe(false);
});

test('narrowing does not change the given catalog', () => {
  const before = structuredClone([...orgCatalog.objectTypes.values()].map((type) => [type.name, type.properties.size]));
  narrow(orgCatalog, [grant('svc_contact', 'read')]);
  expect([...orgCatalog.objectTypes.values()].map((type) => [type.name, type.properties.size])).toEqual(before);
});

const typeNames = [...orgCatalog.objectTypes.keys(), '*', 'svc_user', 'svc_org', 'unknown', '__proto__', ''];
const anyGrants: fc.Arbitrary<readonly Grant[]> = fc.array(
  fc.record({ objectTypes: fc.subarray(typeNames), operations: fc.subarray([...grantOperations]) }),
  { maxLength: 4 },
);

test('whatever the grants, a narrowed catalog has what they name and nothing that the org lacks', () => {
  fc.assert(
    fc.property(anyGrants, (grants) => {
      const narrowed = narrow(orgCatalog, grants);
      const granted = (name: string, operation?: GrantOperation) =>
        grants.some(
          ({ objectTypes, operations }) =>
            (objectTypes.includes(name) || (objectTypes.includes('*') && !isPlatform(name))) &&
            (operation === undefined ? operations.length > 0 : operations.includes(operation)),
        );
      expect([...narrowed.objectTypes.keys()]).toEqual(
        [...orgCatalog.objectTypes.keys()].filter((name) => granted(name)),
      );
      for (const [name, type] of narrowed.objectTypes) {
        const own = orgCatalog.objectTypes.get(name);
        expect({ ...type.declaration, properties: null, writableOperations: null }).toEqual({
          ...own?.declaration,
          properties: null,
          writableOperations: null,
        });
        expect(type.writableOperations).toEqual(own?.writableOperations.filter((each) => granted(name, each)));
        for (const [property, value] of type.properties) expect(own?.properties.get(property)).toBe(value);
      }
      const visible = (name: string) => narrowed.objectTypes.has(name) || name === 'svc_user' || name === 'svc_org';
      expect(narrowed.pairs).toEqual(
        orgCatalog.pairs.filter((pair) => narrowed.objectTypes.has(pair.sourceType) && visible(pair.targetType)),
      );
    }),
    { numRuns: 60 },
  );
});

test('narrowing a second time with the same grants changes nothing', () => {
  fc.assert(
    fc.property(anyGrants, (grants) => {
      const once = narrow(orgCatalog, grants);
      expect(narrow(once, grants)).toEqual(once);
    }),
    { numRuns: 50 },
  );
});

test('a further grant never removes anything', () => {
  fc.assert(
    fc.property(anyGrants, anyGrants, (grants, more) => {
      const less = narrow(orgCatalog, grants);
      const wider = narrow(orgCatalog, [...grants, ...more]);
      for (const [name, type] of less.objectTypes) {
        const same = wider.objectTypes.get(name);
        expect([...(same?.properties.keys() ?? [])]).toEqual(expect.arrayContaining([...type.properties.keys()]));
        expect(same?.writableOperations).toEqual(expect.arrayContaining([...type.writableOperations]));
      }
      expect(less.pairs.every((pair) => wider.pairs.includes(pair))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

function grant(types: string, operations: string): Grant {
  const words = (text: string) => text.split(',').filter(Boolean);
  return { objectTypes: words(types), operations: words(operations) as GrantOperation[] };
}

test('a hidden property does not exist, a locked one is read-only, and the others are as they were', () => {
  const [hiding] = readGrants(['svc_contact,svc_company:read,create;hide=svc_summary,svc_city;lock=svc_email']);
  const { objectTypes } = narrow(orgCatalog, hiding === undefined ? [] : [hiding]);
  const contact = objectTypes.get('svc_contact');
  expect(contact?.properties.has('svc_summary')).toBe(false);
  expect(contact?.properties.get('svc_email')?.readOnly).toBe(true);
  expect(contact?.properties.get('svc_headline')).toBe(
    orgCatalog.objectTypes.get('svc_contact')?.properties.get('svc_headline'),
  );
  expect(objectTypes.get('svc_company')?.properties.has('svc_city')).toBe(false);
  expect(contact?.writableOperations).toEqual(['create']);
});

test('who does not see what a record must have cannot create one', () => {
  const [hiding] = readGrants(['svc_view:read,create,update;hide=svc_object_type']);
  const { objectTypes } = narrow(orgCatalog, hiding === undefined ? [] : [hiding]);
  expect(objectTypes.get('svc_view')?.writableOperations).toEqual(['update']);
});
