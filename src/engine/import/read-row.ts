// Reads one row of a file: from cells to checked values, or to one Problem with all errors. An empty cell has no meaning:
// the property is absent on a new record and unchanged on an existing one.
import type { CellStyle } from '../../../client/import/cells/cell-style.ts';
import { describe } from '../../../client/import/described.ts';
import { fileBounds } from '../../../client/import/file-bounds.ts';
import type { CsvRow } from '../../../client/import/files/csv-rows.ts';
import { namesIn, readValues, rowFault, type ValueColumn } from '../../../client/import/read-row.ts';
import { counted } from '../../base/counted.ts';
import { type Json, pointerStep } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { type Fault, Problem, problemOf } from '../../base/problem.ts';
import { type Changes, checkRequired, checkValues } from '../../schema/check-values.ts';
import { fromCell } from '../../schema/csv-cell.ts';
import type { ValueFault } from '../../schema/field-type.ts';
import { storablePattern, wrongShape } from '../../schema/fields/rules/texts.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import type { ExternalName } from '../../store/records/external-ids.ts';
import { mayDrop, removeBad } from './bad-cells.ts';
import { type BadCells, type InitialStage, matchByExternalId, type PlannedColumn } from './column-use.ts';
import type { LinkColumn } from './link-columns.ts';
import type { HistoryColumn } from './stage-history/columns.ts';
import type { NamedTargets } from './target-names.ts';

export interface ImportedRow {
  readonly row: CsvRow;
  readonly item: ImportedItem | Problem;
}

export interface ImportedItem {
  readonly changes: Changes;
  /** The required properties that a new record would lack; whether the row creates one may not be known yet. */
  readonly missing: readonly Fault[];
  /** The cells without which the row is taken. */
  readonly dropped: readonly Fault[];
  /** The records that the row is to be linked to. */
  readonly targets: NamedTargets;
  /** The id of the record in another system. */
  readonly external: ExternalName | undefined;
  /** From when a new record is; undefined if from now. */
  readonly createdAtMs: number | undefined;
}

/** The columns that are not ignored, with the properties as they are now: options may have been added. */
export function readColumns(type: ObjectType, columns: readonly PlannedColumn[]): readonly ValueColumn[] {
  return columns.flatMap(({ use }, index) => {
    const property = use.kind === 'property' ? type.properties.get(use.property) : undefined;
    if (use.kind !== 'property' || property === undefined) return [];
    const unit = columns.findIndex((each) => each.use.kind === 'unit' && each.use.property === use.property);
    const { name, multiValued, options, fieldType } = property;
    const read = { name, multiValued, options, form: fieldType.cell };
    return [{ index, property: read, style: use.style, unitIndex: unit < 0 ? undefined : unit }];
  });
}

export interface RowForm {
  readonly type: ObjectType;
  readonly columns: readonly ValueColumn[];
  readonly columnCount: number;
  /** The property by which the row finds an existing record. */
  readonly match: string | undefined;
  /** The currency of the org, for amounts without one. */
  readonly currency: string;
  readonly badCells: BadCells;
  readonly links: readonly LinkColumn[];
  readonly external: ExternalColumn | undefined;
  /** The column with the date of creation. */
  readonly created: CreatedColumn | undefined;
  readonly initialStage: InitialStage;
  /** If the rows are stage history, its link columns with what they mean. */
  readonly history: readonly HistoryColumn[] | undefined;
}

interface ExternalColumn {
  readonly index: number;
  readonly source: string;
  readonly isGuess: boolean;
}

/** The column with the ids of another system, if the plan has one. */
export function externalColumn(columns: readonly PlannedColumn[]): ExternalColumn | undefined {
  for (const [index, { use }] of columns.entries()) {
    if (use.kind === 'external_id') return { index, source: use.source, isGuess: use.guessed === true };
  }
  return undefined;
}

interface CreatedColumn {
  readonly index: number;
  readonly isGuess: boolean;
  readonly property: Property;
  readonly style: CellStyle;
}

/** The column with the date of creation, if the plan has one. */
export function createdColumn(type: ObjectType, columns: readonly PlannedColumn[]): CreatedColumn | undefined {
  const property = type.properties.get('svc_created_at');
  for (const [index, { use }] of columns.entries()) {
    if (use.kind === 'created_at' && property !== undefined) {
      return { index, property, style: use.style, isGuess: use.guessed === true };
    }
  }
  return undefined;
}

/** `nowMs` is the latest time from which a record can be. */
export function readRow(form: RowForm, row: CsvRow, nowMs: number): ImportedRow {
  return { row, item: readItem(form, row, nowMs) };
}

function readItem(form: RowForm, row: CsvRow, nowMs: number): ImportedItem | Problem {
  const { type, columns, columnCount, match, currency, badCells } = form;
  const { cells } = row;
  const unsound = rowFault(row, columnCount);
  if (unsound !== undefined) return malformed(unsound);
  const read = readValues(columns, cells, currency, (name, value) => keyOf(type, name, value));
  const { values } = read;
  const faults: Fault[] = read.faults.map(({ column, fault }) => faultAt(column.property, fault));
  const createdAtMs = readCreated(form, cells, nowMs);
  const external = readExternal(form, cells);
  for (const each of [createdAtMs, external]) if (isFault(each)) faults.push(each);
  const targets = namedTargets(form, cells);
  faults.push(...targetFaults(form, targets));
  let checked = checkValues(type, values, '');
  const bad = [...faults, ...checked.faults];
  const dropped = badCells === 'drop' ? bad.filter((fault) => mayDrop(type, match, fault)) : [];
  if (dropped.length > 0) {
    removeBad(
      values,
      checked.faults.filter((fault) => dropped.includes(fault)),
    );
    checked = checkValues(type, values, '');
  }
  const missing = checkRequired(type, values, '');
  const wrong = [
    ...faults.filter((fault) => !dropped.includes(fault)),
    ...checked.faults,
    ...(match === undefined || match === matchByExternalId ? missing : unmatched(match, values, missing)),
  ];
  if (wrong.length > 0) return problemOf('validation_failed', wrong);
  return {
    changes: checked.changes,
    missing,
    dropped,
    targets,
    createdAtMs: isFault(createdAtMs) ? undefined : createdAtMs,
    external: isFault(external) ? undefined : external,
  };
}

/** The id in the other system, or why the cell has none. A row that is matched by it needs one. */
function readExternal({ type, external, match }: RowForm, cells: readonly string[]): ExternalName | Fault | undefined {
  if (external === undefined) return undefined;
  const externalId = (cells[external.index] as string).trim();
  const most = bounds.engine.externalIdCharacters;
  const isThere = externalId !== '' && externalId.length <= most && storable.test(externalId);
  if (isThere) return { typeId: type.id, source: external.source, externalId };
  if (match !== matchByExternalId && (externalId === '' || external.isGuess)) return undefined;
  const detail = `Expected an id in ${external.source} of 1 to ${most} characters; got ${describe(externalId)}.`;
  return { pointer: '/external_ids', reason: 'wrong_shape', detail };
}

/** Too many texts in one cell, and texts that no database can compare with anything, such as one with U+0000. */
function targetFaults({ links }: RowForm, targets: NamedTargets): readonly Fault[] {
  const most = fileBounds.linksPerCell;
  return links.flatMap(({ header }, place): readonly Fault[] => {
    const texts = targets[place] ?? [];
    const pointer = `/properties/${header}`;
    if (texts.length > most) {
      const detail = `A cell may name at most ${counted(most)} records; this one names ${counted(texts.length)}.`;
      return [{ pointer, reason: 'too_many_values', detail }];
    }
    if (texts.every((text) => storable.test(text))) return [];
    return [{ pointer, reason: 'wrong_shape', detail: 'Expected text without U+0000 and without lone surrogates.' }];
  });
}

const storable = new RegExp(storablePattern, 'u');

function isFault(value: unknown): value is Fault {
  return typeof value === 'object' && value !== null && 'reason' in value;
}

/** The moment from which the record is, or why the cell has none. */
function readCreated({ created }: RowForm, cells: readonly string[], nowMs: number): number | Fault | undefined {
  const cell = created === undefined ? '' : (cells[created.index] as string).trim();
  if (created === undefined || cell === '') return undefined;
  const { property, style, isGuess } = created;
  const reading = fromCell(property, cell, undefined, style);
  const fault = 'fault' in reading ? reading.fault : property.fieldType.check(reading.value, []);
  const ms = fault === undefined && 'value' in reading ? Date.parse(reading.value as string) : Number.NaN;
  if (ms >= 0 && ms <= nowMs) return ms;
  if (isGuess) return undefined;
  if (fault !== undefined) return faultAt(property, fault);
  return faultAt(property, wrongShape(`Expected a time between 1970 and now; got ${describe(cell)}.`));
}

function namedTargets({ links }: RowForm, cells: readonly string[]): NamedTargets {
  return links.map(({ index, use }) =>
    namesIn(cells[index] as string).filter((text) => use.guessed !== true || storable.test(text)),
  );
}

function faultAt({ name }: Pick<Property, 'name'>, { at, reason, detail }: ValueFault): Fault {
  return { pointer: `/properties${pointerStep(name)}${at}`, property: name, reason, detail };
}

/** Values that are not valid are compared by their text. */
function keyOf({ properties }: ObjectType, name: string, value: Json): string {
  const { fieldType } = properties.get(name) as Property;
  return fieldType.check(value, []) === undefined ? fieldType.key(value) : JSON.stringify(value);
}

/** A row without a value to match by is refused, and everything else that it lacks is reported with it. */
function unmatched(match: string, values: Readonly<Record<string, Json>>, missing: readonly Fault[]): readonly Fault[] {
  if (Object.hasOwn(values, match)) return [];
  const pointer = `/properties${pointerStep(match)}`;
  const detail = `A row needs a value of ${match} to be matched by.`;
  const reported = missing.some((fault) => fault.property === match);
  return reported ? missing : [{ pointer, property: match, reason: 'required_missing', detail }, ...missing];
}

function malformed(detail: string): Problem {
  return new Problem('invalid_request', 'invalid_value', detail);
}
