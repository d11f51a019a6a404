// Moving a record from stage to stage and out of its last one: the answer, the timer, the grants and the feed (contract 6).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import type { Client } from '../support/client.ts';
import { associated, endOf, idsOf, keyWith, link, makeAll, unlink } from '../support/links.ts';
import { changesSince, endOfFeed, inShort } from '../support/read-feed.ts';
import { listedIds, type RecordData, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const dealStage = 'svc_deal_to_deal_pipeline_stage';

let service: TestService;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(() => service.stop());

test('moving a deal names the stage that it left and the timer of its time there', async () => {
  const [deal, one, two] = await makeAll(client, 'svc_deal', 'svc_deal_pipeline_stage', 'svc_deal_pipeline_stage');
  const entered = await link(client, deal, dealStage, one.id);
  expect(entered).toEqual({ association_type: dealStage, source: endOf(deal), target: endOf(one), changed: true });
  const [at] = await associated(client, deal, dealStage);
  await sleep(5);
  const moved = await link(client, deal, dealStage, two.id);
  expect(moved).toEqual({
    association_type: dealStage,
    source: endOf(deal),
    target: endOf(two),
    changed: true,
    replaced_target_id: one.id,
    stage_timer_id: expect.any(String),
  });
  const timer = await read(client, { object_type: 'svc_stage_timer', id: moved.stage_timer_id ?? '' });
  const [now] = await associated(client, deal, dealStage);
  expect(timer.properties).toMatchObject({ svc_entered_at: at?.associated_at, svc_left_at: now?.associated_at });
  const timers = (type: string, record: RecordData) => associated(client, record, type, 'direction=incoming');
  expect(idsOf(await timers('svc_stage_timer_to_deal', deal))).toEqual([timer.id]);
  expect(idsOf(await timers('svc_stage_timer_to_deal_pipeline_stage', one))).toEqual([timer.id]);
  const again = await link(client, deal, dealStage, two.id);
  expect(again).toEqual({ association_type: dealStage, source: endOf(deal), target: endOf(two), changed: false });
});

test('removing the link to a stage leaves the deal without a stage, and with a timer', async () => {
  const [deal, stage] = await makeAll(client, 'svc_deal', 'svc_deal_pipeline_stage');
  await link(client, deal, dealStage, stage.id);
  const [entered] = await associated(client, deal, dealStage);
  await sleep(5);
  const answer = await unlink(client, deal, dealStage, stage.id);
  expect(answer).toEqual({
    association_type: dealStage,
    source: endOf(deal),
    target: endOf(stage),
    changed: true,
    stage_timer_id: expect.any(String),
  });
  const timer = await read(client, { object_type: 'svc_stage_timer', id: answer.stage_timer_id ?? '' });
  expect(timer.properties['svc_entered_at']).toBe(entered?.associated_at);
  expect(await associated(client, deal, dealStage)).toEqual([]);
  const again = await unlink(client, deal, dealStage, stage.id);
  expect(again).toMatchObject({ changed: false });
  expect(again).not.toHaveProperty('stage_timer_id');
});

test('a stage timer is written for a key that cannot read timers, and not named to it', async () => {
  const [deal, one, two] = await makeAll(client, 'svc_deal', 'svc_deal_pipeline_stage', 'svc_deal_pipeline_stage');
  const own = await keyWith(service, orgId, ['svc_deal', 'associate'], ['svc_deal_pipeline_stage', 'read']);
  await link(own, deal, dealStage, one.id);
  const before = await listedIds(client, 'svc_stage_timer');
  await sleep(2);
  const moved = await link(own, deal, dealStage, two.id);
  expect(moved).not.toHaveProperty('stage_timer_id');
  expect(moved.replaced_target_id).toBe(one.id);
  expect(await unlink(own, deal, dealStage, two.id)).not.toHaveProperty('stage_timer_id');
  expect(await listedIds(client, 'svc_stage_timer')).toHaveLength(before.length + 2);
});

test('the feed has the creation of a timer, without its links', async () => {
  const [deal, one, two] = await makeAll(client, 'svc_deal', 'svc_deal_pipeline_stage', 'svc_deal_pipeline_stage');
  await link(client, deal, dealStage, one.id);
  const cursor = await endOfFeed(client);
  const timer = (await link(client, deal, dealStage, two.id)).stage_timer_id;
  const entries = await changesSince(client, cursor);
  expect(entries.map(inShort).sort()).toEqual([
    `association.created svc_deal 3 ${dealStage}`,
    `association.deleted svc_deal 3 ${dealStage}`,
    'record.created svc_stage_timer 1',
  ]);
  const created = entries.find(({ object_type }) => object_type === 'svc_stage_timer');
  const { principal_id } = (await client.get('/self/')).body.data;
  expect(created).toMatchObject({ record_id: timer, principal_id });
  expect(Object.keys(created?.changed ?? {}).sort()).toEqual(['svc_duration_seconds', 'svc_entered_at', 'svc_left_at']);
});
