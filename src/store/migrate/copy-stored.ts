// Writes the rows of an org that is brought in, with COPY: records as they were, of any version and visibility, live or in the
// trash, and links with their times. Unlike new records they make no entries in the feed.
import { isoText } from '../../base/clock.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import type { IndexKey, UniqueKey } from '../../schema/indexing/record-keys.ts';
import type { FactValues, LinkColumn, TypeSlots } from '../../schema/slots.ts';
import {
  type CopiedTable,
  escaped,
  factCell,
  indexCopies,
  nothing,
  searchTable,
  uniqueTable,
} from '../import/copy-records.ts';
import { indexTables } from '../index-tables.ts';
import { lexemes } from '../records/index-rows.ts';

/** A record as it was, with all its rows. */
interface StoredRow {
  readonly id: string;
  readonly version: string;
  readonly updatedAtMs: number;
  readonly orgVisible: boolean;
  /** JSON text. */
  readonly properties: string;
}

interface LiveRow extends StoredRow {
  /** JSON text of the lower-cased forms; empty where there are none. */
  readonly folded: string;
  readonly facts: FactValues;
  /** The records at the other ends of links that it has one of. */
  readonly ends: Readonly<Partial<Record<LinkColumn, string>>>;
  readonly index: readonly IndexKey[];
  readonly unique: readonly UniqueKey[];
  /** Separated by spaces. */
  readonly words: string;
}

/** The rows of live records of one type, as text for COPY. */
export class StoredRecords {
  readonly #orgId: number;
  readonly #typeId: number;
  readonly #scope: string;
  readonly #slots: TypeSlots;
  readonly #ends: readonly LinkColumn[];
  readonly #index: Record<IndexKind, string> = { text: '', number: '', time: '' };
  #records = '';
  #facts = '';
  #unique = '';
  #search = '';

  constructor(orgId: number, { id: typeId, slots }: { readonly id: number; readonly slots: TypeSlots }) {
    this.#orgId = orgId;
    this.#typeId = typeId;
    this.#scope = `${orgId}\t${typeId}\t`;
    this.#slots = slots;
    this.#ends = [...new Set(slots.links.values())];
  }

  add({ id, orgVisible, folded, facts, ends, index, unique, words, ...row }: LiveRow): void {
    const scope = this.#scope;
    const seen = orgVisible ? 't' : 'f';
    const lowered = folded === '' ? nothing : escaped(folded);
    this.#records += `${scope}${id}\t${row.version}\t${isoText(row.updatedAtMs)}\t${seen}\t${escaped(row.properties)}\t${lowered}\n`;
    const cells = [
      ...this.#slots.columns.map((column) => factCell(facts[column])),
      ...this.#ends.map((column) => factCell(ends[column])),
    ];
    this.#facts += `${scope}${id}\t${seen}${cells.join('')}\n`;
    for (const { propertyId, value } of unique) this.#unique += `${scope}${propertyId}\t${escaped(value)}\t${id}\n`;
    for (const { kind, propertyId, value } of index) {
      const key = value === null ? `t\t${indexTables[kind].unset}` : `f\t${escaped(value)}`;
      this.#index[kind] += `${scope}${propertyId}\t${key}\t${id}\n`;
    }
    if (words !== '') {
      this.#search += `${scope}${id}\t${lexemes(this.#orgId, { typeId: this.#typeId, id, words })}\n`;
    }
  }

  end(): readonly CopiedTable[] {
    const columns = [...this.#slots.columns, ...this.#ends].map((column) => raw(`, ${column}`));
    return tablesOf([
      [uniqueTable, this.#unique],
      [recordTable, this.#records],
      [sql`copy orrery.fact (org_id, type_id, id, org_visible${join(columns, '')}) from stdin`, this.#facts],
      ...(Object.keys(indexTables) as IndexKind[]).map((kind) => [indexCopies[kind], this.#index[kind]] as const),
      [searchTable, this.#search],
    ]);
  }
}

interface TrashedRow extends StoredRow {
  readonly deletedAt: string;
}

export function trashedRows(orgId: number, typeId: number, rows: readonly TrashedRow[]): readonly CopiedTable[] {
  const text = rows.map(
    ({ id, version, updatedAtMs, orgVisible, properties, deletedAt }) =>
      `${orgId}\t${typeId}\t${id}\t${version}\t${isoText(updatedAtMs)}\t${orgVisible ? 't' : 'f'}\t${escaped(properties)}\t${deletedAt}\n`,
  );
  return tablesOf([[trashTable, text.join('')]]);
}

/** Cells of rows that belong to the org. */
export type Cells = readonly (string | number | boolean)[];

/** The rows of the other tables, with the cells of their columns after the org. */
export function otherRows(
  orgId: number,
  table: keyof typeof otherTables,
  rows: readonly Cells[],
): readonly CopiedTable[] {
  const text = rows.map((cells) => `${orgId}\t${cells.map((cell) => escaped(String(cell))).join('\t')}\n`);
  return tablesOf([[otherTables[table], text.join('')]]);
}

function tablesOf(tables: readonly (readonly [Sql, string])[]): readonly CopiedTable[] {
  return tables.filter(([, rows]) => rows !== '').map(([into, rows]) => ({ into, rows: Buffer.from(rows) }));
}

const recordTable = sql`copy orrery.record
  (org_id, type_id, id, version, updated_at, org_visible, properties, folded) from stdin`;
const trashTable = sql`copy orrery.trash
  (org_id, type_id, id, version, updated_at, org_visible, properties, deleted_at) from stdin`;

const otherTables = {
  links: sql`copy orrery.association
    (org_id, association_type_id, source_type_id, source_id, target_type_id, target_id, created_at) from stdin`,
  owners: sql`copy orrery.record_user (org_id, user_id, type_id, record_id, created_at) from stdin`,
  externalIds: sql`copy orrery.external_id (org_id, type_id, source, external_id, record_id) from stdin`,
  merges: sql`copy orrery.merged (org_id, type_id, duplicate_id, kept_id, parted) from stdin`,
} as const;
