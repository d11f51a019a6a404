// Rows as parameters. One row is one value for each column; many rows are one list for each column, so a statement has
// two texts and two plans, whatever the number of rows. The texts are built once for each table.
import { Sql } from '../base/sql.ts';

/** For each type of column, how a list of its values is sent: as one text, and what unpacks it. */
const kinds = {
  integer: { list: 'unnest(?::integer[])', toText: braced },
  smallint: { list: 'unnest(?::smallint[])', toText: braced },
  bigint: { list: 'unnest(?::bigint[])', toText: braced },
  boolean: { list: 'unnest(?::boolean[])', toText: braced },
  // Nothing in an id, a moment or a number needs quoting.
  uuid: { list: 'unnest(?::uuid[])', toText: braced },
  timestamptz: { list: 'unnest(?::timestamptz[])', toText: braced },
  date: { list: 'unnest(?::date[])', toText: braced },
  numeric: { list: 'unnest(?::numeric[])', toText: braced },
  text: { list: 'json_array_elements_text(?::json)', toText: JSON.stringify },
  // JSON text, and words with spaces between them, hold no line break of their own.
  lines: { list: "string_to_table(?, E'\\n')", toText: (values: readonly unknown[]) => values.join('\n') },
} as const;
type Kind = keyof typeof kinds;
type Value = string | number | boolean | null;

export type Column<Row> = readonly [name: string, kind: Kind, pick: (row: Row) => Value];

/**
 * The rows as a source to select from, named `k`, with the given columns and, for many rows, their order as `position`.
 */
export type RowSource<Row> = (rows: readonly Row[]) => Sql;

export function rowSource<Row>(...columns: readonly Column<Row>[]): RowSource<Row> {
  const one = columns.map(([name, kind]) => `?::${typeOf(kind)} as ${name}`).join(', ');
  const many = columns.map(([, kind]) => kinds[kind].list).join(', ');
  const names = columns.map(([name]) => name).join(', ');
  const oneStrings = `(select ${one}) as k`.split('?');
  const manyStrings = `rows from (${many}) with ordinality as k (${names}, position)`.split('?');
  return (rows) => {
    const [row] = rows;
    if (row !== undefined && rows.length === 1) {
      return new Sql(
        oneStrings,
        columns.map(([, , pick]) => pick(row)),
      );
    }
    return new Sql(
      manyStrings,
      columns.map(([, kind, pick]) => kinds[kind].toText(rows.map(pick))),
    );
  };
}

function typeOf(kind: Kind): string {
  return kind === 'lines' ? 'text' : kind;
}

/** A single value as a parameter. */
export function singly(kind: Kind, value: Value): Sql {
  const cast = casts.get(kind) ?? ['', `::${typeOf(kind)}`];
  casts.set(kind, cast);
  return new Sql(cast, [value]);
}

const casts = new Map<Kind, readonly string[]>();

/** PostgreSQL's text form of an array. */
function braced(values: readonly Value[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

/** Numbers for `… ::integer[]`. */
export function numbers(values: readonly number[]): string {
  return braced(values);
}

/** Ids for `… ::uuid[]`, or of letters and digits for `… ::text[]`. */
export function ids(values: readonly string[]): string {
  return braced(values);
}

/** Texts for `… ::text[]`. JSON escapes quotes and backslashes as PostgreSQL does, and is written many times faster. */
export function texts(values: readonly string[]): string {
  const json = JSON.stringify(values);
  const isLiteral = !/\\[^"\\]/.test(json);
  return `{${isLiteral ? json.slice(1, -1) : values.map(quoted).join(',')}}`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
