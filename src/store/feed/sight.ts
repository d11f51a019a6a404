// How the feed reads to a credential of reach `user`: by what the user sees now. Losing sight of a record reads as its
// deletion; gaining sight of it reads as its return, as it is now, and nothing from before is shown. Each function here
// is one condition on an entry `c`, beside which `r` is its record if the user sees it live, and `t` if in the trash.
import { raw, type Sql, sql } from '../../base/sql.ts';
import { visibilityTypes } from '../../schema/builtin/association-types.ts';
import { type Viewer, visibleTo } from '../viewer.ts';
import { entryKinds } from './entries.ts';

/** How the entries of a page are seen. */
export interface Sight {
  /** `reads_as`, and of a record that came back `current_version` and `current`. */
  readonly columns: Sql;
  readonly joins: Sql;
  readonly condition: Sql;
}

/** A viewer whose every record is linked to one user or to the org. */
interface UserViewer extends Viewer {
  readonly onlyUser: string;
}

/** `from` is the snapshot at which the reader's copy ends; null for a reader who begins with the feed. */
export function sightOfUser(viewer: UserViewer, from: string | null): Sight {
  const c = raw('c');
  return {
    columns: sql`case when r.id is not null and ${gainsSight(viewer, c)} then 'record.restored'
        when not ${seesRecord} and ${losesSight(viewer, c)} then 'record.deleted' end as reads_as,
      case when ${gainsSight(viewer, c)} then r.version end as current_version,
      case when ${gainsSight(viewer, c)} then r.properties::text end as current`,
    joins: sql`left join lateral (${seenRow(viewer, raw('record'))}) as r on true
      left join lateral (${seenRow(viewer, raw('trash'))}) as t on true`,
    condition: sql`case
      when ${isDeletion(c)} and not ${seesRecord} then ${wasVisibleWhenDeleted(viewer)}
      when ${losesSight(viewer, c)} and not ${seesRecord} then ${couldKnowRecord(viewer, from)}
      when ${gainsSight(viewer, c)} then r.id is not null and not ${isVisibleAgainLater(viewer)}
      when ${isAboutSightAlone} then false
      else ${seesRecord} and not ${isVisibleAgainLater(viewer)} and ${seesTarget(viewer)} end`,
  };
}

/** The user sees the record now, live or in the trash. */
const seesRecord = raw('(r.id is not null or t.id is not null)');

/** The entry only says that users can see the record, or no longer can, because of another record. */
const isAboutSightAlone = sql`c.kind >= ${entryKinds['visibility.lost']}`;

function isDeletion(entry: Sql): Sql {
  return sql`${entry}.kind = ${entryKinds['record.deleted']}`;
}

/** The entry is about a link to this user or to the org, which decide what the user sees. */
function concernsUser({ onlyUser }: UserViewer, entry: Sql): Sql {
  return sql`(${entry}.association_type_id = ${visibilityTypes.org}
    or ${entry}.association_type_id = ${visibilityTypes.user} and ${entry}.target_id = ${onlyUser}::uuid)`;
}

/** The entry gives the user sight of the record. */
function gainsSight(viewer: UserViewer, entry: Sql): Sql {
  const { 'association.created': linked, 'visibility.gained': gained } = entryKinds;
  return sql`(${entry}.kind in (${linked}, ${gained}) and ${concernsUser(viewer, entry)})`;
}

/** The entry takes sight of the record from the user. */
function losesSight(viewer: UserViewer, entry: Sql): Sql {
  const { 'association.deleted': unlinked, 'visibility.lost': lost } = entryKinds;
  return sql`(${entry}.kind in (${unlinked}, ${lost}) and ${concernsUser(viewer, entry)})`;
}

/** Written out, so that a plan for all values can use the index that is made for them. */
const visibilityList = raw(`(${visibilityTypes.user}, ${visibilityTypes.org})`);

/** A later entry gives the user sight of the record, and will show it as it is now. */
function isVisibleAgainLater(viewer: UserViewer): Sql {
  return sql`exists (select 1 from orrery.change as g
    where g.org_id = ${viewer.orgId} and g.record_id = c.record_id and g.seq > c.seq
      and g.association_type_id in ${visibilityList} and ${gainsSight(viewer, raw('g'))})`;
}

/** The record was made, or came into sight, earlier in the transaction of the entry. */
function appearedInSameTransaction(viewer: UserViewer): Sql {
  return sql`exists (select 1 from orrery.change as m
    where m.org_id = ${viewer.orgId} and m.record_id = c.record_id and m.xid = c.xid and m.seq < c.seq
      and (m.kind = ${entryKinds['record.created']} or ${gainsSight(viewer, raw('m'))}))`;
}

/** The reader may have a copy: not if they begin with the feed, nor if the record appeared and vanished at once. */
function couldKnowRecord(viewer: UserViewer, from: string | null): Sql {
  return from === null ? raw('false') : sql`not ${appearedInSameTransaction(viewer)}`;
}

/**
 * The record is gone for good, and its last deletion, which is this entry, names the user among those who could see it.
 */
function wasVisibleWhenDeleted({ orgId, onlyUser }: UserViewer): Sql {
  return sql`(c.changed is null or jsonb_exists(c.changed::jsonb, ${onlyUser}))
    and not exists (select 1 from orrery.record as x
      where x.org_id = ${orgId} and x.type_id = c.type_id and x.id = c.record_id)
    and not exists (select 1 from orrery.trash as x
      where x.org_id = ${orgId} and x.type_id = c.type_id and x.id = c.record_id)
    and not exists (select 1 from orrery.change as d
      where d.org_id = ${orgId} and d.record_id = c.record_id and d.seq > c.seq and ${isDeletion(raw('d'))})`;
}

/** The user sees the other end of the link, or it is a user or the org, or the entry is not about a link. */
function seesTarget(viewer: UserViewer): Sql {
  const seenIn = (place: Sql) => sql`exists (select 1 from orrery.${place} as r
    where ${visibleTo(viewer)} and r.type_id = c.target_type_id and r.id = c.target_id)`;
  return sql`(coalesce(c.target_type_id, 0) = 0 or ${seenIn(raw('record'))} or ${seenIn(raw('trash'))})`;
}

/** The record of the entry, if the user sees it in this place. */
function seenRow(viewer: UserViewer, place: Sql): Sql {
  return sql`select r.id, r.version, r.properties from orrery.${place} as r
    where ${visibleTo(viewer)} and r.type_id = c.type_id and r.id = c.record_id offset 0`;
}
