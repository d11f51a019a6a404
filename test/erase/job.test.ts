// A history that is too long for one transaction: the record is gone at once, and a job erases the rest in bounded steps, which
// another process continues after a kill.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { finishErasures, openErasureWatch } from '../../src/engine/admin/finish-erasures.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { redactAnswer } from '../../src/operations/shared/redact-answer.ts';
import { redactAnswers } from '../../src/store/erase/redact-answers.ts';
import { item, resultsOf, runBatch, succeed } from '../support/batch.ts';
import { orreryJson, startServe } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { holdRow, rawQuery } from '../support/database.ts';
import { erase, lifeSchema, liveLife, Secrets } from '../support/erase/life.ts';
import { tablesWith } from '../support/erase/search.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { contacts, make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let admin: Client;
let resetBounds = () => {};
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
  await service.applySchema(orgId, lifeSchema);
});
afterAll(() => service.stop());
afterEach(() => resetBounds());

/** Everything is long: a step takes two rows, and a request few steps. */
function makeLong(): void {
  resetBounds = lowerBounds({
    engine: { eraseSteps: 2, erasedTogether: 2 },
    store: {
      purgedRowsAtOnce: 2,
      purgedRecordsAtOnce: 2,
      answersExamined: 3,
      answerBytesExamined: 800,
      redactedBytes: 500,
    },
  });
}

const importLines = async ([, row = '']: readonly string[]) => {
  const [address, title] = row.split(',');
  await admin.put(`${contacts}?match=svc_email`, { properties: { svc_email: [address], svc_job_title: title } });
};

async function jobsOf(kind: string): Promise<readonly RecordData['properties'][]> {
  const { body } = await admin.get(`${recordsPath('svc_job')}?limit=200`);
  const jobs = body.data as readonly RecordData[];
  return jobs.map(({ properties }) => properties).filter(({ svc_kind }) => svc_kind === kind);
}

const long = 'Its history is long: a job of the kind erase takes the values out of it.';

test('the record is gone at once, the answer tells of the job, and the job leaves nothing', async () => {
  const person = await liveLife({ client: admin, importLines }, 'pia');
  makeLong();
  expect(await erase(admin, person.id)).toContain(long);
  expect((await admin.get(pathOfRecord({ object_type: 'svc_contact', id: person.id }))).status).toBe(404);
  const left = await tablesWith(service.databaseUrl, person.secrets.values);
  // What a read could find is gone; what is left is history.
  expect([...new Set(Object.values(left).flat())].toSorted()).toEqual(['change', 'former_value', 'idempotency']);
  await withCommandEngine(service.database, (engine) => finishErasures(engine, orgId, redactAnswer));
  expect(await tablesWith(service.databaseUrl, person.secrets.values)).toEqual({});
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  expect(await jobsOf('erase')).toEqual([
    expect.objectContaining({ svc_state: 'done', svc_done: '3', svc_total: '3' }),
  ]);
  // A second look finds nothing to do, and begins no job.
  await withCommandEngine(service.database, (engine) => finishErasures(engine, orgId, redactAnswer));
  expect(await jobsOf('erase')).toHaveLength(1);
});

test('a service finishes what it finds, and stops between two steps when it ends', async () => {
  const person = await liveLife({ client: admin, importLines }, 'ria');
  makeLong();
  await erase(admin, person.id);
  const before = (await jobsOf('erase')).length;
  const engine = { ...(await commandEngine()), database: service.database };
  const release = await holdRow(
    service.databaseUrl,
    `select 1 from orrery.change where record_id = '${person.id}' and changed is not null order by seq desc limit 1 for update`,
  );
  const ending = openErasureWatch(engine.engine, redactAnswer, () => {});
  await expect.poll(async () => (await jobsOf('erase')).length).toBe(before + 1);
  const closed = ending.close();
  await release();
  await closed;
  expect(Object.keys(await tablesWith(service.databaseUrl, person.secrets.values)).length).toBeGreaterThan(0);
  const watch = openErasureWatch(engine.engine, redactAnswer, () => {});
  const left = () => tablesWith(service.databaseUrl, person.secrets.values);
  await expect.poll(left).toEqual({});
  await watch.close();
  await engine.close();
});

/** An engine that stays open. */
async function commandEngine() {
  let close = () => {};
  const opened = await new Promise<Parameters<typeof finishErasures>[0]>((resolve, reject) => {
    withCommandEngine(service.database, (engine) => {
      resolve(engine);
      return new Promise<void>((end) => {
        close = end;
      });
    }).catch(reject);
  });
  return { engine: opened, close: async () => close() };
}

test('rows of an index that is coming or going are erased as well', async () => {
  const secrets = new Secrets('sue');
  const { id } = await make(admin, 'svc_contact', { svc_first_name: secrets.word('name') });
  const value = secrets.word('former').toLowerCase();
  for (const [property, state] of [
    [901, 'building'],
    [902, 'dropping'],
  ] as const) {
    await service.database.query(sql`
      insert into orrery.property_index (org_id, type_id, property_id, state) values (${orgId}, 1, ${property}, ${state})`);
    await service.database.query(sql`
      insert into orrery.index_text (org_id, type_id, property_id, unset, value, record_id)
      values (${orgId}, 1, ${property}, false, ${value}, ${id})`);
  }
  await erase(admin, id);
  expect(await tablesWith(service.databaseUrl, secrets.values)).toEqual({});
  await rawQuery(service.databaseUrl, 'delete from orrery.property_index where org_id = $1', [orgId]);
});

test('in a batch, only the note of the record with the long history tells of the job', async () => {
  const [busy, quiet] = [await make(admin, 'svc_contact', {}), await make(admin, 'svc_contact', {})];
  for (let count = 0; count < 60; count++) {
    await admin.patch(pathOfRecord(busy), { properties: { svc_first_name: `Name ${count}` } });
  }
  resetBounds = lowerBounds({ store: { purgedRowsAtOnce: 5 } });
  const answer = await runBatch(
    admin,
    [busy, quiet].map(({ id }) => item('erase', 'svc_contact', { id })),
  );
  const notes = (resultsOf(answer) as readonly { readonly note?: string }[]).map(({ note = '' }) =>
    note.includes(long),
  );
  expect(notes).toEqual([true, false]);
  const { rows } = await rawQuery(
    service.databaseUrl,
    'select unfinished from orrery.erased where record_id = any ($1) order by unfinished',
    [[busy.id, quiet.id]],
  );
  expect(rows).toEqual([{ unfinished: false }, { unfinished: true }]);
  await withCommandEngine(service.database, (engine) => finishErasures(engine, orgId, redactAnswer));
});

test('kept answers are examined in pages of so many bytes, and the last page ends', async () => {
  const secrets = new Secrets('tom');
  const { id } = await make(admin, 'svc_contact', {});
  const data = JSON.stringify({ id, properties: { svc_first_name: secrets.word('name') } });
  const text = JSON.stringify({ data });
  const own = await service.createOrg();
  await rawQuery(
    service.databaseUrl,
    `insert into orrery.idempotency (org_id, credential_id, target, key, body_digest, answer, quotes)
     select $1, 'tom', '\\x00', 'key ' || n, '\\x00',
       case when n % 4 = 0 then $2 else '{"data":"' || repeat('x', 1000) || '"}' end, false
     from generate_series(10, 29) as n`,
    [own, text],
  );
  resetBounds = lowerBounds({ store: { answerBytesExamined: 2_500 } });
  const erased = { orgId: own, records: [{ typeId: 1, id }], redact: redactAnswer };
  let pages = 0;
  for (let next: string | undefined = ''; next !== undefined; pages++) {
    const after: string = next;
    const done = await service.database.transaction((transaction) => redactAnswers(transaction, erased, after));
    next = done.next;
  }
  expect(pages).toBeGreaterThan(4);
  expect(pages).toBeLessThan(10);
  expect(await tablesWith(service.databaseUrl, secrets.values)).toEqual({});
});

test('of very many links some are counted, and the note says so', async () => {
  const person = await make(admin, 'svc_contact', {});
  const associations = [{ association_type: 'svc_note_to_contact', target_id: person.id }];
  await succeed(
    admin,
    Array.from({ length: 6 }, () => item('create', 'svc_note', { properties: {}, associations })),
  );
  resetBounds = lowerBounds({ engine: { erasedLinksCounted: 4 } });
  expect(await erase(admin, person.id)).toMatch(/^At least 5 notes linked to it are not erased\./);
});

test('a record with very many links loses all of them', async () => {
  const hub = await make(admin, 'svc_company', { svc_name: 'Hub' });
  await succeed(
    admin,
    Array.from({ length: 30 }, () =>
      item('create', 'svc_contact', {
        properties: {},
        associations: [{ association_type: 'svc_contact_to_company', target_id: hub.id }],
      }),
    ),
  );
  makeLong();
  expect(await erase(admin, hub.id, 'svc_company')).toContain(long);
  await withCommandEngine(service.database, (engine) => finishErasures(engine, orgId, redactAnswer));
  const { rows } = await rawQuery(service.databaseUrl, 'select 1 from orrery.association where target_id = $1', [
    hub.id,
  ]);
  expect(rows).toEqual([]);
});

test('the command does the whole work before it ends', async () => {
  const person = await liveLife({ client: admin, importLines }, 'tea');
  makeLong();
  const options = { org: String(orgId), type: 'svc_contact' };
  const { value, text } = await runCommand(service.databaseUrl, 'erase', person.id, options);
  expect(value).toEqual({
    id: person.id,
    object_type: 'svc_contact',
    erased: true,
    duplicates: [...person.duplicates].toSorted(),
    note: expect.not.stringContaining(long),
  });
  expect(text).toMatch(
    /^Erased record \S+ of svc_contact and 2 duplicates that had been merged into it\.\n1 note and 1/,
  );
  expect(await tablesWith(service.databaseUrl, person.secrets.values)).toEqual({});
});

test('a service that is killed in the middle leaves the rest to the next one', async () => {
  const secrets = new Secrets('una');
  const { id } = await make(admin, 'svc_contact', { svc_first_name: secrets.word('name') });
  const entries = 120_000;
  // As if it had been changed every few seconds for a week.
  await rawQuery(
    service.databaseUrl,
    `insert into orrery.change (org_id, kind, type_id, record_id, version, changed, at, principal_id, request_id)
     select $1, 2, 1, $2, 1, '{"svc_first_name": {"new": "' || $3 || '"}}', now(), 'svc_system', gen_random_uuid()
     from generate_series(1, $4::integer)`,
    [orgId, id, secrets.values[0], entries],
  );
  const args = ['--database-url', service.databaseUrl];
  expect(await erase(admin, id)).toContain(long);
  const left = async () => {
    const text = 'select count(*)::integer as count from orrery.change where record_id = $1 and changed is not null';
    return (await rawQuery(service.databaseUrl, text, [id])).rows[0].count as number;
  };
  const atFirst = await left();
  expect(atFirst).toBeGreaterThan(0);
  expect(atFirst).toBeLessThan(entries);
  // Nobody gets past this entry.
  const release = await holdRow(
    service.databaseUrl,
    `select 1 from orrery.change where record_id = '${id}' and changed is not null order by seq desc offset 6000 limit 1 for update`,
  );
  const before = (await jobsOf('erase')).length;
  const first = await startServe(args);
  await expect.poll(left).toBeLessThan(atFirst);
  await first.stop('SIGKILL');
  expect(await left()).toBeGreaterThan(0);
  await release();
  const second = await startServe(args);
  try {
    await expect.poll(left).toBe(0);
    await expect.poll(async () => (await jobsOf('erase')).length).toBe(before + 2);
    await expect.poll(async () => (await jobsOf('erase')).at(-1)?.['svc_state']).toBe('done');
    expect(await tablesWith(service.databaseUrl, secrets.values)).toEqual({});
    const jobs = await orreryJson<readonly { kind: string }[]>(['jobs', 'list', '--org', String(orgId), ...args]);
    expect(jobs.filter(({ kind }) => kind === 'erase')).toHaveLength(before + 2);
  } finally {
    await second.stop();
  }
});
