// The order of records by any sortable property, without an index. Ties are ordered by id.
import { raw, type Sql, sql } from '../../base/sql.ts';
import type { SortKey } from '../../query/plan.ts';
import type { Position } from '../../query/position.ts';
import { r } from '../viewer.ts';
import type { RowKind } from './filter.ts';
import { compileBeyond, compileOrderBy, compileTexts, type OrderPart } from './keyset.ts';
import { orderFactValues, orderValues } from './value.ts';

function partsOf(orgId: number, sort: readonly SortKey[], kind: RowKind): readonly OrderPart[] {
  return sort.flatMap(({ property, direction }) => {
    const slot = kind === 'record' ? undefined : kind.properties.get(property.id);
    const values = slot === undefined ? orderValues(orgId, r, property) : orderFactValues(r, property, slot);
    return values.map((part) => ({ ...part, direction }));
  });
}

/** The texts of a position, as one column `parts`. */
export function compileParts(orgId: number, sort: readonly SortKey[]): Sql {
  return compileTexts(partsOf(orgId, sort, 'record'));
}

export function compileOrder(orgId: number, sort: readonly SortKey[], kind: RowKind = 'record'): Sql {
  return sort.length === 0 ? raw('r.id') : sql`${compileOrderBy(partsOf(orgId, sort, kind))}, r.id`;
}

/** The condition that the row `r` comes after the position. */
export function compileAfter(
  orgId: number,
  sort: readonly SortKey[],
  { parts, id }: Position,
  kind: RowKind = 'record',
): Sql {
  return compileBeyond(partsOf(orgId, sort, kind), parts, sql`r.id > ${id}`);
}
