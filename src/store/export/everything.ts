// Everything of an org, page by page, for an export of the whole org: records live and in the trash, links, owners, external
// ids and merges. Pages end with their rows or their bytes, so none fills the memory.
import { firstId } from '../../base/id.ts';
import { bounds } from '../../base/limits.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Reads } from '../database.ts';
import { numbers } from '../row-parameters.ts';

/** Where the records are: of one type, live or in the trash. */
interface RecordPlace {
  readonly typeId: number;
  readonly place: 'live' | 'trash';
  /** Members that are left out, because they are computed. */
  readonly omitted: readonly string[];
}

export interface WholeRecord {
  readonly id: string;
  readonly version: string;
  readonly orgVisible: boolean;
  /** JSON text of the values, under their keys. */
  readonly properties: string;
  readonly deletedAt: Date | null;
}

export async function findWholeRecords(
  connection: Reads,
  orgId: number,
  { typeId, place, omitted }: RecordPlace,
  after: string | undefined,
): Promise<readonly WholeRecord[]> {
  const [table, deletedAt] =
    place === 'live' ? [raw('orrery.record'), raw('null::timestamptz')] : [raw('orrery.trash'), raw('r.deleted_at')];
  const values = omitted.length === 0 ? raw('r.properties') : sql`(r.properties - ${omitted}::text[])`;
  return connection.query<WholeRecord>(sql`
    select r.id, r.version, r.org_visible as "orgVisible", ${values}::text as properties, r.deleted_at as "deletedAt"
    from (
      select r.id, r.version, r.org_visible, r.properties, ${deletedAt} as deleted_at,
        sum(pg_column_size(r.properties)) over (order by r.id) as bytes
      from ${table} as r
      where r.org_id = ${orgId} and r.type_id = ${typeId} and r.id > ${after ?? firstId}
      order by r.id limit ${bounds.engine.exportedAtOnce}) as r
    where r.bytes - pg_column_size(r.properties) < ${bounds.store.pageBytes} order by r.id`);
}

/** The next rows of a table after one, in the order of its key. The rows of some types are left out. */
interface TableOf<Row> {
  readonly find: (
    connection: Reads,
    orgId: number,
    leftOut: readonly number[],
    after: Row | undefined,
  ) => Promise<readonly Row[]>;
}

const limit = raw(String(bounds.engine.exportedLinksAtOnce));

function after<Row>(row: Row | undefined, columns: string, values: (row: Row) => Sql): Sql {
  return row === undefined ? raw('') : sql`and (${raw(columns)}) > (${values(row)})`;
}

interface LinkRow {
  readonly associationTypeId: number;
  readonly sourceTypeId: number;
  readonly sourceId: string;
  readonly targetTypeId: number;
  readonly targetId: string;
  readonly createdAt: Date;
}

export const linkRows: TableOf<LinkRow> = {
  find: (connection, orgId, leftOut, last) =>
    connection.query<LinkRow>(sql`
      select a.association_type_id as "associationTypeId", a.source_type_id as "sourceTypeId", a.source_id as "sourceId",
        a.target_type_id as "targetTypeId", a.target_id as "targetId", a.created_at as "createdAt"
      from orrery.association as a
      where a.org_id = ${orgId} and a.source_type_id <> all (${numbers(leftOut)}::integer[])
        and a.target_type_id <> all (${numbers(leftOut)}::integer[])
        ${after(last, 'a.source_id, a.association_type_id, a.target_id', (row) => sql`${row.sourceId}::uuid, ${row.associationTypeId}::integer, ${row.targetId}::uuid`)}
      order by a.source_id, a.association_type_id, a.target_id limit ${limit}`),
};

interface OwnerRow {
  readonly userId: string;
  readonly typeId: number;
  readonly recordId: string;
  readonly createdAt: Date;
}

export const ownerRows: TableOf<OwnerRow> = {
  find: (connection, orgId, leftOut, last) =>
    connection.query<OwnerRow>(sql`
      select u.user_id as "userId", u.type_id as "typeId", u.record_id as "recordId", u.created_at as "createdAt"
      from orrery.record_user as u
      where u.org_id = ${orgId} and u.type_id <> all (${numbers(leftOut)}::integer[])
        ${after(last, 'u.user_id, u.type_id, u.record_id', (row) => sql`${row.userId}::uuid, ${row.typeId}::integer, ${row.recordId}::uuid`)}
      order by u.user_id, u.type_id, u.record_id limit ${limit}`),
};

interface ExternalIdRow {
  readonly typeId: number;
  readonly source: string;
  readonly externalId: string;
  readonly recordId: string;
}

export const externalIdRows: TableOf<ExternalIdRow> = {
  find: (connection, orgId, leftOut, last) =>
    connection.query<ExternalIdRow>(sql`
      select e.type_id as "typeId", e.source, e.external_id as "externalId", e.record_id as "recordId"
      from orrery.external_id as e
      where e.org_id = ${orgId} and e.type_id <> all (${numbers(leftOut)}::integer[])
        ${after(last, 'e.type_id, e.source, e.external_id', (row) => sql`${row.typeId}::integer, ${row.source}::text, ${row.externalId}::text`)}
      order by e.type_id, e.source, e.external_id limit ${limit}`),
};

interface MergeRow {
  readonly typeId: number;
  readonly duplicateId: string;
  readonly keptId: string;
  readonly parted: boolean;
}

/** Merges into a record that is there: of others, nothing is left that could be erased. */
export const mergeRows: TableOf<MergeRow> = {
  find: (connection, orgId, leftOut, last) =>
    connection.query<MergeRow>(sql`
      select m.type_id as "typeId", m.duplicate_id as "duplicateId", m.kept_id as "keptId", m.parted
      from orrery.merged as m
      where m.org_id = ${orgId} and m.type_id <> all (${numbers(leftOut)}::integer[])
        and (exists (select from orrery.record as r
            where r.org_id = ${orgId} and r.type_id = m.type_id and r.id = m.kept_id)
          or exists (select from orrery.trash as t
            where t.org_id = ${orgId} and t.type_id = m.type_id and t.id = m.kept_id))
        ${after(last, 'm.duplicate_id, m.kept_id', (row) => sql`${row.duplicateId}::uuid, ${row.keptId}::uuid`)}
      order by m.duplicate_id, m.kept_id limit ${limit}`),
};
