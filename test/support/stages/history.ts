// The stages of a record as the service shows them, from three sides: the links that it has, its timers, and the feed;
// and whether the three agree.
import { expect } from 'vitest';
import type { Client } from '../client.ts';
import type { FeedEntry } from '../feed/copy.ts';
import { linkPath } from '../plain-requests.ts';
import type { RecordData } from '../records.ts';

/** A type whose records have stages, and the names that belong to it. */
export interface Staged {
  readonly type: string;
  readonly association: string;
  readonly stageType: string;
  /** From a timer to the record, and to the stage that it left. */
  readonly timerToRecord: string;
  readonly timerToStage: string;
}

export const stagedDeal: Staged = {
  type: 'svc_deal',
  association: 'svc_deal_to_deal_pipeline_stage',
  stageType: 'svc_deal_pipeline_stage',
  timerToRecord: 'svc_stage_timer_to_deal',
  timerToStage: 'svc_stage_timer_to_deal_pipeline_stage',
};

export const stagedContact: Staged = {
  type: 'svc_contact',
  association: 'svc_contact_to_lifecycle_stage',
  stageType: 'svc_contact_lifecycle_stage',
  timerToRecord: 'svc_stage_timer_to_contact',
  timerToStage: 'svc_stage_timer_to_contact_lifecycle_stage',
};

interface Timer {
  readonly id: string;
  readonly enteredAt: string;
  readonly leftAt: string;
  readonly stageId: string | undefined;
}

interface CurrentStage {
  readonly id: string;
  readonly associated_at: string;
}

/** The stages that the record is in: none or one, if the rules hold. */
export async function currentStages(client: Client, staged: Staged, id: string): Promise<readonly CurrentStage[]> {
  const { status, body, text } = await client.get(linkPath(staged.type, id, staged.association));
  expect(status, text).toBe(200);
  return body.data;
}

/** All timers of the record, in no order. Each has the duration that its times make. */
export async function timersOf(client: Client, staged: Staged, id: string): Promise<readonly Timer[]> {
  const timers: RecordData[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? 'limit=40' : `limit=40&cursor=${cursor}`;
    const { status, body, text } = await client.get(`${linkPath(staged.type, id, staged.timerToRecord)}?${query}`);
    expect(status, text).toBe(200);
    timers.push(...(body.data as RecordData[]));
    cursor = body.pagination?.next_cursor ?? null;
  }
  return Promise.all(
    timers.map(async ({ id: timerId, object_type, properties }) => {
      const [enteredAt, leftAt] = [String(properties['svc_entered_at']), String(properties['svc_left_at'])];
      const seconds = (Date.parse(leftAt) - Date.parse(enteredAt)) / 1_000;
      expect([object_type, properties['svc_duration_seconds']]).toEqual(['svc_stage_timer', seconds.toFixed(3)]);
      const { body } = await client.get(linkPath('svc_stage_timer', timerId, staged.timerToStage));
      const stages = body.data as readonly { id: string }[];
      return { id: timerId, enteredAt, leftAt, stageId: stages.length === 1 ? stages[0]?.id : undefined };
    }),
  );
}

/** All entries of the feed for which it holds. */
export async function entriesOf(client: Client, parameters: string): Promise<readonly FeedEntry[]> {
  const entries: FeedEntry[] = [];
  let cursor = 'earliest';
  for (;;) {
    const { status, body, text } = await client.get(`/changes/?limit=1000&cursor=${cursor}&${parameters}`);
    expect(status, text).toBe(200);
    if (body.data.length === 0) return entries;
    entries.push(...(body.data as FeedEntry[]));
    cursor = body.pagination?.next_cursor ?? '';
  }
}

interface Stay {
  readonly stageId: string;
  /** The request that ended it. */
  readonly requestId: string;
  /** Whether it began where the one before it ended. */
  readonly joined: boolean;
}

interface Story {
  readonly stays: readonly Stay[];
  /** The stage at the end, and whether it was entered right from another. */
  readonly current: { readonly stageId: string; readonly joined: boolean } | undefined;
}

/** The stages of a record according to its feed: a deleted record leaves its stage and enters it when it comes back. */
function storyOf(entries: readonly FeedEntry[], association: string): Story {
  const stays: Stay[] = [];
  let current: { stageId: string; joined: boolean } | undefined;
  let left: { stageId: string; requestId: string } | undefined;
  let kept: string | undefined;
  for (const entry of entries) {
    const { type, request_id: requestId, target_id: target = '' } = entry;
    const leave = () => {
      if (current === undefined) return;
      stays.push({ ...current, requestId });
      left = { stageId: current.stageId, requestId };
      current = undefined;
    };
    const enter = (stageId: string) => {
      if (current !== undefined) throw new Error(`${JSON.stringify(entry)} comes while another stage is left open`);
      current = { stageId, joined: left?.requestId === requestId };
    };
    if (type === 'record.deleted') {
      kept = current?.stageId;
      leave();
    } else if (type === 'record.restored' && kept !== undefined) enter(kept);
    else if (entry.association_type === association) {
      if (type === 'association.created') enter(target);
      else leave();
    }
  }
  return { stays, current };
}

/**
 * Compares links, timers and feed of the record with each other; returns its timers in the order in which they ended.
 */
export async function expectOneStory(client: Client, staged: Staged, id: string): Promise<readonly Timer[]> {
  const { stays, current } = storyOf(await entriesOf(client, `record_id=${id}`), staged.association);
  const made = await entriesOf(client, 'object_type=svc_stage_timer');
  const timers = await timersOf(client, staged, id);
  const stages = await currentStages(client, staged, id);
  expect(stages.map((stage) => stage.id)).toEqual(current === undefined ? [] : [current.stageId]);
  expect(timers.length).toBe(stays.length);
  const ordered = stays.map(({ requestId }) => {
    const timerId = made.find((entry) => entry.request_id === requestId)?.record_id;
    const timer = timers.find((each) => each.id === timerId);
    if (timer === undefined) throw new Error(`Request ${requestId} left a stage without a timer.`);
    return timer;
  });
  expect(new Set(ordered.map((timer) => timer.id)).size).toBe(timers.length);
  expect(ordered.map((timer) => timer.stageId)).toEqual(stays.map((stay) => stay.stageId));
  const ends = [...stays, ...(current === undefined ? [] : [current])];
  const begins = [...ordered.map((timer) => timer.enteredAt), ...stages.map((stage) => stage.associated_at)];
  for (const [index, timer] of ordered.entries()) {
    expect(timer.leftAt >= timer.enteredAt, `${timer.enteredAt} to ${timer.leftAt}`).toBe(true);
    const begin = begins[index + 1];
    if (begin === undefined) continue;
    if (ends[index + 1]?.joined === true) expect(begin, `after ${timer.leftAt}`).toBe(timer.leftAt);
    else expect(begin >= timer.leftAt, `${begin} after ${timer.leftAt}`).toBe(true);
  }
  return ordered;
}
