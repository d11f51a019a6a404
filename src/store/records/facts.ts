// The rows of facts, as parts of the statements that write records.
import { bounds } from '../../base/limits.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import {
  type FactColumn,
  type FactKind,
  type FactValues,
  factColumns,
  type LinkColumn,
  linkColumns,
} from '../../schema/slots.ts';
import { factTypes } from '../fact-types.ts';
import { type Insertion, insertion } from '../insert-rows.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import { type Column, type RowSource, rowSource } from '../row-parameters.ts';

export interface FactRow extends RecordRef {
  readonly orgVisible: boolean;
  /** The columns that records of its type may have. */
  readonly columns: readonly FactColumn[];
  readonly values: FactValues;
}

/** A new row, with the records at the other ends of its links. */
export interface NewFactRow extends FactRow {
  readonly links: Readonly<Partial<Record<LinkColumn, string>>>;
}

/** A row whose links have changed: the association types of the links in its columns. */
export interface RelinkedRow extends RecordRef {
  readonly associationTypes: Readonly<Partial<Record<LinkColumn, number>>>;
}

const kinds = new Map<FactColumn, FactKind>(
  (Object.keys(factColumns) as FactKind[]).flatMap((kind) =>
    factColumns[kind].map((column) => [column, kind] as const),
  ),
);
const everyColumn: readonly FactColumn[] = [...kinds.keys()];

interface Source<Row> {
  readonly names: readonly Sql[];
  readonly rows: RowSource<Row>;
  readonly insert: Insertion<Row>;
}

/** Sources by their columns, of which only those of the types of the rows are sent. */
const sources = { inserted: new Map<string, Source<NewFactRow>>(), updated: new Map<string, Source<FactRow>>() };

function sourceOf<Row extends FactRow>(
  known: Map<string, Source<Row>>,
  rows: readonly Row[],
  more: readonly Column<Row>[],
): Source<Row> {
  const used = new Set(rows.flatMap(({ columns }) => columns));
  const columns = everyColumn.filter((column) => used.has(column) || known.size >= bounds.store.factForms);
  const key = columns.join();
  const source = known.get(key) ?? makeSource(columns, more);
  known.set(key, source);
  return source;
}

function makeSource<Row extends FactRow>(columns: readonly FactColumn[], more: readonly Column<Row>[]): Source<Row> {
  const values = columns.map(
    (column): Column<Row> => [column, factTypes[kinds.get(column) ?? 'text'], (row) => row.values[column] ?? null],
  );
  const all: readonly Column<Row>[] = [
    ['type_id', 'integer', (row) => row.typeId],
    ['id', 'uuid', (row) => row.id],
    ['org_visible', 'boolean', (row) => row.orgVisible],
    ...values,
    ...more,
  ];
  return { names: all.map(([name]) => raw(name)), rows: rowSource(...all), insert: insertion('fact', ...all) };
}

const endColumns = linkColumns.map(
  (column): Column<NewFactRow> => [column, 'uuid', (row) => row.links[column] ?? null],
);

export function insertFacts(orgId: number, rows: readonly NewFactRow[]): Sql {
  return sourceOf(sources.inserted, rows, endColumns).insert(orgId, rows);
}

/** The links stay as they are. */
export function updateFacts(orgId: number, rows: readonly FactRow[]): Sql {
  const { names, rows: source } = sourceOf(sources.updated, rows, []);
  const [, , ...columns] = names;
  const changes = columns.map((name) => sql`${name} = k.${name}`);
  return sql`update orrery.fact as f set ${join(changes, ', ')} from ${source(rows)}
    where f.org_id = ${orgId} and f.type_id = k.type_id and f.id = k.id`;
}

interface SharedRow extends RecordRef {
  readonly orgVisible: boolean;
}

const shared = rowSource<SharedRow>(
  ['type_id', 'integer', (row) => row.typeId],
  ['id', 'uuid', (row) => row.id],
  ['org_visible', 'boolean', (row) => row.orgVisible],
);

/** Only who sees the records has changed. */
export function shareFacts(orgId: number, rows: readonly SharedRow[]): Sql {
  return sql`update orrery.fact as f set org_visible = k.org_visible from ${shared(rows)}
    where f.org_id = ${orgId} and f.type_id = k.type_id and f.id = k.id`;
}

export function deleteFacts(orgId: number, refs: readonly RecordRef[]): Sql {
  return sql`delete from orrery.fact as f using ${refSource(refs)}
    where f.org_id = ${orgId} and f.type_id = k.type_id and f.id = k.id`;
}

const relinked = rowSource<RelinkedRow>(
  ['type_id', 'integer', (row) => row.typeId],
  ['id', 'uuid', (row) => row.id],
  ...linkColumns.map(
    (column): Column<RelinkedRow> => [column, 'integer', (row) => row.associationTypes[column] ?? null],
  ),
);

/** Reads the links again. It must be a later statement than the one that changes them, which would not see its own rows. */
export function relinkFacts(orgId: number, rows: readonly RelinkedRow[]): Sql {
  const columns = linkColumns.map((column) => {
    const name = raw(column);
    return sql`${name} = case when k.${name} is null then f.${name} else (
        select a.target_id from orrery.association as a
        where a.org_id = ${orgId} and a.source_id = k.id and a.association_type_id = k.${name} limit 1) end`;
  });
  return sql`update orrery.fact as f set ${join(columns, ', ')} from ${relinked(rows)}
    where f.org_id = ${orgId} and f.type_id = k.type_id and f.id = k.id`;
}

/** After a merge: rows whose links led to the duplicate, and lead to the record that stays. */
export function moveFactEnds(orgId: number, keptId: string, duplicateId: string): Sql {
  const ends = linkColumns.map((column) => {
    const name = raw(column);
    return sql`${name} = case when f.${name} = ${duplicateId} then ${keptId} else f.${name} end`;
  });
  const moved = linkColumns.map((column) => raw(`f.${column}`));
  return sql`update orrery.fact as f set ${join(ends, ', ')}
    from (
      select distinct a.source_type_id, a.source_id from orrery.association as a
      where a.org_id = ${orgId} and a.target_id = ${keptId}) as k
    where f.org_id = ${orgId} and f.type_id = k.source_type_id and f.id = k.source_id and f.id <> ${keptId}
      and ${duplicateId} in (${join(moved, ', ')})`;
}
