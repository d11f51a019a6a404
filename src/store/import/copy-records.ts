// Writes new records with COPY, straight into their tables: for many at once this takes two thirds of the time of a
// statement with parameters. Each table gets the same rows that `write-records` writes for the record.
import { isoText } from '../../base/clock.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import type { IndexKey, UniqueKey } from '../../schema/indexing/record-keys.ts';
import type { FactColumn, FactValues, LinkColumn, TypeSlots } from '../../schema/slots.ts';
import type { OwnConnection } from '../database.ts';
import { arrayText, entryKinds, type FeedEntry, type Origin } from '../feed/entries.ts';
import { indexTables } from '../index-tables.ts';
import type { ExternalName } from '../records/external-ids.ts';
import { lexemes } from '../records/index-rows.ts';

/** A new record with all its rows. The whole org sees it. */
export interface NewRecord {
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
  readonly links: readonly NewRecordLink[];
  readonly external: Pick<ExternalName, 'source' | 'externalId'> | undefined;
}

/** A link of a new record, as old as the record. To a user it has the type 0, as in the feed. */
export interface NewRecordLink {
  readonly associationTypeId: number;
  readonly targetTypeId: number;
  readonly targetId: string;
}

/** The type of targets that are users, which are no records. */
export const userTypeId = 0;

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
  readonly #linkSlots: TypeSlots['links'];
  readonly #linkColumns: readonly LinkColumn[];
  readonly #claims: Claim[] = [];
  readonly #index: Record<IndexKind, string> = { text: '', number: '', time: '' };
  #records = '';
  #facts = '';
  #search = '';
  #entries = '';
  #links = '';
  #users = '';
  #externalIds = '';

  constructor(orgId: number, { id: typeId, slots }: NewType, { atMs, principalId, requestId }: Origin) {
    this.#orgId = orgId;
    this.#typeId = typeId;
    this.#factColumns = slots.columns;
    this.#linkSlots = slots.links;
    this.#linkColumns = [...new Set(slots.links.values())];
    this.#scope = `${orgId}\t${typeId}\t`;
    this.#madeBy = `${isoText(atMs)}\t${escaped(principalId)}\t${requestId}\n`;
  }

  add(record: NewRecord): void {
    const { id, createdAtMs, properties, entry, folded, facts, index, unique, words, links, external } = record;
    const scope = this.#scope;
    const values = escaped(properties);
    const foldedValues = folded === '' ? nothing : escaped(folded);
    this.#records += `${scope}${id}\t1\t${isoText(createdAtMs)}\tt\t${values}\t${foldedValues}\n`;
    const ends = this.#linkColumns.map((column) => factCell(this.#endIn(column, links)));
    this.#facts += `${scope}${id}\tt${this.#factColumns.map((column) => factCell(facts[column])).join('')}${ends.join('')}\n`;
    const { text, leftOut } = entry;
    const entryText = leftOut === undefined ? values : escaped(text);
    const leftOutColumns = leftOut === undefined ? `${nothing}\t${nothing}` : `${arrayText(leftOut)}\t${leftOut.bytes}`;
    this.#entries += `${this.#orgId}\t${entryKinds['record.created']}\t${this.#typeId}\t${id}\t1\t${entryText}\t${leftOutColumns}\t${noLink}\t${this.#madeBy}`;
    for (const link of links) this.#addLink(id, createdAtMs, link);
    if (external !== undefined) {
      this.#externalIds += `${scope}${escaped(external.source)}\t${escaped(external.externalId)}\t${id}\n`;
    }
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

  #addLink(id: string, createdAtMs: number, { associationTypeId, targetTypeId, targetId }: NewRecordLink): void {
    const typeId = this.#typeId;
    const at = isoText(createdAtMs);
    if (targetTypeId === userTypeId) this.#users += `${this.#orgId}\t${targetId}\t${typeId}\t${id}\t${at}\n`;
    else {
      this.#links += `${this.#orgId}\t${id}\t${associationTypeId}\t${targetId}\t${typeId}\t${targetTypeId}\t${at}\n`;
    }
    const ends = `${associationTypeId}\t${targetTypeId}\t${targetId}`;
    this.#entries += `${this.#orgId}\t${entryKinds['association.created']}\t${typeId}\t${id}\t1\t${nothing}\t${nothing}\t${nothing}\t${ends}\t${this.#madeBy}`;
  }

  #endIn(column: LinkColumn, links: readonly NewRecordLink[]): string | undefined {
    return links.find(({ associationTypeId }) => this.#linkSlots.get(associationTypeId) === column)?.targetId;
  }

  /** The rows to copy into each table. Unique values come first: a conflict there has cost little. */
  end(): readonly CopiedTable[] {
    const claims = this.#claims.sort(inOrderOfKeys).map(({ line }) => line);
    const tables: readonly (readonly [Sql, string])[] = [
      [uniqueTable, claims.join('')],
      [externalIdTable, this.#externalIds],
      [recordTable, this.#records],
      [factTable([...this.#factColumns, ...this.#linkColumns]), this.#facts],
      [linkTable, this.#links],
      [userTable, this.#users],
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
  for (const { into, rows } of tables) await connection.copyRows(into.text, rows);
}

export const uniqueTable = sql`copy orrery.unique_value (org_id, type_id, property_id, value, record_id) from stdin`;
const recordTable = sql`copy orrery.record
  (org_id, type_id, id, version, updated_at, org_visible, properties, folded) from stdin`;

function factTable(columns: readonly (FactColumn | LinkColumn)[]): Sql {
  const names = columns.map((column) => raw(`, ${column}`));
  return sql`copy orrery.fact (org_id, type_id, id, org_visible${join(names, '')}) from stdin`;
}

const externalIdTable = sql`copy orrery.external_id (org_id, type_id, source, external_id, record_id) from stdin`;
const linkTable = sql`copy orrery.association
  (org_id, source_id, association_type_id, target_id, source_type_id, target_type_id, created_at) from stdin`;
const userTable = sql`copy orrery.record_user (org_id, user_id, type_id, record_id, created_at) from stdin`;
export const searchTable = sql`copy orrery.search (org_id, type_id, record_id, words) from stdin`;
// Its number and that of its transaction come from the defaults, row by row: the transaction has one by now.
const changeTable = sql`copy orrery.change
  (org_id, kind, type_id, record_id, version, changed, left_out, left_out_bytes,
    association_type_id, target_type_id, target_id, at, principal_id, request_id)
  from stdin`;
export const indexCopies: Readonly<Record<IndexKind, Sql>> = {
  text: sql`copy ${indexTables.text.table} (org_id, type_id, property_id, unset, value, record_id) from stdin`,
  number: sql`copy ${indexTables.number.table} (org_id, type_id, property_id, unset, value, record_id) from stdin`,
  time: sql`copy ${indexTables.time.table} (org_id, type_id, property_id, unset, value, record_id) from stdin`,
};

/** All writers claim unique values in this order, so that no two wait for each other. */
function inOrderOfKeys(left: Claim, right: Claim): number {
  if (left.propertyId !== right.propertyId) return left.propertyId - right.propertyId;
  return left.value < right.value ? -1 : 1;
}

export const nothing = '\\N';
const noLink = `${nothing}\t${nothing}\t${nothing}`;

export function factCell(value: string | undefined): string {
  return value === undefined ? `\t${nothing}` : `\t${escaped(value)}`;
}

const special = /[\\\t\n\r]/;

/** COPY ends fields and rows with tabs and line ends. */
export function escaped(text: string): string {
  if (!special.test(text)) return text;
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
