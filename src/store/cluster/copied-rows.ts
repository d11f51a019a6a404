// Rows in the text form of COPY, for tables that are distributed: a COPY into them is committed in two phases, and readers of the
// feed could see that the transaction is over before they see its entries. So the rows are inserted where their org is.
import { bounds } from '../../base/limits.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';

/** A statement `copy <table> (org_id, <columns>) from stdin`, taken apart. */
interface Target {
  readonly table: string;
  readonly columns: readonly string[];
}

export function targetOf(copy: string): Target {
  const [, table = '', columns = ''] = /^copy (\S+)\s+\(([^)]*)\)\s+from stdin$/.exec(copy) ?? [];
  const [first, ...others] = columns.split(',').map((name) => name.trim());
  if (first !== 'org_id') throw new TypeError(`Rows of an org cannot be copied by: ${copy}`);
  return { table, columns: others };
}

/** The types of the columns of a table. */
export function columnTypes(table: string): Sql {
  return sql`select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute as a
    where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped`;
}

/** The statements that insert the rows, which are all of one org. */
export function insertCopied(
  { table, columns }: Target,
  types: ReadonlyMap<string, string>,
  text: string,
): readonly Sql[] {
  const rows = text.split('\n').slice(0, -1).map(cellsOf);
  const typed = columns.map((name) => ({ name, cast: raw(`::${types.get(name) ?? 'text'}`) }));
  const into = raw(`insert into ${table} (org_id, ${columns.join(', ')})`);
  // Their numbers are given by the first server: see `feed/entries`.
  const isNumbered = table === 'orrery.change';
  const most = isNumbered ? bounds.store.standingRows : rows.length;
  const statements: Sql[] = isNumbered ? [sql`select pg_current_xact_id()`] : [];
  for (let first = 0; first < rows.length; first += most) {
    const some = rows.slice(first, first + most);
    statements.push(sql`${into} ${isNumbered ? standing(typed, some) : listed(typed, some)}`);
  }
  return statements;
}

type Cell = string | null;

interface TypedColumn {
  readonly name: string;
  readonly cast: Sql;
}

function standing(columns: readonly TypedColumn[], rows: readonly (readonly Cell[])[]): Sql {
  const values = rows.map(
    ([org, ...cells]) =>
      sql`(${org}, ${join(
        cells.map((cell, at) => sql`${cell}${columns[at]?.cast}`),
        ', ',
      )})`,
  );
  return sql`values ${join(values, ', ')}`;
}

function listed(columns: readonly TypedColumn[], rows: readonly (readonly Cell[])[]): Sql {
  const values = columns.map(({ name, cast }) => sql`k.${raw(name)}${cast}`);
  const lists = columns.map(
    (_, at) => sql`json_array_elements_text(${JSON.stringify(rows.map((row) => row[at + 1]))}::json)`,
  );
  const names = columns.map(({ name }) => raw(name));
  return sql`select o.org_id, ${join(values, ', ')} from orrery.org as o
    cross join rows from (${join(lists, ', ')}) with ordinality as k (${join(names, ', ')}, position)
    where o.org_id = ${rows[0]?.[0]}::integer order by k.position`;
}

function cellsOf(line: string): readonly Cell[] {
  return line.split('\t').map((cell) => (cell === '\\N' ? null : unescaped(cell)));
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescaped(cell: string): string {
  return cell.includes('\\') ? cell.replace(/\\(.)/g, (_, letter: string) => letters[letter] ?? letter) : cell;
}
