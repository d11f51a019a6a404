// Inserts rows of an org. Usually they travel as one list for each column. Where the tables are distributed over several servers,
// a statement must show that it writes on one of them, or its rows would go through the first server and be committed in two
// phases, of which readers of the feed can see the first without the second. So many rows are joined with the row of their
// org, which is where they are going, and a single one stands in the statement.
import { join, orDistributed, raw, type Sql, sql, varied } from '../base/sql.ts';
import { type Column, rowSource, singly } from './row-parameters.ts';

/** A column of the table, and what is written in it if that is not the value itself. */
export type WrittenColumn<Row> = readonly [...Column<Row>, write?: (value: Sql) => Sql];

/** Several rows are inserted in the given order. */
export type Insertion<Row> = (orgId: number, rows: readonly Row[], inOrder?: Sql) => Sql;

const nothing = raw('');

/** Into a table of orgs, named without its schema. In the order, the columns are those of `k`. */
export function insertion<Row>(table: string, ...columns: readonly WrittenColumn<Row>[]): Insertion<Row> {
  const source = rowSource(...columns.map(unwritten));
  const into = intoOf(table, columns);
  const written = raw(columns.map(([name, , , write = same]) => write(raw(`k.${name}`)).text).join(', '));
  return (orgId, rows, inOrder = nothing) => {
    const order = rows.length > 1 ? inOrder : nothing;
    return orDistributed(sql`${into} select ${orgId}::integer, ${written} from ${source(rows)}${order}`, () =>
      rows.length === 1
        ? insertValues(table, columns, orgId, rows)
        : sql`${into} select o.org_id, ${written} from orrery.org as o cross join ${source(rows)}
            where o.org_id = ${orgId}${order}`,
    );
  };
}

/** The rows as they stand, each value a parameter: the statement has a form for each number of rows. */
export function insertValues<Row>(
  table: string,
  columns: readonly WrittenColumn<Row>[],
  orgId: number,
  rows: readonly Row[],
): Sql {
  const values = rows.map((row) => {
    const written = columns.map(([, kind, pick, write = same]) => write(singly(kind, pick(row))));
    return sql`(${orgId}, ${join(written, ', ')})`;
  });
  const statement = sql`${intoOf(table, columns)} values ${join(values, ', ')}`;
  return rows.length === 1 ? statement : varied(statement);
}

export function unwritten<Row>([name, kind, pick]: WrittenColumn<Row>): Column<Row> {
  return [name, kind, pick];
}

function intoOf<Row>(table: string, columns: readonly WrittenColumn<Row>[]): Sql {
  return raw(`insert into orrery.${table} (org_id, ${columns.map(([name]) => name).join(', ')})`);
}

function same(value: Sql): Sql {
  return value;
}
