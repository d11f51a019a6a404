// Makes one batch of the API of the rows of a file: for each row the operation that creates or changes its record, with its links,
// and before it the records that its links need. What is wrong with a row is known before anything is sent.
import { quoted } from '../../../../client/import/described.ts';
import type { AnySchema, BatchId, BatchOperation } from '../../../../client/main.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import type { CellFault } from '../messages.ts';
import type { ImportSchema } from '../plan/described-schema.ts';
import { namingLabel, namingProperty } from '../plan/plan-faults.ts';
import { type KnownRecord, type KnownRecords, type Naming, namedValue } from './known-records.ts';
import { type LinkColumn, type ReadRow, type RowReader, sameKey } from './row-reader.ts';

export type Operation = BatchOperation<AnySchema>;

/** A row and what became of it so far. It is stored with its batch until the answer is there. */
export interface BatchRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Why it was not sent. */
  readonly faults: readonly CellFault[];
  /** The places of its operations: the first one is about its record. */
  readonly operations: readonly number[];
  /** The record that it changes, as it was before. */
  readonly before: { readonly id: string; readonly version: string } | undefined;
  readonly linked: number;
  readonly unlinked: number;
}

/** A record that is created because links need it. */
export interface NeededRecord {
  readonly operation: number;
  readonly column: number;
  readonly text: string;
}

export interface PreparedBatch {
  readonly operations: readonly Operation[];
  readonly rows: readonly BatchRow[];
  readonly needed: readonly NeededRecord[];
}

export interface BatchSettings {
  readonly kind: 'dry run' | 'import';
  readonly schema: ImportSchema;
  readonly reader: RowReader;
  readonly known: KnownRecords;
  readonly match: string | undefined;
}

/** Asks for the records that the rows name, then makes their operations. */
export async function prepareBatch(settings: BatchSettings, rows: readonly ReadRow[]): Promise<PreparedBatch> {
  const { reader, known } = settings;
  for (const [place, column] of reader.links.entries()) {
    const texts = rows.flatMap(({ names, faults }) => (faults.length > 0 ? [] : (names[place] ?? [])));
    for (const naming of namingsOf(column)) {
      // Earlier batches of an import may have made records of the type itself; those of a dry run are noted.
      const isChanging = settings.kind === 'import' && naming.target.name === settings.schema.type.name;
      const which = isChanging ? 'again' : 'new';
      await known.load(naming, texts, which);
    }
  }
  const match = matchNaming(settings);
  if (match !== undefined)
    await known.load(
      match,
      rows.flatMap((row) => matchTexts(settings, row)),
      'again',
    );
  return new BatchMaker(settings).make(rows);
}

/** Stands for the id of a record that only the import will make. */
export const madeByDryRun = '';

export function namingsOf({ use: { by, source }, link }: LinkColumn): readonly Naming[] {
  return link.targets.map((target) => ({ target, by, source }));
}

/** Later batches find the records that links needed. */
export function noteNeeded(
  { reader, known }: BatchSettings,
  needed: readonly NeededRecord[],
  recordOf: (operation: number) => KnownRecord | undefined,
): void {
  for (const { operation, column, text } of needed) {
    const record = recordOf(operation);
    const link = reader.links[column];
    if (record === undefined || link === undefined) continue;
    for (const naming of namingsOf(link)) known.note(naming, text, record);
  }
}

/** How rows find the records that they change. */
function matchNaming({ schema, match, reader }: BatchSettings): Naming | undefined {
  return match === undefined ? undefined : { target: schema.type, by: match, source: reader.source };
}

function matchTexts({ match }: BatchSettings, { values, externalId, faults }: ReadRow): readonly string[] {
  if (match === undefined || faults.length > 0) return [];
  if (match === 'external_id') return externalId === undefined ? [] : [externalId];
  return [values[match] ?? []].flat().map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

class BatchMaker {
  readonly #settings: BatchSettings;
  readonly #operations: Operation[] = [];
  readonly #needed: NeededRecord[] = [];
  /** The refs of the records that this batch makes, by what they are named. */
  readonly #made = new Map<string, string>();

  constructor(settings: BatchSettings) {
    this.#settings = settings;
  }

  make(rows: readonly ReadRow[]): PreparedBatch {
    const made = rows.map((row, index) => this.#row(row, `row-${index}`));
    return { operations: this.#operations, rows: made, needed: this.#needed };
  }

  #row(row: ReadRow, ref: string): BatchRow {
    const { line, cells } = row.row;
    const refused = (faults: readonly CellFault[]): BatchRow => {
      return { line, cells, faults, operations: [], before: undefined, linked: 0, unlinked: 0 };
    };
    const { match } = this.#settings;
    if (row.faults.length > 0) return refused(row.faults);
    if (match === 'external_id' && row.externalId === undefined) return refused([{ detail: runTexts.noId }]);
    const links = this.#links(row);
    if (links.faults.length > 0) return refused(links.faults);
    const associations = eachOnce([...links.found, ...links.needed.map((needed) => this.#need(needed))]);
    const naming = matchNaming(this.#settings);
    const before =
      naming === undefined
        ? undefined
        : matchTexts(this.#settings, row).flatMap((text) => this.#settings.known.of(naming, text))[0];
    const operations = this.#record(row, ref, associations, before?.id);
    this.#note(row, ref);
    return {
      line,
      cells,
      faults: [],
      operations,
      before,
      linked: associations.length + links.unsent,
      unlinked: links.unlinked,
    };
  }

  /** Adds what creates or changes the record of the row; returns the places. */
  #record(row: ReadRow, ref: string, associations: readonly Association[], id: string | undefined): readonly number[] {
    const { schema, match, reader } = this.#settings;
    const common = { object_type: schema.type.name, properties: row.values, ref };
    const external =
      row.externalId === undefined ? {} : { external_ids: [{ source: reader.source ?? '', id: row.externalId }] };
    const linked = associations.length === 0 ? {} : { associations };
    if (match === undefined) return [this.#add({ operation: 'create', ...common, ...external, ...linked })];
    if (match !== 'external_id') return [this.#add({ operation: 'upsert', match, ...common, ...external, ...linked })];
    const made = this.#made.get(`id ${row.externalId}`);
    const known: BatchId | undefined = made === undefined ? id : { ref: made };
    if (known === undefined) return [this.#add({ operation: 'create', ...common, ...external, ...linked })];
    const place = this.#add({ operation: 'update', id: known, ...common });
    const associate = { operation: 'associate', object_type: schema.type.name, id: { ref } };
    return [place, ...associations.map((link) => this.#add({ ...associate, ...link }))];
  }

  #add(operation: object): number {
    return this.#operations.push(operation as Operation) - 1;
  }

  /** Later rows may name the record of this one. */
  #note({ values, externalId }: ReadRow, ref: string): void {
    const { schema, reader, match } = this.#settings;
    if (externalId !== undefined && match === 'external_id' && !this.#made.has(`id ${externalId}`)) {
      this.#made.set(`id ${externalId}`, ref);
    }
    for (const [place, column] of reader.links.entries()) {
      for (const { target, by } of namingsOf(column)) {
        if (target.name !== schema.type.name || by === 'id') continue;
        const property = by === 'external_id' ? undefined : namingProperty(target, by);
        const named = by === 'external_id' ? externalId : property && values[property.name];
        for (const value of [named ?? []].flat()) {
          this.#made.set(`${place} ${sameKey(property?.field_type, value)}`, ref);
        }
      }
    }
  }

  #links(row: ReadRow): Links {
    const links: Links = { found: [], needed: [], faults: [], unsent: 0, unlinked: 0 };
    for (const [place, column] of this.#settings.reader.links.entries()) {
      const texts = row.names[place] ?? [];
      const isUnsure = column.use.guessed === true;
      if (isUnsure && column.link.takesOne && texts.length > 1) links.unlinked += texts.length;
      else for (const text of texts) this.#link(links, column, place, text);
    }
    return links;
  }

  #link(links: Links, column: LinkColumn, place: number, text: string): void {
    const { association, missing, by, guessed } = column.use;
    const { targets } = column.link;
    const ids = this.#idsOf(column, place, text);
    const [id] = ids;
    if (id === madeByDryRun) links.unsent++;
    else if (id !== undefined && ids.length === 1) {
      links.found.push({ association_type: association, target_id: id });
    } else if (guessed === true || (id === undefined && missing === 'skip')) links.unlinked++;
    else if (id !== undefined) {
      const detail = runTexts.ambiguous(
        targets.map((target) => target.plural_label),
        namingLabel(targets, by),
        quoted(text),
      );
      links.faults.push({ column: column.index, detail });
    } else if (missing === 'create') links.needed.push({ column, place, text });
    else {
      const labels = targets.map(({ label }) => label);
      const detail = runTexts.noRecord(labels, namingLabel(targets, by), quoted(text));
      links.faults.push({ column: column.index, detail });
    }
  }

  #idsOf(column: LinkColumn, place: number, text: string): readonly BatchId[] {
    const stored = new Set(
      namingsOf(column).flatMap((naming) => this.#settings.known.of(naming, text).map(({ id }) => id)),
    );
    const made = this.#madeFor(column, place, text);
    return made === undefined ? [...stored] : [...stored, { ref: made }];
  }

  #madeFor(column: LinkColumn, place: number, text: string): string | undefined {
    const [naming] = namingsOf(column);
    const property = naming === undefined ? undefined : namingProperty(naming.target, column.use.by);
    const value = property === undefined ? text : (namedValue(property, text) ?? text);
    return this.#made.get(`${place} ${sameKey(property?.field_type, value)}`);
  }

  /** The record that a cell names is created with that one value, once for each value. */
  #need({ column, place, text }: Needed): Association {
    const association = { association_type: column.use.association };
    const made = this.#madeFor(column, place, text);
    if (made !== undefined) return { ...association, target_id: { ref: made } };
    const [target] = column.link.targets;
    const property = target === undefined ? undefined : namingProperty(target, column.use.by);
    if (target === undefined || property === undefined) throw new TypeError(`${column.header} creates nothing.`);
    const value = namedValue(property, text) ?? text;
    const ref = `needed-${this.#needed.length}`;
    const properties = { [property.name]: property.multi_valued ? [value] : value };
    const operation = this.#add({ operation: 'create', object_type: target.name, properties, ref });
    this.#needed.push({ operation, column: place, text });
    this.#made.set(`${place} ${sameKey(property.field_type, value)}`, ref);
    return { ...association, target_id: { ref } };
  }
}

/** Two cells of a row may name the same record. */
function eachOnce(associations: readonly Association[]): readonly Association[] {
  return [...new Map(associations.map((association) => [JSON.stringify(association), association])).values()];
}

interface Association {
  readonly association_type: string;
  readonly target_id: BatchId;
}

interface Needed {
  readonly column: LinkColumn;
  readonly place: number;
  readonly text: string;
}

interface Links {
  readonly found: Association[];
  readonly needed: Needed[];
  readonly faults: CellFault[];
  /** Links to what a dry run has made, which is nowhere. */
  unsent: number;
  unlinked: number;
}
