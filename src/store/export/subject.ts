// What is stored about one record, for an export of everything that is known of a person: its values, live or in the trash, its
// external ids, its owners and its links in both directions. Pages end with their bytes, so that none fills the memory.
import type { Json, TextPart } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import { timedByIds } from '../../schema/builtin/association-types.ts';
import { memberName } from '../compile/member-name.ts';
import { compileText, type Shown } from '../compile/totals.ts';
import type { Reads } from '../database.ts';
import type { RecordRef } from '../record-ref.ts';
import { ids, numbers } from '../row-parameters.ts';

export interface KnownRecord {
  readonly id: string;
  readonly version: string;
  /** JSON text. */
  readonly properties: TextPart;
  /** Whether it is linked to the org. */
  readonly orgVisible: boolean;
  /** Null while it is live. */
  readonly deletedAt: Date | null;
}

/** The records of one type, wherever they are. */
export async function findKnown(
  connection: Reads,
  orgId: number,
  typeId: number,
  recordIds: readonly string[],
  shown: Shown,
): Promise<readonly KnownRecord[]> {
  const from = (table: Sql, deletedAt: Sql) => sql`
    select r.id, r.version, ${compileText(raw('r'), orgId, shown)} as properties, r.org_visible as "orgVisible",
      ${deletedAt} as "deletedAt"
    from ${table} as r where r.org_id = ${orgId} and r.type_id = ${typeId} and r.id = any (${ids(recordIds)}::uuid[])`;
  const live = from(raw('orrery.record'), raw('null::timestamptz'));
  const trashed = from(raw('orrery.trash'), raw('r.deleted_at'));
  return connection.query<KnownRecord>(sql`${live} union all ${trashed}`);
}

interface Owner {
  readonly id: string;
  readonly name: string | null;
  readonly associatedAt: Date;
}

/** The members that the record is linked to. */
export async function findOwners(
  connection: Reads,
  orgId: number,
  { typeId, id }: RecordRef,
): Promise<readonly Owner[]> {
  return connection.query<Owner>(sql`
    select u.user_id as id, ${memberName(orgId, raw('u.user_id'))} as name, u.created_at as "associatedAt"
    from orrery.record_user as u where u.org_id = ${orgId} and u.type_id = ${typeId} and u.record_id = ${id}
    order by u.user_id`);
}

/** A link of the record, seen from it. */
export interface KnownLink extends RecordRef {
  readonly associationTypeId: number;
  readonly associatedAt: Date;
  /** Whether it filled the bytes of the page. */
  readonly full: boolean;
}

/** Timers are the record's own history: they are read apart from its other links. */
export type LinkWay = 'outgoing' | 'incoming' | 'timers';

const ways = {
  outgoing: { near: raw('a.source_id'), far: raw('a.target_id'), farType: raw('a.target_type_id') },
  incoming: { near: raw('a.target_id'), far: raw('a.source_id'), farType: raw('a.source_type_id') },
} as const;

/** The next links after one, in the order of their types and ends, as many as the records at their ends fit into a page. */
export async function findKnownLinks(
  connection: Reads,
  orgId: number,
  way: LinkWay,
  recordId: string,
  after: Pick<KnownLink, 'associationTypeId' | 'id'>,
): Promise<readonly KnownLink[]> {
  const { near, far, farType } = ways[way === 'outgoing' ? 'outgoing' : 'incoming'];
  const isTimer = sql`a.association_type_id = any (${numbers(timedByIds)}::integer[])`;
  const limit = bounds.engine.exportedAtOnce;
  const sized = (table: Sql) => sql`(select pg_column_size(r.properties) from ${table} as r
    where r.org_id = ${orgId} and r.type_id = l."typeId" and r.id = l.id)`;
  return connection.query<KnownLink>(sql`
    select l."associationTypeId", l."typeId", l.id, l."associatedAt", l.total >= ${bounds.store.pageBytes} as full from (
      select l.*, sum(l.bytes) over (order by l."associationTypeId", l.id) as total from (
        select l.*, coalesce(${sized(raw('orrery.record'))}, ${sized(raw('orrery.trash'))}, 0) as bytes from (
          select a.association_type_id as "associationTypeId", ${farType} as "typeId", ${far} as id,
            a.created_at as "associatedAt"
          from orrery.association as a
          where a.org_id = ${orgId} and ${near} = ${recordId} and ${way === 'timers' ? isTimer : sql`not ${isTimer}`}
            and (a.association_type_id, ${far}) > (${after.associationTypeId}::integer, ${after.id}::uuid)
          order by a.association_type_id, ${far} limit ${limit}) as l) as l) as l
    where l.total - l.bytes < ${bounds.store.pageBytes} order by l."associationTypeId", l.id`);
}

interface TimedStage extends RecordRef {
  readonly timerId: string;
  readonly values: Readonly<Record<string, Json>> | null;
}

/** The stages that these timers are about, live or in the trash; without values if one is gone. */
export async function findTimedStages(
  connection: Reads,
  orgId: number,
  timerIds: readonly string[],
): Promise<readonly TimedStage[]> {
  const values = (table: Sql) => sql`(select r.properties from ${table} as r
    where r.org_id = ${orgId} and r.type_id = a.target_type_id and r.id = a.target_id)`;
  return connection.query<TimedStage>(sql`
    select a.source_id as "timerId", a.target_type_id as "typeId", a.target_id as id,
      coalesce(${values(raw('orrery.record'))}, ${values(raw('orrery.trash'))}) as values
    from orrery.association as a
    where a.org_id = ${orgId} and a.source_id = any (${ids(timerIds)}::uuid[])
      and a.association_type_id <> all (${numbers(timedByIds)}::integer[])`);
}
