// Records that a search finds, perhaps only by words that the caller may not see.

import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Selection } from '../../query/plan.ts';
import { wordsQuery } from '../compile/filter.ts';
import type { Reads } from '../database.ts';

interface Suspect {
  readonly id: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** The next records after an id that have the words and a value under one of the keys: some of them, or none at the end. */
export function findSuspects(
  database: Reads,
  orgId: number,
  selection: Selection,
  keys: readonly string[],
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly Suspect[]> {
  return database.query<Suspect>(sql`
    select p.id, p.values from (
      select r.id, r.properties as values, pg_column_size(r.properties) as own,
        sum(pg_column_size(r.properties)) over (order by r.id) as bytes
      from orrery.search as s
      join orrery.record as r on r.org_id = s.org_id and r.type_id = s.type_id and r.id = s.record_id
      where s.org_id = ${orgId} and s.type_id = ${selection.type.id} and s.record_id > ${after}
        and s.words @@ ${wordsQuery(orgId, selection)}::tsquery and jsonb_exists_any(r.properties, ${keys}::text[])
      order by r.id limit ${limit}) as p
    where p.bytes - p.own < ${bounds.store.pageBytes} order by p.id`);
}
