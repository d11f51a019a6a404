// orrery export --person: one JSON document with everything that is known of a person, compared with a model that knows what was
// written, in a generated org.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { item, succeed } from '../support/batch.ts';
import { runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { documentOf } from '../support/export/person.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { actionsOf, administeredOrg, auditOf } from '../support/platform/administrator.ts';
import { Random } from '../support/random.ts';
import { changesSince, type FeedEntry } from '../support/read-feed.ts';
import { contacts, make, pathOfRecord, type RecordData, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

interface Linked {
  readonly association_type: string;
  readonly direction: string;
  readonly associated_at: string;
  readonly record: RecordData & { readonly deleted_at?: string };
}

interface Subject {
  readonly record: RecordData & { readonly deleted_at?: string };
  readonly external_ids: readonly { readonly source: string; readonly id: string }[];
  readonly shared_with_org: boolean;
  readonly owners: readonly { readonly id: string; readonly name: string }[];
  readonly associations: readonly Linked[];
  readonly stage_timers: readonly (RecordData & { readonly stage: { readonly title: string; readonly id: string } })[];
}

interface Exported extends Subject {
  readonly org_id: number;
  readonly exported_at: string;
  readonly duplicates: readonly Subject[];
  readonly changes: readonly Omit<FeedEntry, 'id'>[];
}

let service: TestService;
let orgId: number;
let admin: Client;
let stages: readonly RecordData[];
let resetBounds = () => {};
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
  await service.applySchema(orgId, {
    association_types: [
      {
        name: 'knows',
        label: 'Knows',
        source: { kind: 'person' },
        target: { kind: 'person' },
        cardinality: 'many_to_many',
      },
    ],
  });
  stages = (await admin.get(recordsPath('svc_contact_lifecycle_stage'))).body.data as readonly RecordData[];
});
afterAll(() => service.stop());
afterEach(() => resetBounds());

const exported = async (id: string) =>
  JSON.parse(await documentOf(service.database, { orgId, person: id })) as Exported;

const link = (record: Pick<RecordData, 'object_type' | 'id'>, association_type: string, target_id: string) =>
  item('associate', record.object_type, { id: record.id, association_type, target_id });

/** The links of the person as the model has them: by association type, direction and other end. */
class Model {
  readonly links = new Map<string, string>();
  /** The stages that it has left, in their order. */
  readonly left: string[] = [];
  stage: string | undefined;
  /** Versions and values, as they were written. */
  readonly values: string[] = [];

  static key(name: string, direction: string, id: string): string {
    return [name, direction, id].join(' ');
  }
}

const ways = [
  ['svc_contact_to_company', 'outgoing', 'svc_company', { svc_name: 'C' }],
  ['knows', 'outgoing', 'svc_contact', { svc_first_name: 'K' }],
  ['knows', 'incoming', 'svc_contact', { svc_first_name: 'L' }],
  ['svc_note_to_contact', 'incoming', 'svc_note', { svc_title: 'N' }],
  ['svc_activity_to_contact', 'incoming', 'svc_call', { svc_subject: 'S' }],
  ['svc_deal_to_contact', 'incoming', 'svc_deal', { svc_name: 'D', svc_amount: { amount: '10.50', unit: 'USD' } }],
] as const;

/** Does one thing to the person, and notes it in the model. */
async function step(random: Random, person: RecordData, model: Model, index: number): Promise<void> {
  const kind = random.below(6);
  if (kind === 0) {
    const value = `value ${index}`;
    model.values.push(value);
    await admin.patch(pathOfRecord(person), { properties: { svc_headline: value } });
  } else if (kind === 1) {
    const stage = random.pick(stages);
    if (model.stage === stage.id) return;
    if (model.stage !== undefined) model.left.push(model.stage);
    model.stage = stage.id;
    await succeed(admin, [link(person, 'svc_contact_to_lifecycle_stage', stage.id)]);
  } else if (kind === 2 && model.links.size > 0) {
    await removeLink(person, model, random.pick([...model.links.keys()]));
  } else {
    const [name, direction, type, values] = random.pick(ways);
    const other = await make(admin, type, { ...values });
    const ends = direction === 'outgoing' ? [person, other] : [other, person];
    await succeed(admin, [link(ends[0] as RecordData, name, ends[1]?.id ?? '')]);
    model.links.set(Model.key(name, direction, other.id), type);
    // A linked record in the trash is known as well.
    if (random.chance(0.2)) await admin.delete(pathOfRecord(other));
  }
}

async function removeLink(person: RecordData, model: Model, key: string): Promise<void> {
  const [name = '', direction, id = ''] = key.split(' ');
  const other = { object_type: model.links.get(key) ?? '', id };
  const [source, target] = direction === 'outgoing' ? [person, other] : [other, person];
  const path = `${pathOfRecord(source)}associations/${name}/${target.id}/`;
  // An end in the trash has no links that anybody sees, so they cannot be removed.
  if ((await admin.get(pathOfRecord(other))).status === 200 && (await admin.delete(path)).status === 200) {
    model.links.delete(key);
  }
}

async function valuesOf(record: Pick<RecordData, 'object_type' | 'id'>): Promise<unknown> {
  const answer = await admin.get(pathOfRecord(record));
  if (answer.status === 200) return answer.body.data.properties;
  const { rows } = await rawQuery(service.databaseUrl, 'select properties from orrery.trash where id = $1', [
    record.id,
  ]);
  return rows[0]?.properties;
}

test('a generated person is exported completely, and nothing else is', async () => {
  const random = new Random(20270102);
  for (let count = 0; count < 3; count++) {
    const person = await make(admin, 'svc_contact', { svc_first_name: 'Ada', svc_summary: `${count} `.repeat(4_000) });
    const stranger = await make(admin, 'svc_contact', { svc_first_name: 'Nobody' });
    const [model, other] = [new Model(), new Model()];
    for (let index = 0; index < 60; index++) await step(random, person, model, index);
    for (let index = 0; index < 5; index++) await step(random, stranger, other, 1_000 + index);
    // Pages of any size give the same document.
    const small = { engine: { exportedAtOnce: 3 }, store: { pageBytes: 400, changesPageBytes: 300 } };
    resetBounds = lowerBounds(count === 0 ? {} : small);
    const all = await exported(person.id);
    resetBounds();
    expect(all.record).toEqual(await read(admin, person));
    const stageLink =
      model.stage === undefined ? [] : [Model.key('svc_contact_to_lifecycle_stage', 'outgoing', model.stage)];
    expect(
      all.associations.map((each) => Model.key(each.association_type, each.direction, each.record.id)).toSorted(),
    ).toEqual([...model.links.keys(), ...stageLink].toSorted());
    for (const { record } of all.associations) expect(record.properties).toEqual(await valuesOf(record));
    const timers = all.stage_timers.toSorted((a, b) =>
      String(a.properties['svc_left_at']) < String(b.properties['svc_left_at']) ? -1 : 1,
    );
    expect(timers.map(({ stage }) => stage.id)).toEqual(model.left);
    expect(timers.map(({ stage }) => stage.title)).toEqual(
      model.left.map((id) => stages.find((stage) => stage.id === id)?.properties['svc_name']),
    );
    const feed = (await changesSince(admin, 'earliest')).filter(
      ({ record_id, target_id }) => record_id === person.id || target_id === person.id,
    );
    expect(all.changes).toEqual(feed.map(({ id: _, ...entry }) => entry));
    const headlines = all.changes.flatMap(({ changed }) => changed?.['svc_headline']?.new ?? []);
    expect(headlines).toEqual(model.values);
    expect(JSON.stringify(all)).not.toContain(stranger.id);
    for (const value of other.values) expect(JSON.stringify(all)).not.toContain(value);
  }
});

test('duplicates, owners, external ids and a person in the trash belong to it', async () => {
  const userId = await service.createUser(orgId);
  const person = await make(admin, 'svc_contact', { svc_first_name: 'Ada' });
  const [first, second] = [
    await make(admin, 'svc_contact', { svc_first_name: 'Augusta', svc_job_title: 'Countess' }),
    await make(admin, 'svc_contact', { svc_first_name: 'A. A. L.' }),
  ];
  const company = await make(admin, 'svc_company', { svc_name: 'Analytical' });
  await succeed(admin, [
    link(person, 'svc_contact_to_company', company.id),
    // The link that both have stays with the duplicate.
    link(first, 'svc_contact_to_company', company.id),
    item('merge', 'svc_contact', { id: first.id, duplicate_id: second.id }),
    item('merge', 'svc_contact', { id: person.id, duplicate_id: first.id }),
    link(person, 'svc_record_to_user', userId),
    item('delete', 'svc_contact', { id: person.id }),
  ]);
  await rawQuery(
    service.databaseUrl,
    "insert into orrery.external_id (org_id, type_id, source, external_id, record_id) values ($1, 1, 'crm', '7', $2)",
    [orgId, person.id],
  );
  const all = await exported(person.id);
  expect(all).toMatchObject({
    org_id: orgId,
    record: {
      id: person.id,
      deleted_at: expect.any(String),
      properties: { svc_first_name: 'Ada', svc_job_title: 'Countess' },
    },
    external_ids: [{ source: 'crm', id: '7' }],
    shared_with_org: true,
    owners: [{ id: userId, name: 'Ada', associated_at: expect.any(String) }],
    associations: [{ association_type: 'svc_contact_to_company', direction: 'outgoing', record: { id: company.id } }],
  });
  const ids = [first.id, second.id].toSorted();
  expect(all.duplicates.map(({ record }) => record.id)).toEqual(ids);
  const kept = all.duplicates.find(({ record }) => record.id === first.id);
  expect(kept).toMatchObject({
    record: { properties: { svc_first_name: 'Augusta' }, deleted_at: expect.any(String) },
    associations: [{ record: { id: company.id } }],
  });
  expect(new Set(all.changes.map(({ record_id }) => record_id))).toEqual(new Set([person.id, ...ids]));
  // A duplicate that was purged has left its history.
  await rawQuery(service.databaseUrl, 'delete from orrery.trash where id = $1', [second.id]);
  const later = await exported(person.id);
  expect(later.duplicates.find(({ record }) => record.id === second.id)).toEqual({
    record: { id: second.id, object_type: 'svc_contact' },
  });
  expect(later.changes).toEqual(all.changes);
});

test('deleted properties are left out, and renewed ones have their name', async () => {
  const own = await administeredOrg(service);
  await service.applySchema(own.orgId, {
    properties: { svc_contact: [{ name: 'badge', label: 'Badge', field_type: 'text' }] },
  });
  const person = await make(own.admin, 'svc_contact', { badge: 'Former' });
  const definitions = (
    await own.admin.post(`${recordsPath('svc_property')}query/`, {
      filter: { property: 'svc_name', operator: 'eq', value: 'badge' },
    })
  ).body.data as readonly RecordData[];
  await own.admin.delete(pathOfRecord(definitions[0] as RecordData));
  await service.applySchema(own.orgId, {
    properties: { svc_contact: [{ name: 'badge', label: 'Badge', field_type: 'text' }] },
  });
  await own.admin.patch(pathOfRecord(person), { properties: { badge: 'Present' } });
  const text = await documentOf(service.database, { orgId: own.orgId, person: person.id });
  expect((JSON.parse(text) as Exported).record.properties).toMatchObject({ badge: 'Present' });
  expect(text).not.toContain('Former');
});

test('the command writes the document, the audit names the person, and what is no person is refused', async () => {
  const person = await make(admin, 'svc_contact', { svc_first_name: 'Ada' });
  const company = await make(admin, 'svc_company', { svc_name: 'Acme' });
  const run = (...words: readonly string[]) =>
    runOrrery(['export', '--org', String(orgId), ...words, '--database-url', service.databaseUrl]);
  const { status, stdout, stderr } = await run('--person', person.id);
  expect([status, stderr]).toEqual([0, '']);
  expect((JSON.parse(stdout) as Exported).record).toEqual(await read(admin, person));
  expect((await actionsOf(admin)).at(-1)).toBe('export.finished');
  expect((await auditOf(admin)).at(-1)?.properties).toMatchObject({ svc_detail: `person ${person.id}` });
  const jobs = (await admin.get(`${recordsPath('svc_job')}?limit=200`)).body.data as readonly RecordData[];
  expect(jobs.at(-1)?.properties).toMatchObject({ svc_kind: 'export', svc_state: 'done', svc_done: '1' });
  const cases = [
    [['--person', company.id], 2, /^orrery: Record \S+ is of the type svc_company, which is not a type of persons\. /],
    [['--person', 'nobody'], 12, /has no record "nobody", neither live nor in the trash\. /],
    [['--person', person.id, '--type', 'svc_contact'], 2, /--person excludes --type, --format and --links\. /],
    [['--person', person.id, '--links'], 2, /--person excludes --type, --format and --links\. /],
    [['--person', person.id, '--format', 'csv'], 2, /--person excludes --type, --format and --links\. /],
    [[], 2, /Nothing is selected\. Give a type with --type, a person with --person, or a folder with --all\./],
  ] as const;
  for (const [words, code, sentence] of cases) {
    const refused = await run(...words);
    expect([refused.status, refused.stdout]).toEqual([code, '']);
    expect(refused.stderr).toMatch(sentence);
  }
  expect((await admin.get(`${contacts}${person.id}/`)).status).toBe(200);
});
