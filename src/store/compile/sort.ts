// The order of records by any sortable property, without an index. Ties are ordered by id.
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { SortKey } from '../../query/plan.ts';
import type { Position } from '../../query/position.ts';
import { r } from '../viewer.ts';
import { compileBeyond, compileOrderBy, compileTexts, type OrderPart } from './keyset.ts';
import { orderValues } from './value.ts';

function partsOf(sort: readonly SortKey[]): readonly OrderPart[] {
  return sort.flatMap(({ property, direction }) => orderValues(r, property).map((part) => ({ ...part, direction })));
}

/** The texts of a position, as one column `parts`. */
export function compileParts(sort: readonly SortKey[]): Sql {
  return compileTexts(partsOf(sort));
}

export function compileOrder(sort: readonly SortKey[]): Sql {
  return sort.length === 0 ? raw('r.id') : sql`${compileOrderBy(partsOf(sort))}, r.id`;
}

/** The condition that the row `r` comes after the position. */
export function compileAfter(sort: readonly SortKey[], { parts, id }: Position): Sql {
  return compileBeyond(partsOf(sort), parts, sql`r.id > ${id}`);
}
