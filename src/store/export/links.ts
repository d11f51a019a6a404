// The outgoing links of many records at once, for exports: in the order of their records, so that the links of a record come
// together and a page of them can end anywhere.
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import { visibilityTypes } from '../../schema/builtin/association-types.ts';
import type { Reads } from '../database.ts';
import { ids, numbers } from '../row-parameters.ts';

export interface OutgoingLink {
  readonly sourceId: string;
  readonly associationTypeId: number;
  readonly targetId: string;
}

/** The records of one type whose links are read, and the association types of the links. */
interface WantedLinks {
  readonly typeId: number;
  readonly recordIds: readonly string[];
  readonly associationTypeIds: readonly number[];
}

/** The next links after one. Links to records in the trash are left out; those to members stay when the member goes. */
export async function findOutgoingLinks(
  connection: Reads,
  orgId: number,
  { typeId, recordIds, associationTypeIds }: WantedLinks,
  after: OutgoingLink,
): Promise<readonly OutgoingLink[]> {
  const wanted = sql`any (${numbers(associationTypeIds)}::integer[])`;
  const sources = sql`any (${ids(recordIds)}::uuid[])`;
  const limit = bounds.engine.exportedLinksAtOnce;
  const place = sql`(${after.sourceId}::uuid, ${after.associationTypeId}::integer, ${after.targetId}::uuid)`;
  return connection.query<OutgoingLink>(sql`
    select l."sourceId", l."associationTypeId", l."targetId" from (
      (select a.source_id as "sourceId", a.association_type_id as "associationTypeId", a.target_id as "targetId"
      from orrery.association as a
      where a.org_id = ${orgId} and a.source_id = ${sources} and a.association_type_id = ${wanted}
        and (a.source_id, a.association_type_id, a.target_id) > ${place}
        and exists (select from orrery.record as t
          where t.org_id = ${orgId} and t.type_id = a.target_type_id and t.id = a.target_id)
      order by a.source_id, a.association_type_id, a.target_id limit ${limit})
      union all
      (select u.record_id, ${visibilityTypes.user}::integer, u.user_id from orrery.record_user as u
      where u.org_id = ${orgId} and u.type_id = ${typeId} and u.record_id = ${sources}
        and ${visibilityTypes.user}::integer = ${wanted}
        and (u.record_id, ${visibilityTypes.user}::integer, u.user_id) > ${place}
      order by u.record_id, u.user_id limit ${limit})) as l
    order by l."sourceId", l."associationTypeId", l."targetId" limit ${limit}`);
}
