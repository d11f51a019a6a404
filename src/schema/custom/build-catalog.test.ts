// The catalog: the built-in vocabulary and an org's additions as one, with kinds expanded to concrete pairs.
import { expect, test } from 'vitest';
import { builtinAssociationTypes } from '../builtin/association-types.ts';
import { builtinObjectTypes } from '../builtin/object-types.ts';
import type { Catalog } from '../catalog.ts';
import { noSlots } from '../slots.ts';
import { applySchema } from './apply-schema.ts';
import { buildCatalog, builtinCatalog } from './build-catalog.ts';
import { emptyCustomSchema, type SchemaFile } from './custom-schema.ts';

function catalogOf(file: SchemaFile): Catalog {
  const { catalog, faults } = applySchema(emptyCustomSchema, file);
  expect(faults).toEqual([]);
  return catalog;
}

/** `source > target` of every pair of the name. */
function ends(catalog: Catalog, name: string): readonly string[] {
  return catalog.pairs.filter((pair) => pair.name === name).map((pair) => `${pair.sourceType} > ${pair.targetType}`);
}

const investor = { name: 'investor', label: 'Investor', kind: 'person', properties: [] };
const visit = { name: 'site_visit', label: 'Site visit', kind: 'activity', properties: [] };

test('without additions the catalog is the built-in vocabulary', () => {
  const withoutSlots = [...builtinCatalog.objectTypes.values()].map((type) => type.with({ slots: noSlots }));
  expect(withoutSlots).toEqual(builtinObjectTypes);
  expect([...builtinCatalog.objectTypes.keys()]).not.toContain('svc_user');
  expect([...builtinCatalog.objectTypes.keys()]).not.toContain('svc_org');
  expect(buildCatalog(emptyCustomSchema)).toEqual(builtinCatalog);
});

test('every association type that needs no custom stage has a pair, and no pair is repeated', () => {
  const named = new Set(builtinCatalog.pairs.map((pair) => pair.name));
  const absent = builtinAssociationTypes.filter((each) => !named.has(each.name)).map((each) => each.name);
  expect(absent).toEqual(['svc_stage_timer_to_record', 'svc_stage_timer_to_stage']);
  const keys = builtinCatalog.pairs.map((pair) => `${pair.name} ${pair.sourceType} ${pair.targetType}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test('an end that is a kind means each built-in type of the kind', () => {
  expect(ends(builtinCatalog, 'svc_contact_to_company')).toEqual(['svc_contact > svc_company']);
  expect(ends(builtinCatalog, 'svc_activity_to_deal')).toEqual(
    [
      ...['svc_meeting', 'svc_meeting_notes', 'svc_email_thread', 'svc_booking'],
      ...['svc_call', 'svc_sms_conversation', 'svc_network_conversation'],
    ].map((name) => `${name} > svc_deal`),
  );
});

test('a custom type of kind person takes part wherever a contact does', () => {
  const catalog = catalogOf({ object_types: [investor] });
  expect(ends(catalog, 'svc_contact_to_company')).toEqual(['svc_contact > svc_company', 'investor > svc_company']);
  expect(ends(catalog, 'svc_deal_to_contact')).toEqual(['svc_deal > svc_contact', 'svc_deal > investor']);
  expect(ends(catalog, 'svc_contact_to_lifecycle_stage')).toContain('investor > svc_contact_lifecycle_stage');
  expect(ends(catalog, 'svc_note_to_contact')).toContain('svc_note > investor');
  expect(ends(catalog, 'svc_file_to_contact')).toContain('svc_file > investor');
  expect(ends(catalog, 'svc_web_visitor_to_contact')).toContain('svc_web_visitor > investor');
  expect(ends(catalog, 'svc_stage_timer_to_contact')).toEqual([
    'svc_stage_timer > svc_contact',
    'svc_stage_timer > investor',
  ]);
  expect(ends(catalog, 'svc_activity_to_contact')).toContain('svc_call > investor');
});

test('pairs of two kinds are all their combinations, under one id', () => {
  const catalog = catalogOf({ object_types: [investor, visit] });
  const pairs = catalog.pairs.filter((pair) => pair.name === 'svc_activity_to_contact');
  expect(pairs).toHaveLength(8 * 2);
  expect(ends(catalog, 'svc_activity_to_contact')).toContain('site_visit > investor');
  expect(new Set(pairs.map((pair) => pair.id))).toEqual(new Set([12]));
});

test('every type, custom ones included, can be linked to users and to the org', () => {
  const catalog = catalogOf({ object_types: [investor] });
  const all = [...catalog.objectTypes.keys()];
  expect(ends(catalog, 'svc_record_to_user')).toEqual(all.map((name) => `${name} > svc_user`));
  expect(ends(catalog, 'svc_record_to_org')).toEqual(all.map((name) => `${name} > svc_org`));
});

test('a type without a kind is linked only to users and the org', () => {
  const catalog = catalogOf({ object_types: [{ name: 'vessel', label: 'Vessel', properties: [] }] });
  expect(catalog.pairsOf('vessel').map(({ pair }) => pair.name)).toEqual(['svc_record_to_user', 'svc_record_to_org']);
});

test('custom association types expand their kinds and keep their own id and label', () => {
  const catalog = catalogOf({
    object_types: [investor],
    association_types: [
      {
        name: 'advises',
        label: 'Advises',
        source: { kind: 'person' },
        target: { kind: 'person' },
        cardinality: 'many_to_many',
      },
      { name: 'backs', source: 'investor', target: 'svc_deal', cardinality: 'many_to_one' },
    ],
  });
  expect(ends(catalog, 'advises')).toEqual([
    'svc_contact > svc_contact',
    'svc_contact > investor',
    'investor > svc_contact',
    'investor > investor',
  ]);
  expect(catalog.pairs.filter((pair) => pair.name === 'advises').every((pair) => pair.id === 1000)).toBe(true);
  expect(catalog.pairs.find((pair) => pair.name === 'advises')?.label).toBe('Advises');
  expect(catalog.pairs.find((pair) => pair.name === 'backs')).toEqual({
    id: 1001,
    name: 'backs',
    label: 'backs',
    sourceType: 'investor',
    targetType: 'svc_deal',
    cardinality: 'many_to_one',
    stage: false,
    initial: false,
  });
});

test('a custom stage gives timers the pairs that they need, each once', () => {
  const stage = { cardinality: 'many_to_one', stage: true } as const;
  const catalog = catalogOf({
    object_types: [
      investor,
      { name: 'ticket', label: 'Ticket', properties: [] },
      { name: 'ticket_stage', label: 'Ticket stage', properties: [] },
      { name: 'person_stage', label: 'Person stage', properties: [] },
    ],
    association_types: [
      { name: 'ticket_to_stage', source: 'ticket', target: 'ticket_stage', ...stage },
      { name: 'person_to_stage', source: { kind: 'person' }, target: 'person_stage', ...stage },
      { name: 'ticket_to_urgency', source: 'ticket', target: 'person_stage', ...stage },
      { name: 'ticket_to_person', source: 'ticket', target: { kind: 'person' }, cardinality: 'many_to_one' },
    ],
  });
  expect(ends(catalog, 'svc_stage_timer_to_record')).toEqual([
    'svc_stage_timer > ticket',
    'svc_stage_timer > svc_contact',
    'svc_stage_timer > investor',
  ]);
  expect(ends(catalog, 'svc_stage_timer_to_stage')).toEqual([
    'svc_stage_timer > ticket_stage',
    'svc_stage_timer > person_stage',
  ]);
  expect(catalog.pairs.filter((pair) => pair.name === 'person_to_stage').every((pair) => pair.stage)).toBe(true);
});

test('a pair is seen from both of its ends, and one of a type with itself twice', () => {
  const catalog = catalogOf({
    association_types: [{ name: 'follows', source: 'svc_deal', target: 'svc_deal', cardinality: 'many_to_one' }],
  });
  const seen = (type: string, name: string) =>
    catalog
      .pairsOf(type)
      .filter(({ pair }) => pair.name === name)
      .map(({ direction }) => direction);
  expect(seen('svc_deal', 'follows')).toEqual(['outgoing', 'incoming']);
  expect(seen('svc_deal', 'svc_deal_to_company')).toEqual(['outgoing']);
  expect(seen('svc_company', 'svc_deal_to_company')).toEqual(['incoming']);
  expect(seen('svc_note', 'svc_deal_to_company')).toEqual([]);
  expect(catalog.pairsOf('no_such_type')).toEqual([]);
});

test('a custom type is open, has the dates of every type and is marked as custom', () => {
  const type = catalogOf({
    object_types: [
      {
        name: 'vessel',
        label: 'Vessel',
        title_property: 'imo',
        properties: [{ name: 'imo', label: 'IMO', field_type: 'text' }],
      },
    ],
  }).objectTypes.get('vessel');
  expect(type).toMatchObject({
    id: 1000,
    label: 'Vessel',
    pluralLabel: 'Vessel',
    category: 'custom',
    kind: null,
    nature: 'open',
    titleProperty: 'imo',
    writableOperations: ['create', 'update', 'delete', 'associate'],
  });
  expect([...(type?.properties.keys() ?? [])]).toEqual(['imo', 'svc_created_at', 'svc_updated_at']);
  expect(type?.properties.get('imo')).toMatchObject({
    id: 1000,
    custom: true,
    readOnly: false,
    required: false,
    unique: false,
    index: 'none',
  });
  expect(type?.properties.get('svc_created_at')).toMatchObject({ id: 1, custom: false, readOnly: true });
});

test('a property added to a built-in type comes after the built-in ones and changes none of them', () => {
  const contact = catalogOf({
    properties: { svc_contact: [{ name: 'tier', label: 'Tier', field_type: 'number', required: true, unique: true }] },
  }).objectTypes.get('svc_contact');
  const own = builtinCatalog.objectTypes.get('svc_contact');
  expect([...(contact?.properties.values() ?? [])].slice(0, -1)).toEqual([...(own?.properties.values() ?? [])]);
  expect(contact?.properties.get('tier')).toMatchObject({ id: 1000, custom: true, required: true, unique: true });
  expect(contact?.properties.get('tier')?.fieldType.name).toBe('number');
});

test('labels of the org show in the catalog, those of later files over those of earlier ones', () => {
  const first = applySchema(emptyCustomSchema, {
    labels: { svc_deal: { label: 'Fixture', plural_label: 'Fixtures', properties: { svc_name: 'Voyage' } } },
  });
  const { catalog } = applySchema(first.schema, {
    labels: { svc_deal: { label: 'Charter', properties: { svc_amount: 'Freight' } } },
  });
  const deal = catalog.objectTypes.get('svc_deal');
  expect(deal).toMatchObject({ label: 'Charter', pluralLabel: 'Fixtures' });
  expect(deal?.properties.get('svc_name')?.label).toBe('Voyage');
  expect(deal?.properties.get('svc_amount')?.label).toBe('Freight');
  expect(deal?.properties.get('svc_close_date')?.label).toBe('Close date');
  expect(builtinCatalog.objectTypes.get('svc_deal')).toMatchObject({ label: 'Deal', pluralLabel: 'Deals' });
});

test('names that objects inherit work like any other and pollute nothing', () => {
  const names = ['constructor', 'valueof', 'to_string', 'prototype'];
  const catalog = catalogOf({
    object_types: names.map((name) => ({
      name,
      label: 'A',
      title_property: 'constructor',
      properties: names.map((each) => ({ name: each, label: each, field_type: 'text' })),
    })),
    properties: { svc_deal: [{ name: 'constructor', label: 'Constructor', field_type: 'text' }] },
    labels: { constructor: { label: 'Builder', properties: { constructor: 'Built by' } } },
    association_types: [
      { name: 'constructor', source: 'constructor', target: 'prototype', cardinality: 'many_to_many' },
    ],
  });
  expect(catalog.objectTypes.get('constructor')?.label).toBe('Builder');
  expect(catalog.objectTypes.get('constructor')?.properties.get('constructor')?.label).toBe('Built by');
  expect(catalog.objectTypes.get('svc_deal')?.properties.get('constructor')?.label).toBe('Constructor');
  expect(ends(catalog, 'constructor')).toEqual(['constructor > prototype']);
  expect(builtinCatalog.objectTypes.get('constructor')).toBeUndefined();
  expect({}.constructor).toBe(Object);
});
