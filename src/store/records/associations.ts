// Links between records. A link is seen only while both its ends are live: a reader joins the other end's record, and
// a delete leaves links where they are. A writer of a source's links holds the lock on the source's row.
import { isoText } from '../../base/clock.ts';
import { type Sql, sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { insertion } from '../insert-rows.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { rowSource } from '../row-parameters.ts';

export interface Link {
  readonly sourceId: string;
  readonly associationTypeId: number;
  readonly targetId: string;
}

export interface NewLink extends Link {
  readonly sourceTypeId: number;
  readonly targetTypeId: number;
  readonly atMs: number;
}

/** The links of a record by one association type. */
export type LinkGroup = Omit<Link, 'targetId'>;

export const linkGroupSource = rowSource<LinkGroup>(
  ['source_id', 'uuid', (link) => link.sourceId],
  ['association_type_id', 'integer', (link) => link.associationTypeId],
);
export const linkSource = rowSource<Link>(
  ['source_id', 'uuid', (link) => link.sourceId],
  ['association_type_id', 'integer', (link) => link.associationTypeId],
  ['target_id', 'uuid', (link) => link.targetId],
);
interface LinkRow extends Omit<NewLink, 'atMs'> {
  readonly createdAt: Date;
}

/** Those of these links that exist. */
export async function findLinks(
  transaction: Transaction,
  orgId: number,
  links: readonly Link[],
): Promise<readonly NewLink[]> {
  const rows = await transaction.query<LinkRow>(sql`
    select ${linkColumns} from orrery.association as a
    join ${linkSource(links)}
      on a.source_id = k.source_id and a.association_type_id = k.association_type_id and a.target_id = k.target_id
    where a.org_id = ${orgId}`);
  return rows.map(toLink);
}

/** All links of these sources by these association types, each of which allows one target only. */
export async function findTargets(
  transaction: Transaction,
  orgId: number,
  sources: readonly LinkGroup[],
): Promise<readonly NewLink[]> {
  const rows = await transaction.query<LinkRow>(sql`
    select ${linkColumns} from orrery.association as a
    join ${linkGroupSource(sources)}
      on a.source_id = k.source_id and a.association_type_id = k.association_type_id
    where a.org_id = ${orgId}`);
  return rows.map(toLink);
}

const linkColumns = sql`a.source_id as "sourceId", a.association_type_id as "associationTypeId",
  a.target_id as "targetId", a.source_type_id as "sourceTypeId", a.target_type_id as "targetTypeId",
  a.created_at as "createdAt"`;

function toLink({ createdAt, ...link }: LinkRow): NewLink {
  return { ...link, atMs: createdAt.getTime() };
}

/** The part of a writing statement that removes links. */
export function deleteLinks(orgId: number, links: readonly Link[]): Sql {
  return sql`delete from orrery.association as a
    using ${linkSource(links)}
    where a.org_id = ${orgId} and a.source_id = k.source_id and a.association_type_id = k.association_type_id
      and a.target_id = k.target_id`;
}

/** The part of a writing statement that makes links. */
export const insertLinks = insertion<NewLink>(
  'association',
  ['source_id', 'uuid', (link) => link.sourceId],
  ['association_type_id', 'integer', (link) => link.associationTypeId],
  ['target_id', 'uuid', (link) => link.targetId],
  ['source_type_id', 'integer', (link) => link.sourceTypeId],
  ['target_type_id', 'integer', (link) => link.targetTypeId],
  ['created_at', 'timestamptz', (link) => isoText(link.atMs)],
);

export interface UserLink extends RecordRef {
  readonly userId: string;
}

/** The users that the records are linked to. */
export async function findUserLinks(
  transaction: Transaction,
  orgId: number,
  records: readonly RecordRef[],
): Promise<readonly UserLink[]> {
  return transaction.query<UserLink>(sql`
    select u.type_id as "typeId", u.record_id as id, u.user_id as "userId"
    from orrery.record_user as u join ${refSource(records)} on u.type_id = k.type_id and u.record_id = k.id
    where u.org_id = ${orgId}`);
}
