// The types that a key sees and may write: a decision table written from contract 3, 6 and 7, independent of src.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Grant } from '../../src/access/grant.ts';
import type { Answer } from '../support/answer.ts';
import { builtinPairs, builtinTypes, comparable, entriesOf, operationsOf } from '../support/api/vocabulary.ts';
import type { Client } from '../support/client.ts';
import { comparableHeaders, unnamed } from '../support/comparable-answers.ts';
import { withinASecond } from '../support/eventually.ts';
import { absentId } from '../support/operation-examples.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const activities = [
  'svc_meeting',
  'svc_meeting_notes',
  'svc_email_thread',
  'svc_booking',
  'svc_call',
  'svc_sms_conversation',
  'svc_network_conversation',
];

const profiles: Readonly<Record<string, readonly Grant[]>> = {
  none: [],
  full: [grant('*', 'read', 'create', 'update', 'delete', 'associate')],
  read: [grant('*', 'read')],
  link: [grant('*', 'associate')],
  pair: [grant('svc_contact svc_company', 'read')],
  make: [grant('svc_deal svc_call svc_meeting svc_risk svc_stage_timer', 'create')],
  sum: [
    grant('svc_contact svc_note', 'update'),
    grant('svc_contact svc_meeting svc_web_visit', 'delete', 'associate'),
    grant('svc_deal_pipeline_stage svc_deal', 'read'),
  ],
  over: [
    grant('*', 'read'),
    grant(`svc_contact ${activities.join(' ')}`, 'create', 'update'),
    grant('svc_deal', 'read'),
  ],
};

/** Per type and profile: `.` not visible, `r` read only, else the writable operations by their first letters. */
const decisions = `
                              none  full  read  link  pair  make  sum   over
  svc_contact                 .     cuda  r     a     r     .     uda   cu
  svc_company                 .     cuda  r     a     r     .     .     r
  svc_deal                    .     cuda  r     a     .     c     r     r
  svc_note                    .     cuda  r     a     .     .     u     r
  svc_deal_pipeline           .     cuda  r     a     .     .     .     r
  svc_deal_pipeline_stage     .     cuda  r     a     .     .     r     r
  svc_note_pipeline           .     cuda  r     a     .     .     .     r
  svc_note_pipeline_stage     .     cuda  r     a     .     .     .     r
  svc_contact_lifecycle_stage .     cuda  r     a     .     .     .     r
  svc_stage_timer             .     r     r     r     .     r     .     r
  svc_meeting                 .     a     r     a     .     r     a     r
  svc_meeting_notes           .     r     r     r     .     .     .     r
  svc_email_thread            .     r     r     r     .     .     .     r
  svc_booking                 .     r     r     r     .     .     .     r
  svc_booking_type            .     r     r     r     .     .     .     r
  svc_file                    .     r     r     r     .     .     .     r
  svc_call                    .     cuda  r     a     .     c     .     cu
  svc_sms_conversation        .     cuda  r     a     .     .     .     cu
  svc_network_conversation    .     cuda  r     a     .     .     .     cu
  svc_risk                    .     r     r     r     .     r     .     r
  svc_web_visit               .     r     r     r     .     .     r     r
  svc_web_visitor             .     r     r     r     .     .     .     r`;

/** Which computed properties each profile has: those whose feeding types it can all read (contract 6). */
const computed: Readonly<Record<string, readonly string[]>> = {
  none: [],
  full: ['contact activity', 'contact totals', 'deal activity'],
  read: ['contact activity', 'contact totals', 'deal activity'],
  link: ['contact activity', 'contact totals', 'deal activity'],
  pair: [],
  make: [],
  sum: ['contact totals'],
  over: ['contact activity', 'contact totals', 'deal activity'],
};

const [head = '', ...rows] = decisions.trim().split(/\n\s*/);
const columns = head.split(/\s+/);

/** The visible types of a profile, each with its writable operations. */
function decided(profile: string): ReadonlyMap<string, readonly string[]> {
  const cells = rows.map((row) => row.split(/\s+/)).map(([name = '', ...row]) => [name, row[columns.indexOf(profile)]]);
  const seen = cells.filter(([, cell]) => cell !== '.');
  return new Map(seen.map(([name = '', cell = '']) => [name, cell === 'r' ? [] : operationsOf(cell)]));
}

test('the table decides on every built-in type for every profile', () => {
  expect(rows.map((row) => row.split(/\s+/)[0] ?? '').sort()).toEqual(builtinTypes.map(({ name }) => name).sort());
  expect(columns).toEqual(Object.keys(profiles));
});

describe.each(columns)('profile %s', (profile) => {
  const visible = decided(profile);
  let client: Client;
  beforeAll(async () => {
    client = await service.newClient({ grants: profiles[profile] ?? [] });
  });

  test('lists exactly the types it may see, each with what its nature and the grants allow', async () => {
    const { data } = (await client.get('/objects/')).body;
    const listed = data.map((entry: { name: string; writable_operations: string[] }) => [
      entry.name,
      entry.writable_operations,
    ]);
    expect(listed).toHaveLength(visible.size);
    expect(new Map(listed)).toEqual(visible);
  });

  test('reads a type and its associations if it is listed, and finds nothing otherwise', async () => {
    for (const { name } of builtinTypes) {
      const expected = visible.has(name) ? 200 : 404;
      const { status, body } = await client.get(`/objects/${name}/`);
      expect(status, name).toBe(expected);
      if (status === 200) expect(body.data.writable_operations).toEqual(visible.get(name));
      expect((await client.get(`/objects/${name}/associations/`)).status, name).toBe(expected);
    }
  });

  test('sees the pairs whose both ends it sees, writable where it may associate from the source', async () => {
    const pairs = builtinPairs.filter(
      ({ source, target }) => visible.has(source) && (visible.has(target) || /^svc_(user|org)$/.test(target)),
    );
    for (const name of visible.keys()) {
      const { data } = (await client.get(`/objects/${name}/associations/`)).body;
      const expected = entriesOf(name, pairs, (source) => visible.get(source)?.includes('associate') === true);
      expect(comparable(data), name).toEqual(expected);
    }
  });

  test('creates, updates and deletes records exactly where the table says so', async () => {
    for (const { name, category } of builtinTypes) {
      const at = `/objects/${name}/records/`;
      const allowed = visible.get(name);
      // A key that may delete but not create has nothing here: the record is unknown, but the operation is permitted.
      const created = await client.post(at, { properties: {} });
      const id: string = created.body.data?.id ?? absentId;
      const known = created.status === 201 ? 200 : 404;
      const outcomes = [
        ['create', created, 201],
        ['update', await client.patch(`${at}${id}/`, { properties: {} }), known],
        ['delete', await client.delete(`${at}${id}/`), known],
      ] as const;
      for (const [operation, { status, body }, permitted] of outcomes) {
        const refused = allowed === undefined ? [404, 'object_type_unknown'] : [403, refusalOf(name, category)];
        const expected = allowed?.includes(operation) === true ? [permitted] : refused;
        expect([status, body.reason].slice(0, expected.length), `${operation} ${name}`).toEqual(expected);
      }
    }
  });

  test('has a computed property only with read on all its sources', async () => {
    const properties = async (name: string): Promise<readonly string[]> =>
      visible.has(name)
        ? (await client.get(`/objects/${name}/`)).body.data.properties.map((each: { name: string }) => each.name)
        : [];
    const [contact, deal] = [await properties('svc_contact'), await properties('svc_deal')];
    const found = {
      'contact activity': contact.includes('svc_last_activity_at'),
      'contact totals': contact.includes('svc_potential_deal_total'),
      'deal activity': deal.includes('svc_last_activity_at'),
    };
    const named = Object.entries(found).flatMap(([name, there]) => (there ? [name] : []));
    expect(named).toEqual(computed[profile]);
    expect(contact.includes('svc_weighted_deal_total')).toBe(found['contact totals']);
  });
});

test('without read on a custom activity type, the key has no last activity, because that type feeds it', async () => {
  const orgId = await service.createOrg();
  const { key } = await service.createKey(orgId, { grants: [grant(`svc_deal ${activities.join(' ')}`, 'read')] });
  const client = service.client(key);
  const has = async () =>
    (await client.get('/objects/svc_deal/')).body.data.properties.some(
      (each: { name: string }) => each.name === 'svc_last_activity_at',
    );
  expect(await has()).toBe(true);
  await service.applySchema(orgId, {
    object_types: [{ name: 'site_visit', label: 'Visit', kind: 'activity', properties: [] }],
  });
  expect(await withinASecond(has, (there) => !there)).toBe(false);
});

test('"*" includes custom types that are added later; a grant by name does not', async () => {
  const orgId = await service.createOrg();
  const wide = service.client((await service.createKey(orgId, { grants: [grant('*', 'update')] })).key);
  const named = service.client((await service.createKey(orgId, { grants: [grant('svc_contact', 'update')] })).key);
  const names = async (client: Client) =>
    (await client.get('/objects/')).body.data.map((entry: { name: string }) => entry.name);
  expect(await names(wide)).toHaveLength(22);
  await service.applySchema(orgId, { object_types: [{ name: 'later', label: 'Later', properties: [] }] });
  expect(
    await withinASecond(
      () => names(wide),
      (found) => found.includes('later'),
    ),
  ).toContain('later');
  expect((await wide.get('/objects/later/')).body.data.writable_operations).toEqual(['update']);
  expect(await names(named)).toEqual(['svc_contact']);
  expect((await named.get('/objects/later/')).status).toBe(404);
});

test('a key without grants sees nothing, and a grant of no types or of no operations is none', async () => {
  for (const grants of [[grant('', 'read', 'create')], [grant('*')], [grant('svc_contact')]]) {
    await expect(service.newClient({ grants })).rejects.toThrow(/Expected a grant of the form/);
  }
  for (const grants of [[]]) {
    const client = await service.newClient({ grants });
    expect((await client.get('/objects/')).body.data).toEqual([]);
    expect((await client.get('/objects/svc_contact/')).status).toBe(404);
    expect((await client.get('/self/')).status).toBe(200);
  }
});

test.each(['nope', 'svc_user', 'svc_org', 'svc_*', '', 'SVC_CONTACT'])(
  'a key with a grant that names "%s" is not created',
  async (name) => {
    const orgId = await service.createOrg();
    const grants: readonly Grant[] = [{ objectTypes: ['svc_contact', name], operations: ['read'] }];
    await expect(service.createKey(orgId, { grants })).rejects.toThrow(/no object type/);
  },
);

test('unknown, hidden, ungranted and foreign types answer byte for byte alike, read or written', async () => {
  const custom = { object_types: [{ name: 'own_ones', label: 'Own', properties: [] }] };
  const [orgId, otherOrg] = [await service.createOrg(), await service.createOrg()];
  await service.applySchema(orgId, custom);
  await service.applySchema(otherOrg, { object_types: [{ name: 'far_ones', label: 'Far', properties: [] }] });
  const { key } = await service.createKey(orgId, { grants: [grant('svc_contact', 'read')] });
  const client = service.client(key);
  // Names of one length each, so that even the length of the answer must agree; the first never existed.
  for (const names of [
    ['svc_zzzz', 'svc_user', 'svc_deal', 'svc_note', 'svc_call', 'svc_risk', 'svc_file', 'own_ones', 'far_ones'],
    ['svc_zzz', 'svc_org'],
    ['svc_zzzzzzz', 'svc_company', 'svc_meeting', 'svc_booking'],
  ]) {
    const record = `records/${absentId}/`;
    const values = { properties: { svc_nam: '' } };
    for (const [method, end, body] of [
      ['GET', '', undefined],
      ['GET', 'associations/', undefined],
      ['GET', 'records/?properties=nope&cursor=nope', undefined],
      ['GET', record, undefined],
      ['POST', 'records/', values],
      ['PUT', 'records/?match=svc_nam', values],
      ['PATCH', record, values],
      ['DELETE', record, undefined],
    ] as const) {
      const answers: Answer[] = [];
      for (const name of names) {
        const path = `/objects/${name}/${end}`;
        answers.push(await (body === undefined ? client.call(method, path) : client.send(method, path, body)));
      }
      const alike = answers.map((answer, index) => ({
        status: answer.status,
        text: unnamed(answer).replaceAll(names[index] ?? '', '(name)'),
        headers: comparableHeaders(answer),
      }));
      expect(alike[0]?.status, `${method} ${end}`).toBe(end.includes('cursor') ? 400 : 404);
      for (const [index, each] of alike.entries()) expect(each, names[index]).toEqual(alike[0]);
    }
  }
});

test('a batch says as little about a type that the key cannot see as about one that never existed', async () => {
  const client = await service.newClient({ grants: [grant('svc_contact', 'create')] });
  const items = ['svc_zzzz', 'svc_user', 'svc_deal', 'svc_file'].flatMap((object_type) => [
    { operation: 'create', object_type, properties: { svc_nam: '' } },
    { operation: 'delete', object_type, id: absentId },
  ]);
  const { status, body } = await client.post('/batch/', { operations: items });
  expect(status).toBe(207);
  const told = body.data.results.map(({ index, ...result }: { index: number }) =>
    JSON.stringify(result)
      .replaceAll(`/operations/${index}`, '(place)')
      .replaceAll(items[index]?.object_type ?? '', '(name)'),
  );
  expect(body.data.results[0].problem.reason).toBe('object_type_unknown');
  expect(new Set(told).size, told.join('\n')).toBe(1);
});

/** Why no key, or not this key, may write records of the type (contract 7). */
function refusalOf(name: string, category: string): string {
  if (category === 'synced') return 'type_is_synced';
  if (category === 'generated') return 'type_is_generated';
  return name === 'svc_stage_timer' ? 'type_is_read_only' : 'operation_not_granted';
}

function grant(types: string, ...operations: readonly Grant['operations'][number][]): Grant {
  return { objectTypes: types.split(' ').filter((name) => name !== ''), operations };
}
