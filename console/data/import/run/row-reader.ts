// Reads the rows of a file as the plan says: from cells to values, and to the names of the records that they are linked to. The
// service checks what is read.
import type { CellValue } from '../../../../client/import/cells/cell-form.ts';
import type { LinkUse } from '../../../../client/import/column-use.ts';
import { fileBounds } from '../../../../client/import/file-bounds.ts';
import type { CsvRow } from '../../../../client/import/files/csv-rows.ts';
import { namesIn, readValues, rowFault, type ValueColumn } from '../../../../client/import/read-row.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';
import type { CellFault, ColumnUse } from '../messages.ts';
import type { ImportLink, ImportSchema } from '../plan/described-schema.ts';
import { valueColumns } from '../plan/value-columns.ts';

export interface LinkColumn {
  readonly index: number;
  readonly header: string;
  readonly use: LinkUse;
  readonly link: ImportLink;
}

export interface ReadRow {
  readonly row: CsvRow;
  readonly values: Readonly<Record<string, CellValue>>;
  /** Of each link column, the texts of its cell. */
  readonly names: readonly (readonly string[])[];
  readonly externalId: string | undefined;
  readonly faults: readonly CellFault[];
}

export class RowReader {
  readonly links: readonly LinkColumn[];
  readonly source: string | undefined;
  readonly #values: readonly ValueColumn[];
  readonly #external: number;
  readonly headers: readonly string[];
  readonly #labelOf: (property: string) => string;
  readonly #keyOf: (property: string, value: CellValue) => string;

  constructor(schema: ImportSchema, headers: readonly string[], uses: readonly ColumnUse[]) {
    this.headers = headers;
    this.#labelOf = (name) => schema.properties.get(name)?.label ?? name;
    this.#values = valueColumns(schema, uses);
    this.links = uses.flatMap((use, index) => {
      const link = use.kind === 'link' ? schema.links.get(use.association) : undefined;
      if (use.kind !== 'link' || link === undefined) return [];
      return [{ index, header: headers[index] ?? '', use, link }];
    });
    this.#external = uses.findIndex(({ kind }) => kind === 'external_id');
    const external = uses[this.#external];
    this.source = external?.kind === 'external_id' ? external.source : undefined;
    this.#keyOf = (name, value) => sameKey(schema.properties.get(name)?.field_type, value);
  }

  read(row: CsvRow): ReadRow {
    const { cells } = row;
    const unsound = rowFault(row, this.headers.length);
    if (unsound !== undefined) {
      return { row, values: {}, names: [], externalId: undefined, faults: [{ detail: unsound }] };
    }
    // A plan has no amounts without a currency; one that would be is refused by the service, and never guessed.
    const { values, faults } = readValues(this.#values, cells, '', this.#keyOf);
    const names = this.links.map(({ index }) => namesIn(cells[index] ?? ''));
    const id = this.#external < 0 ? '' : (cells[this.#external] ?? '').trim();
    return {
      row,
      values,
      names,
      externalId: id === '' ? undefined : id,
      faults: [
        ...faults.map(({ column, fault }) => ({ column: column.index, detail: fault.detail })),
        ...this.#nameFaults(names),
      ],
    };
  }

  /** The columns that a place of an operation comes from, such as `properties/svc_email/0`; the label of what no column has. */
  columnsOf(place: string): string {
    const [member = '', name = ''] = place.split('/');
    const indexes = {
      properties: this.#values.filter(({ property }) => property.name === name).map(({ index }) => index),
      associations: this.links.map(({ index }) => index),
      external_ids: this.#external < 0 ? [] : [this.#external],
    }[member];
    if (indexes === undefined || indexes.length === 0) return member === 'properties' ? this.#labelOf(name) : place;
    return indexes.map((index) => this.headers[index] ?? '').join(', ');
  }

  #nameFaults(names: readonly (readonly string[])[]): readonly CellFault[] {
    const faults: CellFault[] = [];
    for (const [place, { index, link, use }] of this.links.entries()) {
      const texts = names[place] ?? [];
      if (texts.length > fileBounds.linksPerCell) {
        faults.push({ column: index, detail: runTexts.tooManyNames(texts.length, fileBounds.linksPerCell) });
      } else if (link.takesOne && texts.length > 1 && use.guessed !== true) {
        faults.push({ column: index, detail: runTexts.takesOne(texts.length) });
      }
    }
    const count = names.flat().length;
    if (count > importBounds.linksPerRow) {
      faults.push({ detail: runTexts.tooManyLinks(count, importBounds.linksPerRow) });
    }
    return faults;
  }
}

/** Two values of a field type are the same if these texts are: texts are compared without case, numbers by their value. */
export function sameKey(fieldType: string | undefined, value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return members.map(([, member]) => String(member)).join(' ');
  }
  const text = String(value);
  if (fieldType === 'number') return text.replace(/^(-?)0+(?=[0-9])/, '$1').replace(/\.0+$|(\.[0-9]*[1-9])0+$/, '$1');
  return fieldType === 'select' ? text : text.toLowerCase();
}
