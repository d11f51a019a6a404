// Writes new records with COPY, straight into their tables: for many at once this takes two thirds of the time of a
// statement with parameters. Each table gets the same rows that `write-records` writes for the record.
import { once } from 'node:events';
import { isoText } from '../../base/clock.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import type { IndexKey, UniqueKey } from '../../schema/indexing/record-keys.ts';
import type { FactColumn, FactValues, TypeSlots } from '../../schema/slots.ts';
import type { OwnConnection } from '../database.ts';
import { arrayText, entryKinds, type FeedEntry, type Origin } from '../feed/entries.ts';
import { indexTables } from '../index-tables.ts';
import { lexemes } from '../records/index-rows.ts';

/** A new record with all its rows. It has no links, and the whole org sees it. */
interface NewRecord {
  readonly id: string;
  readonly createdAtMs: number;
  /** JSON text. */
  readonly properties: string;
  /** The values in the feed, as JSON text. */
  readonly entry: { readonly text: string; readonly leftOut?: FeedEntry['leftOut'] };
  /** JSON text of the lower-cased forms; empty where there are none. */
  readonly folded: string;
  readonly facts: FactValues;
  readonly index: readonly IndexKey[];
  readonly unique: readonly UniqueKey[];
  /** Separated by spaces. */
  readonly words: string;
}

interface NewType {
  readonly id: number;
  readonly slots: TypeSlots;
}

interface Claim {
  readonly propertyId: number;
  readonly value: string;
  readonly line: string;
}

/** The rows of new records of one type, as text for COPY, which is the only form in which they are kept. */
export class NewRecords {
  readonly #orgId: number;
  readonly #typeId: number;
  readonly #scope: string;
  readonly #madeBy: string;
  readonly #factColumns: readonly FactColumn[];
  readonly #claims: Claim[] = [];
  readonly #index: Record<IndexKind, string> = { text: '', number: '', time: '' };
  #records = '';
  #facts = '';
  #search = '';
  #entries = '';

  constructor(orgId: number, { id: typeId, slots }: NewType, { atMs, principalId, requestId }: Origin) {
    this.#orgId = orgId;
    this.#typeId = typeId;
    this.#factColumns = slots.columns;
    this.#scope = `${orgId}\t${typeId}\t`;
    this.#madeBy = `${isoText(atMs)}\t${escaped(principalId)}\t${requestId}\n`;
  }

  add({ id, createdAtMs, properties, entry, folded, facts, index, unique, words }: NewRecord): void {
    const scope = this.#scope;
    const values = escaped(properties);
    const foldedValues = folded === '' ? nothing : escaped(folded);
    this.#records += `${scope}${id}\t1\t${isoText(createdAtMs)}\tt\t${values}\t${foldedValues}\n`;
    this.#facts += `${scope}${id}\tt${this.#factColumns.map((column) => factCell(facts[column])).join('')}\n`;
    const { text, leftOut } = entry;
    const entryText = leftOut === undefined ? values : escaped(text);
    const leftOutColumns = leftOut === undefined ? `${nothing}\t${nothing}` : `${arrayText(leftOut)}\t${leftOut.bytes}`;
    this.#entries += `${this.#orgId}\t${entryKinds['record.created']}\t${this.#typeId}\t${id}\t1\t${entryText}\t${leftOutColumns}\t${this.#madeBy}`;
    for (const { propertyId, value } of unique) {
      this.#claims.push({ propertyId, value, line: `${scope}${propertyId}\t${escaped(value)}\t${id}\n` });
    }
    for (const { kind, propertyId, value } of index) {
      const key = value === null ? `t\t${indexTables[kind].unset}` : `f\t${escaped(value)}`;
      this.#index[kind] += `${scope}${propertyId}\t${key}\t${id}\n`;
    }
    // Words consist of letters and digits alone, so their text needs no quoting.
    if (words !== '') {
      this.#search += `${scope}${id}\t${lexemes(this.#orgId, { typeId: this.#typeId, id, words })}\n`;
    }
  }

  /** The rows to copy into each table. Unique values come first: a conflict there has cost little. */
  end(): readonly CopiedTable[] {
    const claims = this.#claims.sort(inOrderOfKeys).map(({ line }) => line);
    const tables: readonly (readonly [Sql, string])[] = [
      [uniqueTable, claims.join('')],
      [recordTable, this.#records],
      [factTable(this.#factColumns), this.#facts],
      ...(Object.keys(indexTables) as IndexKind[]).map((kind) => [indexCopies[kind], this.#index[kind]] as const),
      [searchTable, this.#search],
      [changeTable, this.#entries],
    ];
    return tables.filter(([, rows]) => rows !== '').map(([into, rows]) => ({ into, rows: Buffer.from(rows) }));
  }
}

export interface CopiedTable {
  readonly into: Sql;
  readonly rows: Buffer;
}

/** Within a transaction of the connection. */
export async function copyTables(connection: OwnConnection, tables: readonly CopiedTable[]): Promise<void> {
  for (const { into, rows } of tables) {
    const stream = connection.copyIn(into.text);
    const finished = once(stream, 'finish');
    stream.end(rows);
    await finished;
  }
}

const uniqueTable = sql`copy orrery.unique_value (org_id, type_id, property_id, value, record_id) from stdin`;
const recordTable = sql`copy orrery.record
  (org_id, type_id, id, version, updated_at, org_visible, properties, folded) from stdin`;

function factTable(columns: readonly FactColumn[]): Sql {
  const names = columns.map((column) => raw(`, ${column}`));
  return sql`copy orrery.fact (org_id, type_id, id, org_visible${join(names, '')}) from stdin`;
}

const searchTable = sql`copy orrery.search (org_id, type_id, record_id, words) from stdin`;
// Its number and that of its transaction come from the defaults, row by row: the transaction has one by now.
const changeTable = sql`copy orrery.change
  (org_id, kind, type_id, record_id, version, changed, left_out, left_out_bytes, at, principal_id, request_id)
  from stdin`;
const indexCopies: Readonly<Record<IndexKind, Sql>> = {
  text: sql`copy ${indexTables.text.table} (org_id, type_id, property_id, unset, value, record_id) from stdin`,
  number: sql`copy ${indexTables.number.table} (org_id, type_id, property_id, unset, value, record_id) from stdin`,
  time: sql`copy ${indexTables.time.table} (org_id, type_id, property_id, unset, value, record_id) from stdin`,
};

/** All writers claim unique values in this order, so that no two wait for each other. */
function inOrderOfKeys(left: Claim, right: Claim): number {
  if (left.propertyId !== right.propertyId) return left.propertyId - right.propertyId;
  return left.value < right.value ? -1 : 1;
}

const nothing = '\\N';

function factCell(value: string | undefined): string {
  return value === undefined ? `\t${nothing}` : `\t${escaped(value)}`;
}

const special = /[\\\t\n\r]/;

/** COPY ends fields and rows with tabs and line ends. */
function escaped(text: string): string {
  if (!special.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
