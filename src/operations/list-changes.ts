// GET /changes/: the changes of the org, in the order in which they were committed.
import { Type } from 'typebox';
import { bounds, limits } from '../base/limits.ts';
import { beginFeed, type FeedQuestion, placeOfCursor } from '../engine/feed/page.ts';
import { readOrWait } from '../engine/feed/wait.ts';
import type { Call } from '../engine/process/call.ts';
import type { FeedCursor } from '../query/feed-cursor.ts';
import { listChangesExamples } from './examples/list-changes.ts';
import { keyOperation } from './operation.ts';
import { wholeNumber } from './request/parameters.ts';
import { ChangeShape } from './shapes/change.ts';
import { openFeedCursor, toFeedCursor } from './shared/feed-cursor.ts';
import { printEntries } from './shared/feed-entries.ts';
import { requireObjectType } from './shared/permit.ts';

export const listChanges = keyOperation({
  id: 'listChanges',
  method: 'GET',
  path: '/changes/',
  tag: 'Changes',
  access: 'key',
  summary: 'List changes',
  description:
    'Returns every change of a record or link that the key can see, in the order in which the changes were committed. The ' +
    'entries of one record come in ascending order of version, and none is skipped. To keep a copy: load all pages of a list or ' +
    'query, then follow the feed from the `changes_cursor` of its first page. An entry with a lower version than the ' +
    'record in the copy is already part of the copy. A link whose other end the key cannot see is left out, although it ' +
    'gives its source a new version. For a key of reach `user`, a record that it can no longer see appears as ' +
    '`record.deleted`, and one that it can now see as `record.restored`, with its current values and version. Changes are ' +
    'kept for 30 days, unless the operator chose otherwise; an older cursor gets 410 `cursor_expired`. With `wait`, the ' +
    `request waits until it has an entry. At most ${bounds.shares.feedWaitsOfOrg} requests of an org wait at once; another ` +
    'one that finds no entries gets 503 `overloaded` instead of waiting.',
  query: {
    cursor: {
      description:
        '`pagination.next_cursor` of the previous page, or a `changes_cursor`; `earliest` for everything that is kept, ' +
        '`latest` for changes from now on. A cursor is valid for every key of the org.',
      schema: Type.String({ minLength: 1, default: 'earliest' }),
    },
    limit: wholeNumber({
      parameter: 'limit',
      description: 'The number of entries on a page',
      range: [1, limits.changesPageSize],
      fallback: bounds.operations.feedEntriesDefault,
    }),
    object_type: {
      description: 'Only changes of records of this type.',
      schema: Type.String({ minLength: 1, maxLength: 63 }),
    },
    record_id: {
      description: 'Only changes of this record: its history.',
      schema: Type.String({ minLength: 1, maxLength: 64 }),
    },
    wait: wholeNumber({
      parameter: 'wait',
      description: 'The number of seconds to wait if there are no entries yet',
      range: [0, bounds.operations.feedWaitSeconds],
      fallback: 0,
    }),
  },
  answer: {
    status: 200,
    description: 'A page of entries. `next_cursor` is never null: it continues with later changes.',
    schema: Type.Array(ChangeShape),
    paged: true,
  },
  problems: ['not_found', 'gone'],
  examples: listChangesExamples,
  parse: async (call, { query }, faults) => {
    const start = await parseStart(call, query.get('cursor') ?? 'earliest');
    if (start === undefined) {
      const detail = 'This is not a change cursor of this org. Start with `earliest` or `latest`.';
      faults.push({ parameter: 'cursor', reason: 'invalid_cursor', detail });
      return undefined;
    }
    const name = query.get('object_type');
    const question: FeedQuestion = {
      type: name === undefined ? undefined : requireObjectType(call.session, name),
      recordId: query.get('record_id'),
      limit: Number(query.get('limit') ?? bounds.operations.feedEntriesDefault),
    };
    return { question, start, waitSeconds: Number(query.get('wait') ?? 0) };
  },
  run: async (call, { question, start, waitSeconds }) => {
    const place = typeof start === 'string' ? await beginFeed(call, start) : placeOfCursor(call, start);
    const { isAbandoned, renewSession } = call;
    const patience = { seconds: waitSeconds, isAbandoned, renewSession };
    const { page, session } = await readOrWait(call, question, place, patience);
    const nameOf = await call.engine.cursors.entryNames(session.caller.orgId);
    const pagination = { next_cursor: await toFeedCursor(call, page.place) };
    return { data: await printEntries({ ...call, session }, page, nameOf), pagination };
  },
});

/** The cursor, or the end of the feed from which to start; undefined for an invalid cursor. */
async function parseStart(call: Call, cursor: string): Promise<FeedCursor | 'earliest' | 'latest' | undefined> {
  return cursor === 'earliest' || cursor === 'latest' ? cursor : openFeedCursor(call, cursor);
}
