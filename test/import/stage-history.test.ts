// An import brings in how long records were in their stages: timers like those of moves, and the entry time of the stage that
// a record is in. Rows come in any order; none overlaps another, and none contradicts what the service has seen.
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openImportFile, readRows } from '../../src/cli/import/source-file.ts';
import { parseMap } from '../../src/engine/import/column-map.ts';
import { openImport, planFor } from '../../src/engine/import/import.ts';
import { settleStyles } from '../../src/engine/import/settle-styles.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { type ImportEnd, ImportFolder, type ImportOptions } from '../support/import/driver.ts';
import { findingsIn } from '../support/integrity.ts';
import { link } from '../support/links.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { changesSince, endOfFeed, inShort } from '../support/read-feed.ts';
import { recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { currentStages, type Staged, stagedContact, stagedDeal, timersOf } from '../support/stages/history.ts';

const text = (name: string, more: object = {}) => ({ name, label: name, field_type: 'text', ...more });
const titled = (name: string) => ({
  name,
  label: name,
  title_property: 'title',
  properties: [text('title'), text('code', { unique: true })],
});
const toStage = (name: string, target: string) => {
  return { name, source: 'ticket', target, cardinality: 'many_to_one', stage: true };
};
const tickets = {
  object_types: [titled('ticket'), titled('phase'), titled('queue')],
  association_types: [
    toStage('ticket_to_phase', 'phase'),
    toStage('ticket_to_plan', 'phase'),
    toStage('ticket_to_queue', 'queue'),
  ],
};

let service: TestService;
let folder: ImportFolder;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, tickets);
  client = service.client((await service.createKey(orgId)).key);
});
let resetBounds = () => {};
afterEach(() => resetBounds());
afterAll(async () => {
  expect(await findingsIn(service.database, orgId)).toEqual([]);
  await service.stop();
  await folder.remove();
});

function run(type: string, lines: readonly string[], options: ImportOptions = {}): Promise<ImportEnd> {
  return folder.run(service, orgId, type, `${lines.join('\n')}\n`, options);
}

interface Found {
  readonly id: string;
  readonly version: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

async function all(type: string): Promise<readonly Found[]> {
  return (await client.get(`${recordsPath(type)}?limit=500`)).body.data;
}

/** The record with this value. */
async function named(type: string, value: string, key = 'svc_name'): Promise<Found> {
  const found = (await all(type)).find(({ properties }) => properties[key] === value);
  if (found === undefined) throw new Error(`There is no ${type} ${value}.`);
  return found;
}

/** What the errors file says of each refused row, without quotes. */
async function errorsOf({ result }: ImportEnd): Promise<readonly string[]> {
  const text = await readFile(result?.errors_file ?? '', 'utf8');
  return text.replaceAll('"', '').split(/\r?\n/).slice(1, -1);
}

const hub = { external_id: true, source: 'hubspot' };

/** Deals with the ids of another system, each in a stage. */
async function bringDeals(...lines: readonly string[]): Promise<void> {
  const map = { Hub: hub, Stage: { association: 'svc_deal_to_deal_pipeline_stage', by: 'title' } };
  const { result } = await run('svc_deal', ['Deal name,Hub,Stage', ...lines], { map });
  expect(result).toMatchObject({ refused: 0 });
}

const byHub = { 'Deal id': { association: 'svc_stage_timer_to_deal', by: 'external_id', source: 'hubspot' } };

function history(rows: readonly string[], options: ImportOptions = {}): Promise<ImportEnd> {
  return run('svc_stage_timer', ['Deal id;Stage;Entered;Left', ...rows], { map: byHub, ...options });
}

/** The stages of a record in the order of their times: `Discovery 2023-01-01 2023-02-01`, the present one without an end. */
async function stagesOf(name: string, staged: Staged = stagedDeal, key = 'svc_name'): Promise<readonly string[]> {
  const { id } = await named(staged.type, name, key);
  const title = staged.stageType.startsWith('svc_') ? 'svc_name' : 'title';
  const names = new Map((await all(staged.stageType)).map((stage) => [stage.id, stage.properties[title]]));
  const timers = await timersOf(client, staged, id);
  const past = timers.map(({ stageId = '', ...times }) => [names.get(stageId), times.enteredAt, times.leftAt]);
  const now = (await currentStages(client, staged, id)).map((each) => [names.get(each.id), each.associated_at]);
  return [...past, ...now]
    .toSorted((one, other) => String(one[1]).localeCompare(String(other[1])))
    .map((parts) => parts.map((part) => String(part).replace('T00:00:00.000Z', '')).join(' '));
}

const today = new Date().toISOString().slice(0, 10);

test('timers come in by the ids of the old system, in any order, and the last row dates the present stage', async () => {
  await bringDeals('Lights 1,101,Proposal', 'Trains 1,102,Won');
  const cursor = await endOfFeed(client);
  const rows = [
    '101;Proposal;2023-03-01;',
    '101;Discovery;2023-02-01T11:00:00+01:00;2023-03-01',
    '102;Won;5 Jan 2023;',
    '101;Qualification;2023-01-01;2023-02-01 10:00',
  ];
  const dry = await history(rows, { dryRun: true });
  expect(dry.result).toMatchObject({ rows: 4, created: 2, updated: 2, unchanged: 0, refused: 0, job_id: null });
  expect(await changesSince(client, cursor)).toEqual([]);
  const mapOut = `${folder.path}/history-map.json`;
  const end = await history(rows, { mapOut });
  expect(end.told.slice(1)).toEqual([
    '  "Deal id": svc_stage_timer_to_deal by the id in hubspot (rows without such a record are refused)',
    '  "Stage": svc_stage_timer_to_stage by title (rows without such a record are refused)',
    '  "Entered": svc_entered_at (dates as D MMM YYYY)',
    '  "Left": svc_left_at',
    '  Times without an offset are in UTC.',
  ]);
  expect(end.result).toMatchObject({ rows: 4, created: 2, updated: 2, unchanged: 0, refused: 0 });
  const lights = [
    'Qualification 2023-01-01 2023-02-01T10:00:00.000Z',
    'Discovery 2023-02-01T10:00:00.000Z 2023-03-01',
    'Proposal 2023-03-01',
  ];
  expect(await stagesOf('Lights 1')).toEqual(lights);
  expect(await stagesOf('Trains 1')).toEqual(['Won 2023-01-05']);

  // In the feed timers are as moves write them, and a present stage is entered again, by the job.
  const entries = await changesSince(client, cursor);
  expect(entries.map(inShort)).toEqual([
    'association.deleted svc_deal 2 svc_deal_to_deal_pipeline_stage',
    'association.created svc_deal 2 svc_deal_to_deal_pipeline_stage',
    'record.created svc_stage_timer 1',
    'association.deleted svc_deal 2 svc_deal_to_deal_pipeline_stage',
    'association.created svc_deal 2 svc_deal_to_deal_pipeline_stage',
    'record.created svc_stage_timer 1',
  ]);
  expect(new Set(entries.map(({ request_id }) => request_id))).toEqual(new Set([end.result?.job_id]));
  expect(entries.filter(({ type, changed }) => type !== 'record.created' && changed !== undefined)).toEqual([]);

  // The same rows again, by the map that was written, change nothing; nor do the timers as an export names them.
  const map = JSON.parse(await readFile(mapOut, 'utf8'));
  expect((await history(rows, { map })).result).toMatchObject({ created: 0, updated: 0, unchanged: 4, refused: 0 });
  const [{ id: deal }, { id: stage }] = [
    await named('svc_deal', 'Lights 1'),
    await named(stagedDeal.stageType, 'Discovery'),
  ];
  const exported = [
    'id,svc_entered_at,svc_left_at,svc_duration_seconds,svc_stage_timer_to_deal,svc_stage_timer_to_contact,svc_stage_timer_to_deal_pipeline_stage',
    `0,2023-02-01T10:00:00.000Z,2023-03-01T00:00:00.000Z,1,${deal},,${stage}`,
  ];
  expect((await run('svc_stage_timer', exported)).result).toMatchObject({ unchanged: 1, refused: 0 });

  // The report on times in stages has them.
  const report = await client.post(`${recordsPath('svc_stage_timer')}aggregate/`, {
    group_by: [{ association: 'svc_stage_timer_to_deal_pipeline_stage' }],
    aggregations: [{ function: 'avg', property: 'svc_duration_seconds', as: 'seconds' }],
  });
  expect(report.status, report.text).toBe(200);
  expect(
    report.body.data.map(({ values }: { values: { seconds: string } }) => Number(values.seconds)).toSorted(),
  ).toEqual([(28 * 24 - 10) * 3_600, (31 * 24 + 10) * 3_600]);
  const audit = await runCommand(service.databaseUrl, 'audit list', '', { org: String(orgId) });
  expect(audit.text).toContain('import.finished');
});

test('rows that overlap, contradict or name nothing are refused, each with its reason, in a dry run as well', async () => {
  // Three rows in a batch: overlaps are found within a batch and across.
  resetBounds = lowerBounds({ engine: { importedAtOnce: 3 } });
  await bringDeals('Lights 2,201,Proposal', 'Trains 2,202,Won', 'Twins 2,203,Won', 'Twins 2,204,Won');
  const rows = [
    '201;Qualification;2023-01-01;2023-02-01',
    '201;Discovery;2023-01-31;2023-02-05',
    '201;Proposal;2023-03-01;',
    '201;Discovery;2023-02-28;2023-03-02',
    '201;Qualification;2022-12-01;2023-01-02',
    '201;Discovery;2023-02-01;2023-02-01',
    '201;Discovery;2023-02-20;2023-02-10',
    '201;Discovery;2023-02-01;2199-01-01',
    '201;Discovery;1960-01-01;1961-01-01',
    '201;Negotiation;2023-03-05;',
    '201;Nowhere;2023-02-01;2023-02-02',
    '999;Discovery;2023-02-01;2023-02-02',
    ';Discovery;2023-02-01;2023-02-02',
    '201;;2023-02-01;2023-02-02',
    '201;Discovery;;2023-02-02',
    '201;Discovery;soon;2023-02-02',
    '201;Discovery;2023-02-10;2023-02-20',
    '201;To Do;2023-02-21;2023-02-22',
    '201;Proposal;2023-02-15;',
    '201;Qualification;2023-01-01;2023-02-01',
  ];
  const counts = { rows: 20, created: 3, updated: 1, unchanged: 1, refused: 15 };
  expect((await history(rows, { dryRun: true })).result).toMatchObject(counts);
  const end = await history(rows);
  expect(end.result).toMatchObject(counts);
  const reasons = (await errorsOf(end)).map((line) => line.replace(/ \([a-z_]+\);.*/, ''));
  expect(reasons).toEqual([
    'line 3: svc_entered_at: It overlaps a time in which the record was in a stage, from 2023-01-01T00:00:00.000Z to 2023-02-01T00:00:00.000Z.',
    'line 5: svc_left_at: It reaches past 2023-03-01T00:00:00.000Z: from then on the stages of the record are known.',
    'line 6: svc_entered_at: It overlaps a time in which the record was in a stage, from 2023-01-01T00:00:00.000Z to 2023-02-01T00:00:00.000Z.',
    'line 8: svc_left_at: The stage was left at 2023-02-10T00:00:00.000Z, before it was entered at 2023-02-20T00:00:00.000Z.',
    'line 9: svc_left_at: Expected a time between 1970 and now; got 2199-01-01T00:00:00.000Z.',
    'line 10: svc_entered_at: Expected a time between 1970 and now; got 1960-01-01T00:00:00.000Z.',
    'line 11: svc_left_at: The record is not in this stage now, so the row needs the time at which it left it.',
    'line 12: Stage: There is no record with the title Nowhere that svc_stage_timer_to_stage could lead to.',
    'line 13: Deal id: There is no record with the external_id 999 that svc_stage_timer_to_deal could lead to.',
    'line 14: Deal id: A row needs the record of the stage timer.',
    'line 15: Stage: A row needs the stage of the stage timer.',
    'line 16: svc_entered_at: svc_entered_at is required. Send a value.',
    'line 17: svc_entered_at: Expected ISO 8601 with seconds and an offset, such as 2026-03-31T09:30:00Z; got the string soon.',
    'line 19: Stage: Task Status is not a stage of Deal.',
    'line 20: svc_entered_at: It overlaps a time in which the record was in a stage, from 2023-02-10T00:00:00.000Z to 2023-02-20T00:00:00.000Z.',
  ]);
  expect(await stagesOf('Lights 2')).toEqual([
    'Qualification 2023-01-01 2023-02-01',
    'Discovery 2023-02-01 2023-02-01',
    'Discovery 2023-02-10 2023-02-20',
    'Proposal 2023-03-01',
  ]);
  // A title that two records have; and a row that names two.
  const titled = [
    'Deal;Deal id;Stage;Entered;Left',
    'Twins 2;;Won;2023-01-01;',
    'Trains 2;202;Won;2023-01-01;',
    'Trains 2;;won;2023-01-01;',
  ];
  const map = { ...byHub, Deal: { association: 'svc_stage_timer_to_deal', by: 'title' } };
  const some = await run('svc_stage_timer', titled, { map });
  expect(some.result).toMatchObject({ created: 0, updated: 1, refused: 2 });
  expect((await errorsOf(some)).join('\n')).toMatch(/title Twins 2 could mean .* or [\s\S]*takes one target/);
});

test('history ends where the service has seen the record change its stage', async () => {
  await bringDeals('Lights 3,301,Qualification', 'Trains 3,302,Won');
  const deal = { object_type: 'svc_deal', id: (await named('svc_deal', 'Lights 3')).id };
  const stage = async (name: string) => (await named('svc_deal_pipeline_stage', name)).id;
  expect((await history(['301;Discovery;2023-01-01;2023-02-01'])).result).toMatchObject({ created: 1 });
  const [first] = await currentStages(client, stagedDeal, deal.id);
  await link(client, deal, stagedDeal.association, await stage('Proposal'));
  const [second] = await currentStages(client, stagedDeal, deal.id);
  const rows = [
    // The time that the service has written, as it stands and otherwise; and the present stage.
    `301;Qualification;${first?.associated_at};${second?.associated_at}`,
    `301;Qualification;2023-03-01;${second?.associated_at}`,
    `301;Proposal;${second?.associated_at};`,
    '301;Proposal;2023-05-01;',
    `301;Won;2023-04-01;${first?.associated_at}`,
    '301;Qualification;2023-02-01;2023-03-01',
  ];
  const end = await history(rows);
  expect(end.result).toMatchObject({ created: 2, updated: 0, unchanged: 2, refused: 2 });
  const errors = await errorsOf(end);
  expect(errors[0]).toContain(`from ${first?.associated_at} to ${second?.associated_at}`);
  expect(errors[1]).toContain('It overlaps');
  expect((await stagesOf('Lights 3')).map((each) => each.split(' ')[0])).toEqual([
    'Discovery',
    'Qualification',
    'Won',
    'Qualification',
    'Proposal',
  ]);
  // A deal that was created in a stage here was in no other since then.
  const here =
    (await currentStages(client, stagedDeal, (await named('svc_deal', 'Trains 3')).id))[0]?.associated_at ?? '';
  const later = new Date(Date.parse(here) + 1).toISOString();
  const past = await history([`302;Proposal;2022-12-01;${later}`, `302;Won;${later};`]);
  expect(past.result).toMatchObject({ created: 0, updated: 0, refused: 2 });
  // A deal that has left its last stage has no present one; its own time is a bound all the same.
  const trains = { object_type: 'svc_deal', id: (await named('svc_deal', 'Trains 3')).id };
  await client.delete(
    `${recordsPath('svc_deal')}${trains.id}/associations/${stagedDeal.association}/${await stage('Won')}/`,
  );
  const left = await history(['302;Won;2023-01-01;', `302;Proposal;2023-01-01;2023-01-02`]);
  expect(left.result).toMatchObject({ created: 1, refused: 1 });
});

test('records that are dated in the past get the history since then', async () => {
  const map = { Hub: hub, Since: { created_at: true }, Stage: { association: stagedDeal.association, by: 'title' } };
  await run(
    'svc_deal',
    ['Deal name,Hub,Stage,Since', 'Lights 4,401,Proposal,2023-01-01', 'Trains 4,402,Won,2023-01-01'],
    {
      map,
    },
  );
  expect(await stagesOf('Lights 4')).toEqual(['Proposal 2023-01-01']);
  const rows = [
    '401;Qualification;2023-01-01;2023-02-01',
    '402;Negotiation;2023-01-01;2023-03-01',
    '401;Discovery;2023-02-01;2023-03-01',
    '401;Proposal;2023-03-01;',
  ];
  expect((await history(rows)).result).toMatchObject({ created: 3, updated: 1, refused: 0 });
  expect(await stagesOf('Lights 4')).toEqual([
    'Qualification 2023-01-01 2023-02-01',
    'Discovery 2023-02-01 2023-03-01',
    'Proposal 2023-03-01',
  ]);
  // Nothing says when the other entered its stage: it was not before the import.
  const trains = await stagesOf('Trains 4');
  expect(trains).toEqual(['Negotiation 2023-01-01 2023-03-01', expect.stringContaining(`Won ${today}`)]);
  expect((await history(['402;Won;2023-03-01;'])).result).toMatchObject({ updated: 1 });
  expect((await history(['401;Discovery;2023-03-01;2023-03-02'])).result).toMatchObject({ refused: 1 });
});

test('contacts, notes and custom types, with several stages each, are named in every way', async () => {
  await run('phase', ['title,code', 'Open,p1', 'Closed,p2']);
  await run('queue', ['title,code', 'Open,q1', 'Slow,q2']);
  const stages = { Phase: { association: 'ticket_to_phase' }, Queue: { association: 'ticket_to_queue' } };
  await run('ticket', ['title,code,Phase,Queue', 'Leak,t1,Closed,Slow'], { map: stages });
  const custom = (association: string, stageType: string): Staged => ({
    type: 'ticket',
    association,
    stageType,
    timerToRecord: 'svc_stage_timer_to_record',
    timerToStage: 'svc_stage_timer_to_stage',
  });
  const ticket = await named('ticket', 'Leak', 'title');
  const queue = await named('queue', 'Slow', 'title');

  // By a unique property and a title of two types: the association type of the map says which is meant.
  const code = ['Ticket code,Stage,Entered,Left', 't1,Open,2023-01-01,2023-02-01', 't1,Closed,2023-02-01,'];
  const either = await run('svc_stage_timer', code);
  expect(either.result).toMatchObject({ created: 0, refused: 2 });
  expect((await errorsOf(either)).join('\n')).toMatch(
    /title Open could mean [^\n]*\n[^\n]*by ticket_to_phase or ticket_to_plan: name one/,
  );
  const byPhase = { Stage: { association: 'ticket_to_phase', by: 'title' } };
  expect((await run('svc_stage_timer', code, { map: byPhase })).result).toMatchObject({ created: 1, updated: 1 });
  expect(await stagesOf('Leak', custom('ticket_to_phase', 'phase'), 'title')).toEqual([
    'Open 2023-01-01 2023-02-01',
    'Closed 2023-02-01',
  ]);
  // In its queues the record was at the same time. Ids of any type are found.
  const ids = ['Record id,Stage id,From,Until', `${ticket.id},${queue.id},2023-01-15,2023-02-15`];
  expect((await run('svc_stage_timer', ids)).result).toMatchObject({ created: 1, refused: 0 });

  const lifecycle = { Phase: { association: stagedContact.association } };
  await run('svc_contact', ['Last name,Email,Phase', 'Hopper,grace@x.example,Customer'], { map: lifecycle });
  const contacts = [
    'Contact email,Contact name,Lifecycle stage,Entered at,Left at,Days',
    'GRACE@x.example,Hopper,Interest,2023-01-01,2023-01-09,8',
  ];
  const people = await run('svc_stage_timer', contacts);
  expect(people.told).toContain('  "Contact name": ignored (another column names the record)');
  expect(people.result).toMatchObject({ created: 1, refused: 0 });
  expect((await stagesOf('Hopper', stagedContact, 'svc_last_name'))[0]).toBe('Interest 2023-01-01 2023-01-09');

  await run('svc_note', ['Title', 'Call back']);
  const notes = await run('svc_stage_timer', ['Task,Status,Start,End', 'Call back,In Progress,2023-01-01,2023-01-02']);
  expect(notes.result).toMatchObject({ created: 1, refused: 0 });
});

test('within a pipeline stages are told apart by its name', async () => {
  await bringDeals('Lights 6,601,Won');
  for (const name of ['Renewals', 'Onboarding']) {
    const pipeline = (await client.post(recordsPath('svc_deal_pipeline'), { properties: { svc_name: name } })).body
      .data;
    await client.post(recordsPath('svc_deal_pipeline_stage'), {
      properties: { svc_name: 'Review' },
      associations: [{ association_type: 'svc_deal_pipeline_stage_to_deal_pipeline', target_id: pipeline.id }],
    });
  }
  const row = ['601;Review;2023-01-01;2023-02-01'];
  expect((await history(row)).result).toMatchObject({ refused: 1 });
  const stage = { association: 'svc_stage_timer_to_deal_pipeline_stage', by: 'title', within: 'renewals' };
  expect((await history(row, { map: { ...byHub, Stage: stage } })).result).toMatchObject({ created: 1 });
});

test('an import that stops halfway goes on without doubles', async () => {
  resetBounds = lowerBounds({ engine: { importedAtOnce: 2 } });
  await bringDeals('Lights 7,701,Won', 'Trains 7,702,Won');
  const months = Array.from({ length: 6 }, (_, at) => `2022-0${at + 1}-01;2022-0${at + 2}-01`);
  const rows = months
    .flatMap((times) => [`701;Discovery;${times}`, `702;Proposal;${times}`])
    .concat('701;Won;2022-08-01;');
  const path = await folder.write(['Deal id;Stage;Entered;Left', ...rows, ''].join('\n'));
  await withCommandEngine(service.database, async (engine) => {
    const file = await openImportFile(path);
    const decided = await planFor(engine, {
      orgId,
      typeName: 'svc_stage_timer',
      headers: file.headers,
      rows: [],
      map: parseMap(byHub, {}),
      match: undefined,
    });
    const planned = { ...decided, plan: await settleStyles(decided.plan, readRows(file)) };
    const opened = await openImport(engine, planned, file);
    const stops = opened.run(
      readRows(file),
      { path: `${path}.errors`, length: 0 },
      {
        keepReported: (_, length) => Promise.resolve(length),
        progressed: ({ rows: done }) => {
          if (done === 6) throw new Error('It stops here.');
        },
      },
    );
    await expect(stops).rejects.toThrow('It stops here.');
    await opened.close();
  });
  expect(await stagesOf('Lights 7')).toHaveLength(4);
  const end = await folder.runFile(service.databaseUrl, orgId, 'svc_stage_timer', path, {
    map: byHub,
    errors: `${path}.errors`,
  });
  expect(end.result).toMatchObject({ rows: 13, resumed_at: 6, created: 12, updated: 1, unchanged: 0, refused: 0 });
  expect(await stagesOf('Trains 7')).toHaveLength(7);
  const again = await folder.runFile(service.databaseUrl, orgId, 'svc_stage_timer', path, { map: byHub });
  expect(again.result).toMatchObject({ rows: 13, created: 0, updated: 0, unchanged: 13, refused: 0 });
});

test('the operator takes the timers and the entry times of an import back, and not what the service saw', async () => {
  await bringDeals('Lights 8,801,Proposal', 'Trains 8,802,Won', 'Boats 8,803,Won');
  const before = [await stagesOf('Lights 8'), await stagesOf('Trains 8')];
  const rows = [
    '801;Qualification;2023-01-01;2023-02-01',
    '801;Proposal;2023-02-01;',
    '802;Won;2023-01-01;',
    '803;Won;2023-01-01;',
  ];
  const end = await history(rows);
  const after = [await stagesOf('Lights 8'), await stagesOf('Trains 8')];
  const boats = { object_type: 'svc_deal', id: (await named('svc_deal', 'Boats 8')).id };
  await link(client, boats, stagedDeal.association, (await named('svc_deal_pipeline_stage', 'Lost')).id);
  const org = String(orgId);
  // A key takes nothing of it back: timers stay, and so do the times that were told.
  const asKey = await client.post('/batch/', { operations: [{ operation: 'revert', job_id: end.result?.job_id }] });
  expect(asKey.body.data.results[0]).toMatchObject({ counts: { reverted: 0 } });
  expect([await stagesOf('Lights 8'), await stagesOf('Trains 8')]).toEqual(after);

  const reverted = await runCommand(service.databaseUrl, 'revert', '', { org, job: end.result?.job_id });
  expect(reverted.value).toMatchObject({ counts: { reverted: 3, kept: 1, refused: 0 } });
  expect([await stagesOf('Lights 8'), await stagesOf('Trains 8')]).toEqual(before);
  // The deal that has moved since keeps the time in the stage that it left.
  expect((await stagesOf('Boats 8'))[0]).toMatch(/^Won 2023-01-01 /);
  // What was taken back can be imported again, or come back.
  const redone = await runCommand(service.databaseUrl, 'revert', '', {
    org,
    job: (reverted.value as { job_id: string }).job_id,
  });
  expect(redone.value).toMatchObject({ counts: { reverted: 3, refused: 0 } });
  expect([await stagesOf('Lights 8'), await stagesOf('Trains 8')]).toEqual(after);
});

test('a timer that was taken back does not come back where another has its time', async () => {
  await bringDeals('Lights 9,901,Proposal');
  const org = String(orgId);
  const first = await history(['901;Qualification;2023-01-01;2023-02-01']);
  const reverted = await runCommand(service.databaseUrl, 'revert', '', { org, job: first.result?.job_id });
  await history(['901;Qualification;2023-01-01;2023-01-20']);
  const job = (reverted.value as { job_id: string }).job_id;
  expect((await runCommand(service.databaseUrl, 'revert', '', { org, job })).value).toMatchObject({
    counts: { reverted: 0, refused: 1 },
  });
  expect((await stagesOf('Lights 9'))[0]).toBe('Qualification 2023-01-01 2023-01-20');
});

test('a whole org that goes out and back has its history, which a second import recognises', async () => {
  await bringDeals('Lights 10,1001,Proposal');
  const rows = ['1001;Qualification;2023-01-01;2023-02-01', '1001;Proposal;2023-02-01;'];
  await history(rows);
  const expected = await stagesOf('Lights 10');
  const path = `${folder.path}/everything`;
  const exported = await runCommand(service.databaseUrl, 'export', '', { org: String(orgId), all: path });
  expect(exported.failure).toBeUndefined();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const migrated = await runCommand(service.databaseUrl, 'migrate', path, { org: String(orgId), from: 'folder' });
  expect(migrated.failure).toBeUndefined();
  client = service.client((await service.createKey(orgId)).key);
  expect(await stagesOf('Lights 10')).toEqual(expected);
  const more = [...rows, '1001;Discovery;2023-02-01;2023-03-01', '1001;Discovery;2022-12-01;2022-12-31'];
  expect((await history(more)).result).toMatchObject({ created: 1, unchanged: 2, refused: 1 });
});
