// One record that many move among stages at once, over two services on one database: it is in one stage at the end, and
// its timers show where it was, without gap or overlap, with any clocks of the services (contract 6).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { findingsIn } from '../support/integrity.ts';
import { linkPath } from '../support/plain-requests.ts';
import { Random } from '../support/random.ts';
import { make, pathOfRecord, read, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  currentStages,
  entriesOf,
  expectOneStory,
  type Staged,
  stagedContact,
  stagedDeal,
  timersOf,
} from '../support/stages/history.ts';

/** How far the clocks of the two services are off at their next reading. */
let offsetsMs: readonly [() => number, () => number] = [() => 0, () => 0];

function clockOf(place: 0 | 1): Clock {
  return { ...systemClock, nowMs: () => systemClock.nowMs() + offsetsMs[place]() };
}

let first: TestService;
let second: TestService;
let orgId: number;
let clients: readonly [Client, Client];
beforeAll(async () => {
  first = await startService({ clock: clockOf(0) });
  second = await startService({ databaseUrl: first.databaseUrl, clock: clockOf(1) });
  orgId = await first.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  const { key } = await first.createKey(orgId);
  clients = [first.client(key), second.client(key)];
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

function at(index: number): Client {
  return clients[index % 2 === 0 ? 0 : 1];
}

async function stagesOf(type: string): Promise<readonly string[]> {
  const { body } = await at(0).get(`${recordsPath(type)}?limit=500`);
  expect(body.data.length).toBeGreaterThan(3);
  return (body.data as { id: string }[]).map(({ id }) => id);
}

interface Move {
  readonly target: string;
  readonly answer: Answer;
}

/** Twenty clients that make three moves each, every move to a random stage; half of the clients use each service. */
async function raceMoves(staged: Staged, id: string, seed: number): Promise<readonly Move[]> {
  const random = new Random(seed);
  const stages = await stagesOf(staged.stageType);
  const moves = await Promise.all(
    random.times(20, async (client) => {
      const made: Move[] = [];
      for (const target of random.times(3, () => random.pick(stages))) {
        const answer = await at(client).call('PUT', linkPath(staged.type, id, staged.association, target));
        made.push({ target, answer });
      }
      return made;
    }),
  );
  return moves.flat();
}

/** The versions that requests gave the record by changing its stage, as the feed has them. */
async function versionsOf(staged: Staged, id: string): Promise<ReadonlyMap<string, number>> {
  const entries = await entriesOf(at(0), `record_id=${id}`);
  const own = entries.filter((entry) => entry.association_type === staged.association);
  return new Map(own.map((entry) => [entry.request_id, Number(entry.version)]));
}

/** All moves were answered with 200, and put in the order of their versions each replaces the one before. */
async function expectChain(staged: Staged, id: string, moves: readonly Move[]): Promise<void> {
  expect(moves.map(({ answer }) => answer.status).filter((status) => status !== 200)).toEqual([]);
  const versions = await versionsOf(staged, id);
  const versionOf = ({ answer }: Move) => versions.get(answer.body.request_id) ?? 0;
  const changed = moves
    .filter(({ answer }) => answer.body.data.changed)
    .toSorted((left, right) => versionOf(left) - versionOf(right));
  // The first of them enters; each later one gives one new version and one timer.
  expect(changed.map(versionOf)).toEqual(changed.map((_, index) => 2 + index));
  expect((await read(at(1), { object_type: staged.type, id })).version).toBe(String(changed.length + 1));
  expect(changed.map(({ answer }) => answer.body.data.replaced_target_id)).toEqual(
    changed.map((_, index) => changed[index - 1]?.target),
  );
  const timerIds = changed.slice(1).map(({ answer }) => answer.body.data.stage_timer_id as string | undefined);
  expect(changed[0]?.answer.body.data.stage_timer_id).toBeUndefined();
  expect(new Set(timerIds).size).toBe(changed.length - 1);
  for (const { answer } of moves.filter((move) => !move.answer.body.data.changed)) {
    expect(answer.body.data.stage_timer_id).toBeUndefined();
    expect(answer.body.data.replaced_target_id).toBeUndefined();
  }
  const ordered = await expectOneStory(at(1), staged, id);
  expect(ordered.map((timer) => timer.id)).toEqual(timerIds);
  for (const [index, timer] of ordered.entries()) {
    const next = ordered[index + 1]?.enteredAt ?? (await currentStages(at(0), staged, id))[0]?.associated_at;
    expect(next).toBe(timer.leftAt);
  }
}

test.each([
  ['deals', stagedDeal],
  ['contacts', stagedContact],
])('twenty clients at once leave %s in one stage, with timers that join end to end', async (_, staged) => {
  offsetsMs = [() => 0, () => 0];
  const { id } = await make(at(0), staged.type);
  await expectChain(staged, id, await raceMoves(staged, id, 1));
});

test('two clocks that are a minute apart leave no gap and no overlap, and no time runs backwards', async () => {
  offsetsMs = [() => 0, () => -60_000];
  const { id } = await make(at(0), 'svc_deal');
  await expectChain(stagedDeal, id, await raceMoves(stagedDeal, id, 2));
});

test('clocks that step back at every reading leave no gap and no overlap, and no time runs backwards', async () => {
  const steps = new Random(3);
  offsetsMs = [() => steps.between(-90_000, 0), () => steps.between(-5_000, 5_000)];
  const { id } = await make(at(0), 'svc_deal');
  await expectChain(stagedDeal, id, await raceMoves(stagedDeal, id, 3));
});

test.each([
  ['clocks that agree', 0],
  ['clocks that step back', -30_000],
])('moves, deletes and restores at once make one story, with %s', async (_, furthestMs) => {
  const steps = new Random(5);
  offsetsMs = [() => steps.between(furthestMs, 0), () => steps.between(furthestMs, 0)];
  const { id } = await make(at(0), 'svc_deal');
  const [stage = ''] = await stagesOf(stagedDeal.stageType);
  const entering = await at(0).call('PUT', linkPath('svc_deal', id, stagedDeal.association, stage));
  expect(entering.body.data).toMatchObject({ changed: true });
  const restore = { operations: [{ operation: 'restore', object_type: 'svc_deal', id }] };
  const others = Array.from({ length: 24 }, (_, index) =>
    index % 3 === 0
      ? at(index).delete(pathOfRecord({ object_type: 'svc_deal', id }))
      : at(index).post('/batch/', restore),
  );
  const [moves, disturbed] = await Promise.all([raceMoves(stagedDeal, id, 6), Promise.all(others)]);
  const outcomes = new Set(moves.map(({ answer: { status, body } }) => `${status} ${body.reason ?? ''}`.trim()));
  expect([...outcomes].filter((each) => each !== '200' && each !== '404 record_unknown')).toEqual([]);
  expect(disturbed.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
  expect((await at(1).post('/batch/', restore)).status).toBe(200);
  const ordered = await expectOneStory(at(0), stagedDeal, id);
  const given = moves.map(({ answer }) => answer.body.data?.stage_timer_id).filter((each) => each !== undefined);
  const deletes = (await entriesOf(at(0), `record_id=${id}`)).filter(({ type }) => type === 'record.deleted');
  expect(deletes.length).toBe(disturbed.filter(({ status, body }) => status === 200 && body.data.deleted).length);
  expect(new Set(given).size).toBe(given.length);
  expect(ordered.length).toBe(given.length + deletes.length);
});

test('a move that is repeated changes nothing and makes no timer, one after the other or at once', async () => {
  offsetsMs = [() => 0, () => 0];
  const { id } = await make(at(0), 'svc_deal');
  const [one = '', two = ''] = await stagesOf(stagedDeal.stageType);
  const move = (stage: string, index: number) =>
    at(index).call('PUT', linkPath('svc_deal', id, stagedDeal.association, stage));
  expect((await move(one, 0)).body.data).toMatchObject({ changed: true });
  const [before] = await currentStages(at(0), stagedDeal, id);
  const repeated = await Promise.all(Array.from({ length: 10 }, (_, index) => move(one, index)));
  for (const { status, body } of repeated) {
    expect([status, body.data.changed, body.data.stage_timer_id]).toEqual([200, false, undefined]);
  }
  expect((await read(at(1), { object_type: 'svc_deal', id })).version).toBe('2');
  expect(await currentStages(at(1), stagedDeal, id)).toEqual([before]);
  const racing = await Promise.all(Array.from({ length: 20 }, (_, index) => move(two, index)));
  expect(racing.filter(({ body }) => body.data.changed).length).toBe(1);
  expect(racing.filter(({ body }) => body.data.stage_timer_id !== undefined).length).toBe(1);
  expect((await timersOf(at(0), stagedDeal, id)).map(({ stageId }) => stageId)).toEqual([one]);
  const unlinked = await Promise.all(
    Array.from({ length: 10 }, (_, index) => at(index).delete(linkPath('svc_deal', id, stagedDeal.association, two))),
  );
  expect(unlinked.filter(({ body }) => body.data.changed).length).toBe(1);
  expect(unlinked.filter(({ body }) => body.data.stage_timer_id !== undefined).length).toBe(1);
  expect((await expectOneStory(at(1), stagedDeal, id)).map(({ stageId }) => stageId)).toEqual([one, two]);
});

test('after all these moves every row agrees with every other', async () => {
  expect(await findingsIn(first.database, orgId)).toEqual([]);
});
