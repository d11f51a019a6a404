// Records that a search finds, perhaps only by words that the caller may not see. Those whose visible texts have the words
// as plain ASCII, as nearly all have, are left out here; only the program knows how other words are folded.
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { Selection } from '../../query/plan.ts';
import { wordsQuery } from '../compile/filter.ts';
import type { Reads } from '../database.ts';
import { ids } from '../row-parameters.ts';

export interface Suspect {
  readonly id: string;
  readonly values: Readonly<Record<string, Json>>;
}

interface SuspectPage {
  readonly after: string;
  /** The records that are in question; without it, all that the search finds. */
  readonly among?: readonly string[];
}

/** The next records after an id that have the words and a value under one of the keys: some of them, or none at the end. */
export function findSuspects(
  database: Reads,
  orgId: number,
  selection: Selection,
  keys: readonly string[],
  { after, among }: SuspectPage,
): Promise<readonly Suspect[]> {
  const found =
    among === undefined
      ? sql`orrery.search as s
        join orrery.record as r on r.org_id = s.org_id and r.type_id = s.type_id and r.id = s.record_id
        where s.org_id = ${orgId} and s.type_id = ${selection.type.id} and s.record_id > ${after}
          and s.words @@ ${wordsQuery(orgId, selection)}::tsquery`
      : sql`orrery.record as r
        where r.org_id = ${orgId} and r.type_id = ${selection.type.id} and r.id = any (${ids(among)}::uuid[]) and r.id > ${after}`;
  return database.query<Suspect>(sql`
    select p.id, p.values from (
      select r.id, r.properties as values, pg_column_size(r.properties) as own,
        sum(pg_column_size(r.properties)) over (order by r.id) as bytes
      from ${found} and jsonb_exists_any(r.properties, ${keys}::text[]) and not ${isPlain(selection)}
      order by r.id limit ${bounds.engine.suspectsAtOnce}) as p
    where p.bytes - p.own < ${bounds.store.pageBytes} order by p.id`);
}

/** Whether the texts of the type have each word after a character that ends one, both as plain ASCII. */
function isPlain({ type, words }: Selection): Sql {
  if (!words.every((word) => asciiWord.test(word))) return raw('false');
  const patterns = words.map((word) => `(^|${endsWord})${word}`);
  return sql`coalesce((
    select lower(string_agg(v.value, ' ') collate "C") ~ all (${patterns}::text[])
    from jsonb_each_text(r.properties) as v where v.key = any (${type.groups.searchable}::text[])), false)`;
}

const asciiWord = /^[a-z0-9]+$/;
/** ASCII but letters, digits and the backslash: a list comes as JSON, in which it begins an escape. */
const endsWord = '[\\u0001-\\u002f\\u003a-\\u0040\\u005b\\u005d-\\u0060\\u007b-\\u007f]';
