// The order of rows by several parts, unset last in both directions, and the condition that a row comes after a
// position. The last part must be unique, so that every position belongs to one row.
import { join, raw, type Sql, sql } from '../../base/sql.ts';

/** One part of what rows are ordered by. `type` casts its text back. */
export interface OrderPart {
  readonly value: Sql;
  readonly type: Sql;
  readonly direction: 'asc' | 'desc';
}

const orders = { asc: raw('asc nulls last'), desc: raw('desc nulls last') } as const;
const beyond = { asc: raw('>'), desc: raw('<') } as const;

export function compileOrderBy(parts: readonly OrderPart[]): Sql {
  return join(
    parts.map(({ value, direction }) => sql`${value} ${orders[direction]}`),
    ', ',
  );
}

/** The texts of a position, as one column `parts`. */
export function compileTexts(parts: readonly OrderPart[]): Sql {
  const texts = parts.map(({ value }) => sql`(${value})::text`);
  return texts.length === 0 ? raw(`'{}'::text[] as parts`) : sql`array[${join(texts, ', ')}] as parts`;
}

/** The condition that a row comes after the one with these texts; `last` decides between rows that share all parts. */
export function compileBeyond(
  parts: readonly OrderPart[],
  texts: readonly (string | null)[],
  last: Sql = raw('false'),
): Sql {
  const alternatives: Sql[] = [];
  const equal: Sql[] = [];
  for (const [index, { value, type, direction }] of parts.entries()) {
    const text = texts[index];
    if (text === null || text === undefined) equal.push(sql`${value} is null`);
    else {
      const after = sql`(${value} ${beyond[direction]} ${text}${type} or ${value} is null)`;
      alternatives.push(sql`(${join([...equal, after], ' and ')})`);
      equal.push(sql`${value} = ${text}${type}`);
    }
  }
  alternatives.push(sql`(${join([...equal, last], ' and ')})`);
  return sql`(${join(alternatives, ' or ')})`;
}
