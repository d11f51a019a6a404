// Plans an import before its first row is read: the object type, the property of each column, and the property by which
// rows find existing records. An impossible plan fails with one sentence before anything is written.
import { moneyOf } from '../../../client/import/cells/amount-cell.ts';
import { quoted } from '../../../client/import/described.ts';
import { fileBounds } from '../../../client/import/file-bounds.ts';
import { type GuessedUse, guessColumns, subjectOf } from '../../../client/import/guess-columns.ts';
import { Failure } from '../../base/failure.ts';
import { nearest } from '../../base/nearest.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { isGoverned, type ObjectType, type Property } from '../../schema/object-type.ts';
import { ingestedType } from '../../schema/roles/ingested-type.ts';
import { requireType } from '../admin/require-type.ts';
import type { KnownOrg } from '../process/directory.ts';
import { type Decision, emptyMap, type FileOptions, type ImportMap } from './column-map.ts';
import {
  type BadCells,
  type ColumnUse,
  type InitialStage,
  matchByExternalId,
  type PlannedColumn,
  propertyOf,
} from './column-use.ts';
import { describeType } from './describe-type.ts';
import { requireLinkUse } from './link-columns.ts';
import { historyType, isHistoryType, requireHistoryUse } from './stage-history/columns.ts';
import { planHistory } from './stage-history/plan.ts';

export interface ImportPlan {
  readonly type: ObjectType;
  readonly columns: readonly PlannedColumn[];
  /** The unique property by which a row finds an existing record, or `external_id`. */
  readonly match: string | undefined;
  readonly badCells: BadCells;
  readonly initialStage: InitialStage;
  /** What was said of the whole file. */
  readonly said: FileOptions;
}

interface PlanRequest {
  readonly catalog: Catalog;
  readonly type: ObjectType;
  readonly headers: readonly string[];
  /** Some rows of the file, for guessing. */
  readonly rows: readonly (readonly string[])[];
  /** That of the org. */
  readonly currency: string;
  readonly map?: ImportMap;
  readonly match: string | undefined;
}

export function planImport(request: PlanRequest): ImportPlan {
  const { catalog, type, headers, map = emptyMap, match } = request;
  if (headers.length > fileBounds.columns) {
    const sentence = `The header has ${headers.length} columns; at most ${fileBounds.columns} are allowed.`;
    throw new Failure('invalid_file', sentence, 'Check that the first line contains the column names.');
  }
  for (const header of map.columns.keys()) if (!headers.includes(header)) throw unknownHeader(header, headers);
  const planned = guessColumns({
    type: describeType(catalog, type),
    file: request,
    money: moneyOf(request.currency),
    decided: decidedBy(map),
  }).map(({ header, use, isSure }): PlannedColumn => {
    const decided = map.columns.get(header);
    if (decided === undefined)
      return { header, use: guessedUse(use, isSure ? {} : { guessed: true }, map), decidedBy: 'header' };
    return { header, use: decidedUse(catalog, type, header, decided, map), decidedBy: 'map' };
  });
  const columns = isHistoryType(type) ? planHistory(catalog, planned, { match, badCells: map.badCells }) : planned;
  refuseTwice(type, columns);
  refuseLoneUnits(columns);
  const named = match === undefined ? undefined : requireMatch(type, columns, match);
  if (columns.every(({ use }) => use.kind === 'ignored')) throw nothingUsable(type);
  const { badCells, initialStage, said } = map;
  return { type, columns, match: named, badCells, initialStage, said };
}

function decidedUse(
  catalog: Catalog,
  type: ObjectType,
  header: string,
  decided: Decision,
  { style }: ImportMap,
): ColumnUse {
  if (decided.kind === 'ignored') return decided;
  if (decided.kind === 'link') {
    return isHistoryType(type)
      ? requireHistoryUse(catalog, header, decided)
      : requireLinkUse(catalog, type, header, decided);
  }
  if (decided.kind === 'external_id') return decided;
  if (decided.kind === 'created_at') return { ...decided, style: { ...style, ...decided.style } };
  const { name, fieldType } = requireMapped(type, header, decided.property);
  const isMoney = fieldType.comparison === 'money';
  const saysCurrency = decided.kind === 'unit' || decided.style.currency !== undefined;
  if (saysCurrency && !isMoney) {
    const sentence = `The map says that the column ${quoted(header)} has the currency of ${name}, which has no amounts.`;
    const word = decided.kind === 'unit' ? 'part' : 'currency';
    throw new Failure(
      'usage',
      sentence,
      `${name} is a ${fieldType.name}. Leave out "${word}", or name another property.`,
    );
  }
  if (decided.kind === 'unit') return { ...decided, property: name };
  return { ...decided, property: name, style: { ...style, ...decided.style } };
}

/** A decision of the map beats any guess, also for a list that several columns could fill. */
function decidedBy({ columns }: ImportMap): {
  readonly headers: ReadonlySet<string>;
  readonly subjects: ReadonlySet<string>;
} {
  const uses = [...columns.values()].filter((use) => use.kind !== 'ignored' && use.kind !== 'unit');
  return { headers: new Set(columns.keys()), subjects: new Set(uses.flatMap((use) => subjectOf(use) ?? [])) };
}

/** A guessed link never refuses a row that would come in without it. */
function guessedUse(use: GuessedUse, guessed: { readonly guessed?: true }, { style }: ImportMap): ColumnUse {
  if (use.kind === 'ignored') return use;
  if (use.kind === 'link') return { ...use, missing: 'skip', ...guessed };
  if (use.kind === 'external_id') return { ...use, ...guessed };
  if (use.kind === 'created_at') return { ...use, style, ...guessed };
  const { currency, ...property } = use;
  return { ...property, style: currency === undefined ? style : { ...style, currency }, ...guessed };
}

function requireMapped(type: ObjectType, header: string, name: string): Property {
  const property = type.properties.get(name);
  if (property === undefined) {
    const near = type.nearestProperty(name);
    const sentence = `The map assigns the column ${quoted(header)} to ${quoted(name)}, which ${type.name} does not have.`;
    throw new Failure('usage', sentence, near === undefined ? listed(type) : `Did you mean "${near}"?`);
  }
  if (!property.readOnly) return property;
  const sentence = `The map assigns the column ${quoted(header)} to ${name}, which is read-only.`;
  throw new Failure('usage', sentence, 'Use null instead to ignore the column.');
}

/** A property that takes one value has one column, and its currency another. */
function refuseTwice(type: ObjectType, columns: readonly PlannedColumn[]): void {
  const seen = new Map<string, string>();
  for (const { header, use } of columns) {
    const what = takenOnce(type, use);
    if (what === undefined) continue;
    const first = seen.get(what);
    if (first !== undefined) {
      const sentence = `The columns ${quoted(first)} and ${quoted(header)} both map to ${what}.`;
      const fix =
        first === header
          ? 'Rename one of them in the file.'
          : `Choose one with --map: {${quoted(header)}: null} ignores the second.`;
      throw new Failure('usage', sentence, fix);
    }
    seen.set(what, header);
  }
}

/** What only one column can be; undefined if several may. */
function takenOnce(type: ObjectType, use: ColumnUse): string | undefined {
  if (use.kind === 'created_at') return 'the date of creation';
  if (use.kind === 'external_id') return 'the id in another system';
  const property = propertyOf(use);
  if (property === undefined || use.kind === 'unit') return property && `the currency of ${property}`;
  return type.properties.get(property)?.multiValued === true ? undefined : property;
}

function refuseLoneUnits(columns: readonly PlannedColumn[]): void {
  for (const { header, use } of columns) {
    if (use.kind !== 'unit') continue;
    if (columns.some((other) => other.use.kind === 'property' && other.use.property === use.property)) continue;
    const sentence = `The column ${quoted(header)} has the currency of ${use.property}, but no column has its amounts.`;
    throw new Failure('usage', sentence, 'Assign the column of the amounts with --map as well.');
  }
}

function requireMatch(type: ObjectType, columns: readonly PlannedColumn[], match: string): string {
  if (match === matchByExternalId) {
    if (columns.some(({ use }) => use.kind === 'external_id')) return match;
    const fix = 'Name it with --map: {"Id": {"external_id": true, "source": "hubspot"}}.';
    throw new Failure('usage', 'No column of the file has the ids of another system to match by.', fix);
  }
  const property = type.properties.get(match) ?? type.properties.get(`svc_${match}`);
  const unique = [...type.properties.values()].filter((each) => each.unique).map(({ name }) => name);
  const offered =
    unique.length === 0 ? `${type.name} has no unique property: omit --match.` : `Match by ${unique.join(' or ')}.`;
  if (property === undefined) {
    const near = nearest(match, unique);
    const sentence = `${type.name} has no property ${quoted(match)} to match by.`;
    throw new Failure('usage', sentence, near === undefined ? offered : `Did you mean "${near}"?`);
  }
  if (!property.unique) {
    const sentence = `${property.name} cannot be used to match: more than one record of ${type.name} can have the same value.`;
    throw new Failure('usage', sentence, offered);
  }
  if (!columns.some(({ use }) => use.kind === 'property' && use.property === property.name)) {
    const sentence = `No column of the file maps to ${property.name}, the property to match by.`;
    throw new Failure('usage', sentence, 'Add the column, or assign one with --map.');
  }
  return property.name;
}

/** The object type, if its records can be created from a file. */
export function requireImported(known: KnownOrg, typeName: string): ObjectType {
  const type = requireType(known, typeName);
  if (isHistoryType(type)) return historyType(type);
  if (type.writableOperations.includes('create') && !isGoverned(type)) return type;
  const sentence = `Records of ${typeName} cannot be imported: ${natureOf(type)}.`;
  const fix =
    ingestedType(type) === undefined
      ? isGoverned(type)
        ? 'Write them with the API or with the command line.'
        : 'Import the records that they are about.'
      : `Use "orrery ingest --type ${typeName}".`;
  throw new Failure('usage', sentence, fix);
}

function natureOf({ nature }: ObjectType): string {
  if (isGoverned({ nature })) return 'they obey rules of their own';
  return nature === 'automatic' ? 'the service writes them' : 'they come from a connected system';
}

function unknownHeader(header: string, headers: readonly string[]): Failure {
  const near = nearest(header, headers);
  const fix =
    near === undefined ? `It has ${headers.slice(0, 20).map(quoted).join(', ')}.` : `Did you mean ${quoted(near)}?`;
  return new Failure('usage', `The map names the column ${quoted(header)}, which the file does not have.`, fix);
}

function nothingUsable(type: ObjectType): Failure {
  const sentence = `No column of the file matches a writable property of ${type.name}.`;
  return new Failure('usage', sentence, `${listed(type)} Name them in the first line, or assign columns with --map.`);
}

function listed(type: ObjectType): string {
  const names = [...type.properties.values()].filter(({ readOnly }) => !readOnly).map(({ name }) => name);
  return `It has ${names.slice(0, 30).join(', ')}${names.length > 30 ? ', …' : ''}.`;
}
