// Jobs and the audit (platform 5): an org sees what the service and the operator do in it, during the work and afterwards.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { sql } from '../../src/base/sql.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import { asJob } from '../../src/engine/admin/jobs.ts';
import { changeOrg } from '../../src/engine/admin/orgs.ts';
import { openJobWatch } from '../../src/engine/platform/jobs.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { orreryJson, runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { actionsOf, administeredOrg, auditOf, makeKey } from '../support/platform/administrator.ts';
import { changesSince, endOfFeed } from '../support/read-feed.ts';
import { make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(() => service.stop());

async function jobs(client: Client = admin): Promise<readonly RecordData[]> {
  return (await client.get(recordsPath('svc_job'))).body.data as readonly RecordData[];
}

const last = async () => (await jobs()).at(-1)?.properties;

describe('a job', () => {
  test('is seen while it runs, and its progress is in no version and no entry of the feed', async () => {
    const start = await endOfFeed(admin);
    await withCommandEngine(service.database, (engine) =>
      asJob(
        engine,
        { orgId, kind: 'import', message: 'Records of svc_contact', total: 10 },
        async (job) => {
          expect(await last()).toMatchObject({
            svc_kind: 'import',
            svc_state: 'running',
            svc_done: '0',
            svc_total: '10',
          });
          job.show({ done: 4, failed: 1 });
          await expect.poll(last, { timeout: 5_000 }).toMatchObject({ svc_done: '4', svc_failed: '1' });
          expect((await jobs()).at(-1)?.version).toBe('1');
        },
        () => ({ done: 9, failed: 1 }),
      ),
    );
    const ended = (await jobs()).at(-1);
    expect(ended).toMatchObject({
      version: '2',
      properties: { svc_state: 'done', svc_done: '9', svc_failed: '1', svc_ended_at: expect.any(String) },
    });
    const entries = await changesSince(admin, start);
    expect(entries.map(({ type, object_type }) => `${type} ${object_type}`)).toEqual([
      'record.created svc_job',
      'record.updated svc_job',
    ]);
  });

  test('that fails says so, and nothing of the server', async () => {
    const failing = withCommandEngine(service.database, (engine) =>
      asJob(
        engine,
        { orgId, kind: 'export' },
        () => Promise.reject(new Error('ENOSPC: /secret/path')),
        () => ({}),
      ),
    );
    await expect(failing).rejects.toThrow('ENOSPC: /secret/path');
    expect(await last()).toMatchObject({
      svc_kind: 'export',
      svc_state: 'failed',
      svc_message: 'It failed. Ask the operator of the service.',
    });
  });

  test('whose process has died is interrupted', async () => {
    const reset = lowerBounds({ engine: { jobLookMs: 100, jobSilentMs: 1_000, jobPulseMs: 100 } });
    try {
      await withCommandEngine(service.database, async (engine) => {
        const watch = openJobWatch(engine, (error) => {
          throw error;
        });
        let end = () => {};
        const alive = asJob(
          engine,
          { orgId, kind: 'index' },
          () =>
            new Promise<void>((resolve) => {
              end = resolve;
            }),
          () => ({}),
        );
        await expect.poll(last).toMatchObject({ svc_kind: 'index', svc_state: 'running' });
        const dead = await make(admin, 'svc_view', {
          svc_name: 'a',
          svc_view_kind: 'table',
          svc_object_type: 'svc_deal',
        });
        // A job of a process that was killed: nobody says any more that it lives.
        const jobId = randomUUID();
        await service.database.query(sql`
          insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties)
          select org_id, 39, ${jobId}, 1, updated_at, false, '{"svc_kind": "purge", "svc_state": "running"}'
          from orrery.record where org_id = ${orgId} and id = ${dead.id}`);
        await service.database.query(sql`
          insert into orrery.running_job (org_id, job_id, seen_at) values (${orgId}, ${jobId}, now() - interval '1 minute')`);
        const states = async () =>
          Object.fromEntries((await jobs()).map(({ properties }) => [properties['svc_kind'], properties['svc_state']]));
        await expect.poll(states, { timeout: 5_000 }).toMatchObject({ purge: 'interrupted' });
        await sleep(1_500);
        expect(await states()).toMatchObject({ index: 'running' });
        end();
        await alive;
        expect(await states()).toMatchObject({ index: 'done' });
        await watch.close();
      });
    } finally {
      reset();
    }
  });

  test('cannot be written by anybody', async () => {
    await expectProblem(await admin.post(recordsPath('svc_job'), { properties: {} }), 'forbidden', 'type_is_read_only');
    const [job] = await jobs();
    await expectProblem(await admin.delete(pathOfRecord(job as RecordData)), 'forbidden', 'type_is_read_only');
  });
});

describe('the audit', () => {
  test('cannot be written by anybody', async () => {
    const [entry] = await auditOf(admin);
    const path = pathOfRecord(entry as RecordData);
    for (const answer of [
      await admin.post(recordsPath('svc_audit_entry'), { properties: {} }),
      await admin.patch(path, { properties: {} }),
      await admin.delete(path),
    ]) {
      await expectProblem(answer, 'forbidden', 'type_is_read_only');
    }
  });

  test('has changes of the org and of its schema, by the service itself', async () => {
    await changeOrg(service.database, orgId, { name: 'Renamed' });
    await service.applySchema(orgId, { object_types: [{ name: 'boat', label: 'Boat', properties: [] }] });
    const entries = (await auditOf(admin)).slice(-2).map(({ properties }) => properties);
    expect(entries).toMatchObject([
      { svc_action: 'org.changed', svc_principal_id: 'svc_system', svc_detail: 'name' },
      { svc_action: 'schema.changed', svc_principal_id: 'svc_system' },
    ]);
    for (const entry of entries) expect(entry).not.toHaveProperty('svc_credential_id');
  });

  test('has imports, exports, backups and purges of the command line, which are jobs too', async () => {
    const { orgId: own, admin: client } = await administeredOrg(service);
    const on = ['--database-url', service.databaseUrl];
    await runOrrery(['export', '--org', String(own), '--type', 'svc_contact', ...on]);
    const contact = await make(client, 'svc_contact', {});
    await client.delete(pathOfRecord(contact));
    await runOrrery(['trash', 'purge', '--org', String(own), '--all', ...on]);
    expect((await actionsOf(client)).slice(-2)).toEqual(['export.finished', 'trash.purged']);
    const done = (await jobs(client)).map(({ properties }) => [properties['svc_kind'], properties['svc_state']]);
    expect(done).toEqual([
      ['export', 'done'],
      ['purge', 'done'],
    ]);
    const listed = await orreryJson<readonly { kind: string }[]>(['jobs', 'list', '--org', String(own), ...on]);
    expect(listed.map(({ kind }) => kind)).toEqual(['purge', 'export']);
    const audit = await orreryJson<readonly { action: string }[]>(['audit', 'list', '--org', String(own), ...on]);
    expect(audit[0]?.action).toBe('trash.purged');
  });

  test('notes a refused key once a minute, and nothing of what was typed', async () => {
    const { admin: client } = await administeredOrg(service);
    const key = await makeKey(client, { grants: ['svc_contact:read'] });
    await client.delete(pathOfRecord(key));
    for (let attempt = 0; attempt < 5; attempt++) {
      await expectProblem(await service.client(key.key).get('/self/'), 'unauthenticated', 'key_revoked');
    }
    const refused = async () =>
      (await auditOf(client)).filter(({ properties }) => properties['svc_action'] === 'access_key.refused');
    await expect.poll(async () => (await refused()).length, { timeout: 5_000 }).toBe(1);
    await sleep(1_000);
    const [entry, ...others] = await refused();
    expect(others).toEqual([]);
    expect(entry?.properties).toMatchObject({ svc_record_id: key.id, svc_detail: 'key_revoked' });
    expect(JSON.stringify(entry)).not.toContain(key.key.slice(22));
  });

  test('is kept for its time, and jobs that have ended are too', async () => {
    const { orgId: own, admin: client } = await administeredOrg(service);
    const before = await auditOf(client);
    expect(before.length).toBeGreaterThan(0);
    await keepHouse(service.database, { trashSeconds: 1e9, changesSeconds: 1e9, auditSeconds: 3_600 });
    expect(await auditOf(client)).toEqual(before);
    await sleep(5);
    await keepHouse(service.database, { trashSeconds: 1e9, changesSeconds: 1e9, auditSeconds: 0 });
    expect(await auditOf(client)).toEqual([]);
    for (const table of ['fact', 'index_time', 'search']) {
      const rows = await service.database.query(
        table === 'fact'
          ? sql`select 1 from orrery.fact where org_id = ${own} and type_id = 38`
          : table === 'search'
            ? sql`select 1 from orrery.search where org_id = ${own} and type_id = 38`
            : sql`select 1 from orrery.index_time where org_id = ${own} and type_id = 38`,
      );
      expect(rows, table).toEqual([]);
    }
  });
});
