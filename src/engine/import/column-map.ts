// The map of an import: what a person has decided about columns and about the whole file. It is JSON, either
// {"Column": use, …} or {"columns": {…}, "options": {…}}; a use is the name of a property, null, or an object.
import { type Static, Type } from 'typebox';
import { isCurrencyCode } from '../../../client/import/cells/amount-cell.ts';
import type { CellStyle } from '../../../client/import/cells/cell-style.ts';
import { dateFormatOf } from '../../../client/import/cells/date-format.ts';
import { type DecimalMark, decimalMarks } from '../../../client/import/cells/decimal.ts';
import { timeZoneOf, utc } from '../../../client/import/cells/time-zone.ts';
import { missingModes } from '../../../client/import/column-use.ts';
import { quoted } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import { isObject } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import { shape } from '../../base/shape.ts';
import { fieldTypes } from '../../schema/fields/all.ts';
import { type BadCells, badCellModes, type ColumnUse, type InitialStage, initialStages } from './column-use.ts';

export interface ImportMap {
  readonly columns: ReadonlyMap<string, Decision>;
  /** The style of every column that has none of its own. */
  readonly style: CellStyle;
  readonly badCells: BadCells;
  readonly initialStage: InitialStage;
  /** What was said of the whole file. */
  readonly said: FileOptions;
}

/** A use, as far as a person has decided it: the style of a property may leave things open. */
export type Decision = ColumnUse;

export const emptyMap: ImportMap = {
  columns: new Map(),
  style: { timeZone: utc },
  badCells: 'refuse',
  initialStage: 'first',
  said: {},
};

/** What can be said of a whole file, in the map or on the command line. */
export interface FileOptions {
  readonly date_format?: string | undefined;
  readonly decimal?: string | undefined;
  readonly country?: string | undefined;
  readonly time_zone?: string | undefined;
  readonly bad_cells?: string | undefined;
  readonly initial_stage?: string | undefined;
}

const strict = { additionalProperties: false } as const;
const style = {
  date_format: Type.Optional(Type.String()),
  decimal: Type.Optional(Type.String()),
  country: Type.Optional(Type.String()),
};
const guessed = { guessed: Type.Optional(Type.Literal(true)) };
const PropertyObject = Type.Object(
  {
    property: Type.String(),
    part: Type.Optional(Type.Literal('unit')),
    currency: Type.Optional(Type.String()),
    ...style,
    ...guessed,
  },
  strict,
);
const LinkObject = Type.Object(
  {
    association: Type.String(),
    by: Type.Optional(Type.String()),
    source: Type.Optional(Type.String({ minLength: 1, maxLength: bounds.engine.externalSourceCharacters })),
    missing: Type.Optional(Type.Union(missingModes.map((mode) => Type.Literal(mode)))),
    within: Type.Optional(Type.String()),
    ...guessed,
  },
  strict,
);
const CreatedObject = Type.Object(
  { created_at: Type.Literal(true), date_format: Type.Optional(Type.String()), ...guessed },
  strict,
);
const ExternalObject = Type.Object(
  {
    external_id: Type.Literal(true),
    source: Type.String({ minLength: 1, maxLength: bounds.engine.externalSourceCharacters }),
    ...guessed,
  },
  strict,
);
const uses = {
  property: shape(PropertyObject),
  ignore: shape(Type.Object({ ignore: Type.Literal(true) }, strict)),
  association: shape(LinkObject),
  created_at: shape(CreatedObject),
  external_id: shape(ExternalObject),
};
const options = shape(
  Type.Object(
    {
      ...style,
      time_zone: Type.Optional(Type.String()),
      bad_cells: Type.Optional(Type.String()),
      initial_stage: Type.Optional(Type.String()),
    },
    strict,
  ),
);

/** `value` is the map as JSON; `given` are the options of the command line, which win. */
export function parseMap(value: unknown, given: FileOptions): ImportMap {
  if (!isObject(value)) throw new Failure('invalid_file', 'The map is not a JSON object.', mapForm);
  const isLong =
    isObject(value['columns']) && Object.keys(value).every((key) => key === 'columns' || key === 'options');
  const said = isLong ? (value['options'] ?? {}) : {};
  refuse('The options of the map are wrong', options.check(said));
  const columns = Object.entries((isLong ? value['columns'] : value) as Readonly<Record<string, unknown>>);
  return {
    columns: new Map(columns.map(([header, use]) => [header, parseUse(header, use)])),
    ...parseOptions({ ...(said as FileOptions), ...withoutUndefined(given) }),
  };
}

function withoutUndefined(given: FileOptions): FileOptions {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export const mapForm =
  'Write it as {"Column of the file": "svc_last_name", "Ignored column": null}, or see the guide, "Import and export".';

function parseUse(header: string, use: unknown): Decision {
  if (use === null) return { kind: 'ignored', why: 'as the map says' };
  if (typeof use === 'string') return { kind: 'property', property: use, style: {} };
  const column = `The map assigns the column ${quoted(header)}`;
  if (!isObject(use)) throw new Failure('invalid_file', `${column} neither a name, an object nor null.`, mapForm);
  if ('ignore' in use) {
    refuse(`${column} a wrong object`, uses.ignore.check(use));
    return { kind: 'ignored', why: 'as the map says' };
  }
  if ('association' in use) {
    refuse(`${column} a wrong object`, uses.association.check(use));
    const { association, by, missing = 'refuse', ...more } = use as Static<typeof LinkObject>;
    return { kind: 'link', association, by: byOf(association, by), missing, ...more };
  }
  if ('external_id' in use) {
    refuse(`${column} a wrong object`, uses.external_id.check(use));
    const { source, guessed } = use as Static<typeof ExternalObject>;
    return { kind: 'external_id', source, ...(guessed && { guessed }) };
  }
  if ('created_at' in use) {
    refuse(`${column} a wrong object`, uses.created_at.check(use));
    const { guessed, ...own } = use as Static<typeof CreatedObject>;
    return { kind: 'created_at', style: styleOf(own), ...(guessed && { guessed }) };
  }
  refuse(`${column} a wrong object`, uses.property.check(use));
  const { property, part, guessed, ...own } = use as Static<typeof PropertyObject>;
  if (part === 'unit') return { kind: 'unit', property };
  return { kind: 'property', property, style: styleOf(own), ...(guessed && { guessed }) };
}

/** An owner is named by the email of the member. */
function byOf(association: string, by: string | undefined): string {
  const isOwner = association === 'svc_record_to_user';
  if (by === undefined) return isOwner ? 'svc_email' : 'title';
  return isOwner && by === 'email' ? 'svc_email' : by;
}

function refuse(what: string, faults: readonly Fault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const place = first.pointer === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  throw new Failure('invalid_file', `${what}${place}: ${first.detail}`, mapForm);
}

function parseOptions(said: FileOptions): Pick<ImportMap, 'style' | 'badCells' | 'initialStage' | 'said'> {
  const { bad_cells: badCells = 'refuse', initial_stage: stage = 'first', time_zone: zone } = said;
  const mode = badCellModes.find((each) => each === badCells);
  if (mode === undefined) throw unknown('bad_cells', badCells, `Use ${badCellModes.join(' or ')}.`);
  const initialStage = initialStages.find((each) => each === stage);
  if (initialStage === undefined) throw unknown('initial_stage', stage, `Use ${initialStages.join(' or ')}.`);
  if (zone !== undefined && fieldTypes.get('timezone')?.check(zone, []) !== undefined) {
    throw unknown('time_zone', zone, 'Use an IANA name such as Europe/Berlin.');
  }
  return {
    style: { timeZone: zone === undefined ? utc : timeZoneOf(zone), ...styleOf(said) },
    badCells: mode,
    initialStage,
    said,
  };
}

interface ColumnOptions extends Pick<FileOptions, 'date_format' | 'decimal' | 'country'> {
  readonly currency?: string;
}

/** What is said of the cells of one column or of all. */
function styleOf({ date_format: format, decimal, country, currency }: ColumnOptions): CellStyle {
  const dates = format === undefined ? undefined : dateFormatOf(format);
  if (format !== undefined && dates === undefined) {
    throw unknown('date_format', format, 'Use one such as DD/MM/YYYY, M/D/YYYY HH:mm or excel.');
  }
  const mark = decimal === undefined ? undefined : markOf(decimal);
  if (decimal !== undefined && mark === undefined)
    throw unknown('decimal', decimal, 'Use . or , or an example: 1.234,56.');
  if (country !== undefined && fieldTypes.get('country')?.check(country, []) !== undefined) {
    throw unknown('country', country, 'Use an ISO 3166-1 alpha-2 code in capitals, such as GB.');
  }
  if (currency !== undefined && !isCurrencyCode(currency)) {
    throw unknown('currency', currency, 'Use an ISO 4217 code in capitals, such as EUR.');
  }
  return {
    ...(dates === undefined ? {} : { dates }),
    ...(mark === undefined ? {} : { decimal: mark }),
    ...(country === undefined ? {} : { country }),
    ...(currency === undefined ? {} : { currency }),
  };
}

/** The mark itself, or the last one of an example such as 1.234,56. */
function markOf(text: string): DecimalMark | undefined {
  const isExample = /^[0-9.,\s'\u2019]+$/.test(text);
  if (!isExample) return undefined;
  const last = text.match(/[.,]/g)?.at(-1);
  return decimalMarks.find((mark) => mark === last);
}

function unknown(option: string, value: string, fix: string): Failure {
  const name = option.replace('_', '-');
  return new Failure('usage', `The ${name} ${quoted(value)} is not known.`, fix);
}
