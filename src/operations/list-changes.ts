// GET /changes/: what has changed in the org, in the order in which it was committed.
import { Type } from 'typebox';
import { isoText, sleep } from '../base/clock.ts';
import { shorten } from '../base/json.ts';
import { bounds, limits } from '../base/limits.ts';
import type { Fault } from '../base/problem.ts';
import { type ReadEntry, readEntry } from '../engine/feed/entry.ts';
import { beginFeed, type FeedPage, type FeedQuestion, readFeed } from '../engine/feed/page.ts';
import type { Call } from '../engine/process/call.ts';
import type { FeedPlace } from '../query/feed-cursor.ts';
import { listChangesExamples } from './examples/list-changes.ts';
import type { Input, KeyCall, KeyOperation } from './operation.ts';
import type { Parameter } from './request/parameter.ts';
import { ChangeShape } from './shapes/change.ts';
import { openFeedCursor, toFeedCursor } from './shared/feed-cursor.ts';
import { requireObjectType } from './shared/permit.ts';

export const listChanges: KeyOperation = {
  id: 'listChanges',
  method: 'GET',
  path: '/changes/',
  tag: 'Changes',
  access: 'key',
  summary: 'What has changed',
  description:
    'Every change of a record and of a link that the key can see, in the order of their commits; entries of one record ' +
    'come by rising version, and none is skipped. To keep a copy: load all pages of a list or a query, then follow the ' +
    'feed from the `changes_cursor` of its first page; entries with a version below the one that the copy has tell what ' +
    'it knows already. A link whose other end the key cannot see is left out, although it gives its source a version. ' +
    'To a key of reach `user`, a record that it can no longer see reads as `record.deleted`, ' +
    'and one that it now sees as `record.restored` with current values and version. Changes are kept for 30 days, unless the operator chose ' +
    'otherwise; an older cursor is 410 `cursor_expired`.',
  query: {
    cursor: {
      description:
        '`pagination.next_cursor` of the page before, or a `changes_cursor`; `earliest` for all that is kept, `latest` ' +
        'for what comes from now on. Good for every key of the org.',
      schema: Type.String({ minLength: 1, default: 'earliest' }),
    },
    limit: wholeNumber(
      'limit',
      1,
      limits.changesPageSize,
      bounds.operations.feedEntriesDefault,
      'How many entries a page has',
    ),
    object_type: {
      description: 'Only changes of records of this type.',
      schema: Type.String({ minLength: 1, maxLength: 63 }),
    },
    record_id: {
      description: 'Only changes of this record: its history.',
      schema: Type.String({ minLength: 1, maxLength: 64 }),
    },
    wait: wholeNumber(
      'wait',
      0,
      bounds.operations.feedWaitSeconds,
      0,
      'How many seconds to wait if there is nothing yet',
    ),
  },
  answer: {
    status: 200,
    description: 'A page of entries. `next_cursor` is never null: it goes on with what comes later.',
    schema: Type.Array(ChangeShape),
    paged: true,
  },
  problems: ['not_found', 'gone'],
  examples: listChangesExamples,
  faults: async (call, input) => {
    const detail = 'This is no cursor of the changes of this org. Begin with `earliest` or `latest`.';
    const broken: Fault = { parameter: 'cursor', reason: 'invalid_cursor', detail };
    return (await placeOf(call, input)) === undefined ? [broken] : [];
  },
  run: async (call, input) => {
    const { query } = input;
    const name = query.get('object_type');
    const question: FeedQuestion = {
      type: name === undefined ? undefined : requireObjectType(call.session, name),
      recordId: query.get('record_id'),
      limit: Number(query.get('limit') ?? bounds.operations.feedEntriesDefault),
    };
    const place = await placeOf(call, input);
    if (place === undefined) throw new TypeError('A cursor that has faults is used.');
    const start = typeof place === 'string' ? await beginFeed(call, place) : place;
    const seconds = Number(query.get('wait') ?? 0);
    const { page, session } = await readOrWait(call, question, start, seconds);
    const nameOf = await call.engine.cursors.entryNames(session.caller.orgId);
    return {
      data: page.rows.map((row) => entryBody(readEntry(session, row), nameOf)),
      pagination: { next_cursor: await toFeedCursor(call, page.place) },
    };
  },
};

function entryBody({ changed, link, ...entry }: ReadEntry, nameOf: (seq: string) => string) {
  return {
    id: nameOf(entry.seq),
    type: entry.kind,
    object_type: entry.typeName,
    record_id: entry.recordId,
    version: entry.version,
    ...(changed === undefined ? {} : { changed }),
    ...(link === undefined
      ? {}
      : { association_type: link.associationType, target_type: link.targetType, target_id: link.targetId }),
    at: isoText(entry.atMs),
    principal_id: entry.principalId,
    request_id: entry.requestId,
  };
}

function wholeNumber(parameter: string, least: number, most: number, fallback: number, what: string): Parameter {
  return {
    description: `${what}, from ${least} to ${most}.`,
    schema: Type.Integer({ minimum: least, maximum: most, default: fallback }),
    check: (text) =>
      /^(0|[1-9][0-9]{0,8})$/.test(text) && Number(text) >= least && Number(text) <= most
        ? undefined
        : {
            parameter,
            reason: parameter === 'limit' ? 'limit_out_of_range' : 'invalid_parameter',
            detail: `Expected a whole number from ${least} to ${most}; got ${JSON.stringify(shorten(text))}.`,
          },
  };
}

/** Where the reader stands, or from which end it wants to begin; undefined for a cursor that is none. */
async function placeOf(call: Call, { query }: Input): Promise<FeedPlace | 'earliest' | 'latest' | undefined> {
  const cursor = query.get('cursor') ?? 'earliest';
  if (cursor === 'earliest' || cursor === 'latest') return cursor;
  return openFeedCursor(call, cursor);
}

/** The page, as soon as it has something, or as it is when the time is over. */
async function readOrWait(call: KeyCall, question: FeedQuestion, start: FeedPlace, seconds: number) {
  const { engine } = call;
  const untilMs = engine.clock.monotonicMs() + seconds * 1_000;
  const watch = seconds === 0 ? undefined : engine.signal.watch(call.session.caller.orgId);
  let { session } = call;
  try {
    let page: FeedPage = await readFeed(call, question, start);
    while (page.rows.length === 0 && watch !== undefined && !call.isAbandoned()) {
      const leftMs = untilMs - engine.clock.monotonicMs();
      if (leftMs <= 0 || !watch.isOpen()) break;
      await watch.next(Math.min(leftMs, bounds.operations.feedPollMs));
      await sleep(bounds.engine.notifyEveryMs);
      // A key can be revoked while it waits.
      session = await engine.sessions.renew(session);
      // Where nothing was committed at all there is nothing to read.
      if ((await engine.feed.now()).snapshot === page.place.from) continue;
      page = await readFeed({ ...call, session }, question, page.place);
    }
    return { page, session };
  } finally {
    watch?.close();
  }
}
