// What definitions refuse (platform 2), and that a refusal leaves nothing behind.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/answer.ts';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { findingsIn } from '../support/integrity.ts';
import { deleteLink, link, putLink } from '../support/links.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { define, definitionNamed, propertyNamed } from '../support/platform/definitions.ts';
import { make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { snapshotOf } from '../support/stored-rows.ts';

let service: TestService;
let orgId: number;
let admin: Client;
let vessel: RecordData;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
  vessel = await define.type(admin, 'vessel');
});
afterAll(() => service.stop());

const ofType = 'svc_property_to_object_type';
const ofProperty = 'svc_property_option_to_property';

function createType(properties: object): Promise<Answer> {
  return admin.post(recordsPath('svc_object_type'), { properties: { svc_label: 'A label', ...properties } });
}

function createProperty(properties: object, target = vessel.id): Promise<Answer> {
  return admin.post(recordsPath('svc_property'), {
    properties: { svc_label: 'A label', svc_field_type: 'text', ...properties },
    associations: [{ association_type: ofType, target_id: target }],
  });
}

function createAssociation(properties: object): Promise<Answer> {
  const usual = { svc_source: 'vessel', svc_target: 'svc_company', svc_cardinality: 'many_to_many' };
  return admin.post(recordsPath('svc_association_type'), { properties: { ...usual, ...properties } });
}

/** Expects a refusal at the pointer, and that nothing was written. */
async function refused(ask: () => Promise<Answer>, code: string, reason: string, pointer?: string): Promise<void> {
  const before = await snapshotOf(service);
  const answer = await ask();
  await expectProblem(answer, code, reason);
  if (pointer !== undefined) expect(answer.body.errors?.map((each) => each.pointer)).toContain(pointer);
  expect(await snapshotOf(service)).toEqual(before);
}

describe('names and labels', () => {
  const wrong = 'validation_failed';
  test.each([
    ['svc_ship', 'wrong_shape'],
    ['Ship', 'wrong_shape'],
    ['1ship', 'wrong_shape'],
    ['platform', 'wrong_shape'],
    ['a'.repeat(64), 'wrong_shape'],
  ])('a type is not called %s', (svc_name, reason) =>
    refused(() => createType({ svc_name }), wrong, reason, '/properties/svc_name'),
  );

  test('no two types, association types, properties of a type or options of a property have one name', async () => {
    await refused(() => createType({ svc_name: 'vessel' }), 'conflict', 'unique_value_taken');
    const color = await define.property(admin, 'vessel', {
      svc_name: 'color',
      svc_label: 'Color',
      svc_field_type: 'select',
    });
    await refused(
      () => createProperty({ svc_name: 'color' }),
      'conflict',
      'unique_value_taken',
      '/properties/svc_name',
    );
    await define.option(admin, color, 'red');
    await refused(
      () =>
        admin.post(recordsPath('svc_property_option'), {
          properties: { svc_value: 'red', svc_label: 'Red' },
          associations: [{ association_type: ofProperty, target_id: color.id }],
        }),
      'conflict',
      'unique_value_taken',
      '/properties/svc_value',
    );
    await define.association(admin, 'owns', 'svc_company', 'vessel');
    await refused(() => createAssociation({ svc_name: 'owns' }), 'conflict', 'unique_value_taken');
    const company = await definitionNamed(admin, 'svc_object_type', 'svc_company');
    expect((await createProperty({ svc_name: 'color' }, company.id)).status).toBe(201);
  });

  test('a label has 1 to 128 characters', async () => {
    const svc_label = 'x'.repeat(129);
    await refused(() => createType({ svc_name: 'long', svc_label }), wrong, 'too_long', '/properties/svc_label');
    await refused(
      () => admin.patch(pathOfRecord(vessel), { properties: { svc_plural_label: svc_label } }),
      wrong,
      'too_long',
    );
  });
});

describe('what is fixed', () => {
  test('is given at creation and refused later', async () => {
    const deck = await define.property(admin, 'vessel', { svc_name: 'deck', svc_label: 'Deck' });
    for (const [record, values] of [
      [vessel, { svc_name: 'ship' }],
      [vessel, { svc_kind: 'person' }],
      [deck, { svc_field_type: 'number' }],
      [deck, { svc_unique: true }],
      [deck, { svc_multi_valued: true }],
    ] as const) {
      await refused(
        () => admin.patch(pathOfRecord(record), { properties: values }),
        'validation_failed',
        'fixed_property',
        `/properties/${Object.keys(values)[0]}`,
      );
    }
    const other = await definitionNamed(admin, 'svc_object_type', 'svc_deal');
    await refused(() => putLink(admin, deck, ofType, other.id), 'validation_failed', 'fixed_property');
    await refused(() => deleteLink(admin, deck, ofType, vessel.id), 'validation_failed', 'fixed_property');
    const pairs = (await admin.get('/objects/svc_property/associations/')).body.data as readonly {
      name: string;
      writable: boolean;
    }[];
    expect(pairs.find(({ name }) => name === ofType)?.writable).toBe(false);
    await admin.delete(pathOfRecord(deck));
  });

  test('a property needs its type and an option its select property, as links of the creation', async () => {
    const properties = { svc_name: 'loose', svc_label: 'Loose', svc_field_type: 'text' };
    await refused(
      () => admin.post(recordsPath('svc_property'), { properties }),
      'validation_failed',
      'required_missing',
      '/associations',
    );
    const option = { svc_value: 'a', svc_label: 'A' };
    await refused(
      () => admin.post(recordsPath('svc_property_option'), { properties: option }),
      'validation_failed',
      'required_missing',
      '/associations',
    );
    const plain = await define.property(admin, 'vessel', { svc_name: 'plain', svc_label: 'Plain' });
    await refused(
      () =>
        admin.post(recordsPath('svc_property_option'), {
          properties: option,
          associations: [{ association_type: ofProperty, target_id: plain.id }],
        }),
      'validation_failed',
      'required_missing',
      '/associations',
    );
    const builtin = await propertyNamed(admin, 'svc_contact', 'svc_lead_score');
    await refused(
      () =>
        admin.post(recordsPath('svc_property_option'), {
          properties: option,
          associations: [{ association_type: ofProperty, target_id: builtin.id }],
        }),
      'forbidden',
      'built_in',
    );
  });

  test('the creation needs "associate", too', async () => {
    const { key } = await service.createKey(orgId, {
      grants: [{ objectTypes: ['platform'], operations: ['read', 'create'] }],
    });
    const answer = await service.client(key).post(recordsPath('svc_property'), {
      properties: { svc_name: 'x', svc_label: 'X', svc_field_type: 'text' },
      associations: [{ association_type: ofType, target_id: vessel.id }],
    });
    await expectProblem(answer, 'forbidden', 'operation_not_granted');
  });
});

describe('a property', () => {
  test('becomes required only while no live record lacks a value', async () => {
    await define.type(admin, 'crate');
    const mark = await define.property(admin, 'crate', { svc_name: 'mark', svc_label: 'Mark' });
    const crate = await make(admin, 'crate', {});
    const require = () => admin.patch(pathOfRecord(mark), { properties: { svc_required: true } });
    await refused(require, 'conflict', 'values_missing');
    const owner = await definitionNamed(admin, 'svc_object_type', 'crate');
    await refused(
      () => createProperty({ svc_name: 'must', svc_required: true }, owner.id),
      'conflict',
      'values_missing',
    );
    await admin.patch(pathOfRecord(crate), { properties: { mark: 'fragile' } });
    expect((await require()).status).toBe(200);
    await expectProblem(
      await admin.post(recordsPath('crate'), { properties: {} }),
      'validation_failed',
      'required_missing',
    );
    await expectProblem(
      await admin.patch(pathOfRecord(crate), { properties: { mark: null } }),
      'validation_failed',
      'required_missing',
    );
  });

  test('that was required comes back only while no live record lacks a value', async () => {
    await define.type(admin, 'sack');
    const mark = await define.property(admin, 'sack', { svc_name: 'mark', svc_label: 'Mark', svc_required: true });
    await admin.delete(pathOfRecord(mark));
    const sack = await make(admin, 'sack', {});
    const restore = async () => resultsOf(await runBatch(admin, [item('restore', 'svc_property', { id: mark.id })]));
    expect(await restore()).toMatchObject([{ status: 409, problem: { reason: 'values_missing' } }]);
    await admin.delete(pathOfRecord(sack));
    expect(await restore()).toMatchObject([{ status: 200 }]);
  });

  test('that is deleted keeps no record in the trash, whatever values others have taken', async () => {
    await define.type(admin, 'barrel');
    const code = await define.property(admin, 'barrel', { svc_name: 'code', svc_label: 'Code', svc_unique: true });
    const one = await make(admin, 'barrel', { code: 'X' });
    await admin.delete(pathOfRecord(one));
    const two = await make(admin, 'barrel', { code: 'X' });
    await admin.delete(pathOfRecord(code));
    const results = resultsOf(await runBatch(admin, [item('restore', 'barrel', { id: one.id })]));
    expect(results).toMatchObject([{ status: 200 }]);
    await runBatch(admin, [item('restore', 'svc_property', { id: code.id })]);
    expect((await read(admin, two)).properties['code']).toBe('X');
    expect((await read(admin, one)).properties).not.toHaveProperty('code');
    expect(await findingsIn(service.database, orgId)).toEqual([]);
  });

  test('whose values cannot be compared cannot be unique', () =>
    refused(
      () => createProperty({ svc_name: 'story', svc_field_type: 'long_text', svc_unique: true }),
      'validation_failed',
      'wrong_shape',
      '/properties/svc_unique',
    ));

  test('has the place among the others that its position says', async () => {
    await define.type(admin, 'sorted');
    for (const [svc_name, svc_position] of [
      ['third', '30'],
      ['first', '10'],
      ['second', '20.5'],
    ]) {
      await define.property(admin, 'sorted', { svc_name, svc_label: svc_name, svc_position });
    }
    const names = async () =>
      ((await admin.get('/objects/sorted/')).body.data.properties as readonly { name: string }[])
        .map(({ name }) => name)
        .slice(0, 3);
    expect(await names()).toEqual(['first', 'second', 'third']);
    const third = await propertyNamed(admin, 'sorted', 'third');
    await admin.patch(pathOfRecord(third), { properties: { svc_position: '5' } });
    expect(await names()).toEqual(['third', 'first', 'second']);
  });
});

describe('the title of a type', () => {
  test('is a single-valued text property of it, and may come later in an atomic batch alone', async () => {
    await refused(
      () => createType({ svc_name: 'titled', svc_title_property: 'name' }),
      'validation_failed',
      'unknown_property',
      '/properties/svc_title_property',
    );
    const batch = (field: object, more: object) =>
      runBatch(
        admin,
        [
          item('create', 'svc_object_type', {
            ref: 't',
            properties: { svc_name: 'titled', svc_label: 'Titled', svc_title_property: 'name' },
          }),
          item('create', 'svc_property', {
            properties: { svc_name: 'name', svc_label: 'Name', ...field },
            associations: [{ association_type: ofType, target_id: { ref: 't' } }],
          }),
        ],
        more,
      );
    await refused(
      () => batch({ svc_field_type: 'number' }, { atomic: true }),
      'validation_failed',
      'wrong_shape',
      '/operations/0/properties/svc_title_property',
    );
    const each = resultsOf(await batch({ svc_field_type: 'text' }, {}));
    expect(each.map(({ status }) => status)).toEqual([422, 422]);
    expect((await batch({ svc_field_type: 'text' }, { atomic: true })).status).toBe(200);
    const name = await propertyNamed(admin, 'titled', 'name');
    await admin.delete(pathOfRecord(name));
    expect((await admin.get('/objects/titled/')).body.data.title_property).toBeNull();
    await runBatch(admin, [item('restore', 'svc_property', { id: name.id })]);
    expect((await admin.get('/objects/titled/')).body.data.title_property).toBe('name');
  });
});

describe('an association type', () => {
  test('leads from and to types or kinds that exist', async () => {
    for (const [values, pointer] of [
      [{ svc_source: 'vesel' }, '/properties/svc_source'],
      [{ svc_target: 'kind:persn' }, '/properties/svc_target'],
      [{ svc_target: 'svc_user' }, '/properties/svc_target'],
      [{ svc_target: 'svc_role' }, '/properties/svc_target'],
    ] as const) {
      const ask = () => createAssociation({ svc_name: 'leads', ...values });
      await refused(ask, 'validation_failed', 'unknown_object_type', pointer);
    }
    expect((await createAssociation({ svc_name: 'sailed_by', svc_target: 'kind:person' })).status).toBe(201);
    const contact = await make(admin, 'svc_contact', {});
    const ship = await make(admin, 'vessel', {});
    await link(admin, ship, 'sailed_by', contact.id);
    const definition = await definitionNamed(admin, 'svc_association_type', 'sailed_by');
    await refused(() => admin.delete(pathOfRecord(definition)), 'conflict', 'type_in_use');
    await deleteLink(admin, ship, 'sailed_by', contact.id);
    expect((await admin.delete(pathOfRecord(definition))).status).toBe(200);
    await expectProblem(await putLink(admin, ship, 'sailed_by', contact.id), 'not_found', 'association_type_unknown');
    // The feed goes on, without the links of what is gone.
    expect((await admin.get('/changes/?cursor=earliest&limit=1000')).status).toBe(200);
    await runBatch(admin, [item('restore', 'svc_association_type', { id: definition.id })]);
    await link(admin, ship, 'sailed_by', contact.id);
  });

  test('of kinds does not expand without bound, whether it or a type comes last', async () => {
    const reset = lowerBounds({ schema: { associationPairsPerOrg: 8 } });
    try {
      const kind = { svc_kind: 'crowd' };
      await define.type(admin, 'crowd_a', kind);
      await define.type(admin, 'crowd_b', kind);
      const ends = { svc_source: 'kind:crowd', svc_target: 'kind:crowd' };
      expect((await createAssociation({ svc_name: 'crowds', ...ends })).status).toBe(201);
      const detail = /more than 8 pairs/;
      const third = await createType({ svc_name: 'crowd_c', ...kind });
      await expectProblem(third, 'validation_failed', 'too_many_values');
      expect(third.body.detail).toMatch(detail);
    } finally {
      reset();
    }
  });

  test('of stages is many to one, and leaving a stage writes a timer', async () => {
    const stage = { svc_name: 'berth', svc_stage: true };
    await refused(() => createAssociation(stage), 'validation_failed', 'wrong_shape', '/properties/svc_cardinality');
    await define.type(admin, 'berth_stage');
    const many = { svc_target: 'berth_stage', svc_cardinality: 'many_to_one' };
    expect((await createAssociation({ ...stage, ...many })).status).toBe(201);
    const [one, two] = [await make(admin, 'berth_stage', {}), await make(admin, 'berth_stage', {})];
    const ship = await make(admin, 'vessel', {});
    await link(admin, ship, 'berth', one.id);
    await link(admin, ship, 'berth', two.id);
    const timers = await admin.get(`${pathOfRecord(ship)}associations/svc_stage_timer_to_record/`);
    expect(timers.body.data).toHaveLength(1);
  });
});

describe('definitions', () => {
  test('are not merged, and stay those of the whole org', async () => {
    const [one, two] = [await define.type(admin, 'merged_a'), await define.type(admin, 'merged_b')];
    const merge = item('merge', 'svc_object_type', { id: one.id, duplicate_id: two.id });
    expect(resultsOf(await runBatch(admin, [merge]))).toMatchObject([
      { status: 403, problem: { reason: 'type_is_read_only' } },
    ]);
    await refused(() => deleteLink(admin, one, 'svc_record_to_org', String(orgId)), 'forbidden', 'type_is_read_only');
  });

  test('are tried without effect by a dry run, and answered once under an idempotency key', async () => {
    const body = { properties: { svc_name: 'tried', svc_label: 'Tried' } };
    const before = await snapshotOf(service);
    const dry = await admin.post(recordsPath('svc_object_type'), body, { 'svc-dry-run': 'true' });
    expect(dry.status).toBe(201);
    expect(await snapshotOf(service)).toEqual(before);
    expect((await admin.get('/objects/tried/')).status).toBe(404);
    const key = { 'idempotency-key': 'define-once' };
    const first = await admin.post(recordsPath('svc_object_type'), body, key);
    const second = await admin.post(recordsPath('svc_object_type'), body, key);
    expect([first.status, second.status, second.body.data.id]).toEqual([201, 201, first.body.data.id]);
  });

  test('are in the feed, with versions and entity tags', async () => {
    const type = await define.type(admin, 'versioned');
    const changed = await admin.patch(
      pathOfRecord(type),
      { properties: { svc_label: 'Other' } },
      { 'if-match': '"1"' },
    );
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    const stale = await admin.patch(pathOfRecord(type), { properties: { svc_label: 'X' } }, { 'if-match': '"1"' });
    await expectProblem(stale, 'precondition_failed', 'version_mismatch');
    expect((await read(admin, type)).properties['svc_label']).toBe('Other');
  });
});
