// What changed between two snapshots, for all requests that wait for changes of an org together: one short statement, after
// which only those read a page that can find something on it. It looks at the columns by which a page is filtered
// (`asked` and `examined` in `pages`), so it never passes over an entry that a page has.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { FeedPurge } from '../../query/feed-cursor.ts';
import type { Transaction } from '../database.ts';
import { ids } from '../row-parameters.ts';
import { within } from './pages.ts';

interface TouchedRequest {
  readonly orgId: number;
  readonly from: string;
  readonly to: string;
  readonly after: string;
  /** The records whose own changes are waited for. */
  readonly recordIds: ReadonlySet<string>;
}

export interface Touched {
  /** The types of all entries. */
  readonly typeIds: ReadonlySet<number>;
  /** Those of the records in question that have entries. */
  readonly recordIds: ReadonlySet<string>;
  /** The records that were in question. */
  readonly examinedIds: ReadonlySet<string>;
  /** Whether there were more entries than one statement examines, so that the others are not known. */
  readonly isCutOff: boolean;
  /** How far the feed was purged when this was read. */
  readonly purge: FeedPurge | undefined;
}

interface TouchedRow {
  readonly typeIds: readonly number[] | null;
  readonly recordIds: readonly string[] | null;
  readonly isCutOff: boolean;
  readonly purgedSeq: string | null;
  readonly purgedXid: string | null;
}

export async function findTouched(database: Transaction, request: TouchedRequest): Promise<Touched> {
  const { orgId, after, recordIds } = request;
  const examined = bounds.store.feedEntriesExamined;
  const [row] = await database.query<TouchedRow>(sql`
    select array_agg(distinct c.type_id) filter (where c.is_new) as "typeIds",
      array_agg(distinct c.record_id::text)
        filter (where c.is_new and c.record_id = any (${ids([...recordIds])}::uuid[])) as "recordIds",
      count(*) > ${examined} as "isCutOff",
      (select s.purged_seq from orrery.change_start as s where s.org_id = ${orgId}) as "purgedSeq",
      (select s.purged_xid::text from orrery.change_start as s where s.org_id = ${orgId}) as "purgedXid"
    from (
      select c.type_id, c.record_id, ${within(request)} as is_new from (
        select c.type_id, c.record_id, c.xid from orrery.change as c where c.org_id = ${orgId} and c.seq > ${after}
        order by c.seq limit ${examined + 1}) as c) as c`);
  const { purgedSeq = null, purgedXid = null } = row ?? {};
  return {
    typeIds: new Set(row?.typeIds),
    recordIds: new Set(row?.recordIds),
    examinedIds: recordIds,
    isCutOff: row?.isCutOff ?? true,
    purge: purgedSeq === null || purgedXid === null ? undefined : { purgedSeq, purgedXid },
  };
}
