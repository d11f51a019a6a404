// The schema under stress (platform 2): properties come and go under writers, changes race over two processes, and a service
// is killed in the middle of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { item, resultsOf, runBatch } from '../support/batch.ts';
import { startServe } from '../support/cli.ts';
import { Client } from '../support/client.ts';
import { until, withinASecond } from '../support/eventually.ts';
import { findingsIn } from '../support/integrity.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { define, definitionNamed } from '../support/platform/definitions.ts';
import { make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let first: TestService;
let second: TestService;
beforeAll(async () => {
  first = await startService();
  second = await startService({ databaseUrl: first.databaseUrl });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const json = { 'content-type': 'application/json' };
const typeNames = ['stress_a', 'stress_b', 'stress_c', 'stress_d'];
const atOnce = 25;
/** STRESS_PROPERTIES=250 makes 1,000 of them come and go. */
const perType = Number(process.env['STRESS_PROPERTIES'] ?? '75');

/** Adds, relabels and removes properties of the type, some at once, and calls `named` with those that there are. */
async function churn(admin: Client, typeName: string, named: (names: readonly string[]) => void): Promise<void> {
  const owner = await definitionNamed(admin, 'svc_object_type', typeName);
  const associations = [{ association_type: 'svc_property_to_object_type', target_id: owner.id }];
  for (let round = 0; round < perType / atOnce; round++) {
    const names = Array.from({ length: atOnce }, (_, index) => `p${round}_${index}`);
    const added = await runBatch(
      admin,
      names.map((svc_name) =>
        item('create', 'svc_property', {
          properties: { svc_name, svc_label: svc_name, svc_field_type: 'text' },
          associations,
        }),
      ),
      { atomic: true },
    );
    const ids = resultsOf(added).map(({ id }) => id);
    named(names);
    const relabelled = ids.map((id) => item('update', 'svc_property', { id, properties: { svc_label: 'Other' } }));
    expect((await runBatch(admin, relabelled)).status).toBe(200);
    expect(
      (
        await runBatch(
          admin,
          ids.map((id) => item('delete', 'svc_property', { id })),
        )
      ).status,
    ).toBe(200);
  }
}

test('properties come and go under 8 writers: no value of one that is gone is seen, and nobody gets an error of the service', async () => {
  const { orgId, admin } = await administeredOrg(first);
  const admins = [admin, second.client(admin.key)];
  for (const name of typeNames) await define.type(admin, name);
  const current = new Map<string, readonly string[]>(typeNames.map((name) => [name, []]));
  const statuses = new Map<number, number>();
  const records: RecordData[] = [];
  let over = false;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const client = admins[writer % 2] as Client;
    const typeName = typeNames[writer % typeNames.length] as string;
    for (let turn = 0; !over; turn++) {
      const [name = 'p0_0'] = (current.get(typeName) ?? []).slice(turn % atOnce);
      const body = JSON.stringify({ properties: { [name]: `value ${turn}` } });
      const known = records.filter(({ object_type }) => object_type === typeName).at(-1);
      const isNew = known === undefined || turn % 3 === 0;
      const answer = await client.call(isNew ? 'POST' : 'PATCH', isNew ? recordsPath(typeName) : pathOfRecord(known), {
        headers: json,
        body,
        allowFault: true,
      });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 201) records.push(answer.body.data as RecordData);
    }
  });
  await Promise.all(
    typeNames.map((name, index) =>
      churn(admins[index % 2] as Client, name, (names) => {
        current.set(name, names);
      }),
    ),
  );
  over = true;
  await Promise.all(writers);
  expect([...statuses.keys()].filter((status) => ![200, 201, 422].includes(status))).toEqual([]);
  expect(statuses.get(201)).toBeGreaterThan(20);
  for (const service of [first, second]) {
    const client = service.client(admin.key);
    await withinASecond(
      async () => {
        const pages = typeNames.map((name) => client.get(`${recordsPath(name)}?limit=500`));
        return (await Promise.all(pages)).flatMap(({ body }) => body.data as readonly RecordData[]);
      },
      (seen) => seen.every(({ properties }) => Object.keys(properties).every((name) => name.startsWith('svc_'))),
    );
  }
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});

test('60 changes of the schema that race over two processes leave one schema, which both know within a second', async () => {
  const { orgId, admin } = await administeredOrg(first);
  const by = (index: number) => (index % 2 === 0 ? admin : second.client(admin.key));
  await define.type(admin, 'raced');
  const property = (index: number) => ({ svc_name: `q${index % 15}`, svc_label: `Q ${index}` });
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      if (index % 4 === 3) {
        return by(index).post(recordsPath('svc_object_type'), {
          properties: { svc_name: `raced_${index % 5}`, svc_label: 'Raced' },
        });
      }
      const owner = await definitionNamed(by(index), 'svc_object_type', 'raced');
      return by(index).post(recordsPath('svc_property'), {
        properties: { ...property(index), svc_field_type: 'text' },
        associations: [{ association_type: 'svc_property_to_object_type', target_id: owner.id }],
      });
    }),
  );
  const outcomes = answers.map(({ status, body }) => (status === 201 ? 'made' : body.reason));
  expect(new Set(outcomes)).toEqual(new Set(['made', 'unique_value_taken']));
  expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(15 + 5);
  const wanted = Array.from({ length: 15 }, (_, index) => `q${index}`).sort();
  for (const service of [first, second]) {
    const described = await withinASecond(
      () => service.client(admin.key).get('/objects/raced/'),
      ({ body }) => body.data.properties.length === 17,
    );
    const names = described.body.data.properties.map(({ name }: { name: string }) => name) as string[];
    expect(names.filter((name) => name.startsWith('q')).sort()).toEqual(wanted);
    // Each is used at once, on both.
    const values = Object.fromEntries(wanted.map((name) => [name, 'value']));
    expect((await make(service.client(admin.key), 'raced', values)).properties).toMatchObject(values);
  }
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});

test('what one process defines is used by the next request to another', async () => {
  const { admin } = await administeredOrg(first);
  const other = second.client(admin.key);
  await other.get('/self/');
  for (let round = 0; round < 5; round++) {
    await define.type(admin, `at_once_${round}`);
    await define.property(other, `at_once_${round}`, { svc_name: 'code', svc_label: 'Code' });
    await make(round % 2 === 0 ? other : admin, `at_once_${round}`, { code: 'x' });
  }
});

test('a service that is killed in the middle of changes of the schema leaves none of them half done', async () => {
  const { orgId, admin } = await administeredOrg(first);
  await define.type(admin, 'killed');
  const made: string[] = [];
  for (let round = 0; round < 3; round++) {
    const service = await startServe(['--database-url', first.databaseUrl]);
    const client = new Client(service.url, admin.key);
    let over = false;
    const owner = await definitionNamed(admin, 'svc_object_type', 'killed');
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let turn = 0; !over; turn++) {
        const svc_name = `k${round}_${writer}_${turn}`;
        const answer = await client.raw('POST', `/rest/v1${recordsPath('svc_property')}`, {
          headers: json,
          body: JSON.stringify({
            properties: { svc_name, svc_label: svc_name, svc_field_type: 'text' },
            associations: [{ association_type: 'svc_property_to_object_type', target_id: owner.id }],
          }),
        });
        if (answer.status === 201) made.push(svc_name);
      }
    }).map((writer) => writer.catch(() => undefined));
    const enough = made.length + 1 + 5 * round;
    await until(async () => made.length >= enough);
    await service.stop('SIGKILL');
    over = true;
    await Promise.all(writers);
  }
  const described = await withinASecond(
    () => admin.get('/objects/killed/'),
    ({ body }) => made.every((name) => body.data.properties.some((each: { name: string }) => each.name === name)),
  );
  expect(described.status).toBe(200);
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});
