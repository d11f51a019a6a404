// Plans an import before its first row is read: the object type, the property of each column, and the property by which
// rows find existing records. An impossible plan fails with one sentence before anything is written.
import { Failure } from '../../base/failure.ts';
import { shorten } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { nearest } from '../../base/nearest.ts';
import { isGoverned, type ObjectType, type Property } from '../../schema/object-type.ts';
import { ingestedType } from '../../schema/roles/ingested-type.ts';
import { requireType } from '../admin/require-type.ts';
import type { KnownOrg } from '../process/directory.ts';
import { type GuessedColumn, guessColumns, reasonsHeader, surenesses } from './guess-columns.ts';

export interface PlannedColumn {
  readonly header: string;
  /** The name of the property; undefined if the column is ignored. */
  readonly property: string | undefined;
  /** Why the column is ignored. */
  readonly ignored: string | undefined;
  readonly decidedBy: 'map' | 'header';
}

export interface ImportPlan {
  readonly type: ObjectType;
  readonly columns: readonly PlannedColumn[];
  /** The unique property by which a row finds an existing record. */
  readonly match: string | undefined;
}

/** The decisions of a person about columns: the name of a property, or null to ignore the column. */
export type ColumnMap = ReadonlyMap<string, string | null>;

interface PlanRequest {
  readonly type: ObjectType;
  readonly headers: readonly string[];
  readonly map: ColumnMap;
  readonly match: string | undefined;
}

export function planImport({ type, headers, map, match }: PlanRequest): ImportPlan {
  if (headers.length > bounds.engine.importColumns) {
    const sentence = `The header has ${headers.length} columns; at most ${bounds.engine.importColumns} are allowed.`;
    throw new Failure('invalid_file', sentence, 'Check that the first line contains the column names.');
  }
  for (const header of map.keys()) if (!headers.includes(header)) throw unknownHeader(header, headers);
  const guessed = guessColumns(type, headers);
  const surest = surestOf(guessed, map);
  const columns = guessed.map((column): PlannedColumn => {
    const decidedBy = map.has(column.header) ? 'map' : 'header';
    return { ...planColumn(type, column, map, surest), decidedBy };
  });
  refuseTwice(columns);
  const named = match === undefined ? undefined : requireMatch(type, columns, match);
  if (columns.every(({ property }) => property === undefined)) throw nothingUsable(type);
  return { type, columns, match: named };
}

function planColumn(
  type: ObjectType,
  { header, property, sureness }: GuessedColumn,
  map: ColumnMap,
  surest: ReadonlyMap<string, GuessedColumn['sureness']>,
): Omit<PlannedColumn, 'decidedBy'> {
  const mapped = map.get(header);
  if (mapped === null) return { header, property: undefined, ignored: 'as the map says' };
  if (mapped !== undefined) return { header, property: requireMapped(type, header, mapped).name, ignored: undefined };
  if (header === reasonsHeader)
    return { header, property: undefined, ignored: 'holds the errors of an earlier import' };
  if (property === undefined) return { header, property: undefined, ignored: 'no matching property' };
  if (property.readOnly) return { header, property: undefined, ignored: `${property.name} is read-only` };
  if (surest.get(property.name) !== sureness) {
    return { header, property: undefined, ignored: `another column maps to ${property.name}` };
  }
  return { header, property: property.name, ignored: undefined };
}

/** The sureness of the surest column of each property. A decision of the map beats any guess. */
function surestOf(guessed: readonly GuessedColumn[], map: ColumnMap): ReadonlyMap<string, GuessedColumn['sureness']> {
  const surest = new Map<string, GuessedColumn['sureness']>();
  for (const sureness of surenesses) {
    for (const { header, property, sureness: own } of guessed) {
      if (property !== undefined && own === sureness && !map.has(header) && !surest.has(property.name)) {
        surest.set(property.name, sureness);
      }
    }
  }
  for (const name of map.values()) if (name !== null) surest.delete(name);
  return surest;
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

function refuseTwice(columns: readonly PlannedColumn[]): void {
  const seen = new Map<string, string>();
  for (const { header, property } of columns) {
    if (property === undefined) continue;
    const first = seen.get(property);
    if (first !== undefined) {
      const sentence = `The columns ${quoted(first)} and ${quoted(header)} both map to ${property}.`;
      const fix =
        first === header
          ? 'Rename one of them in the file.'
          : `Choose one with --map: {${quoted(header)}: null} ignores the second.`;
      throw new Failure('usage', sentence, fix);
    }
    seen.set(property, header);
  }
}

function requireMatch(type: ObjectType, columns: readonly PlannedColumn[], match: string): string {
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
  if (!columns.some((column) => column.property === property.name)) {
    const sentence = `No column of the file maps to ${property.name}, the property to match by.`;
    throw new Failure('usage', sentence, 'Add the column, or assign one with --map.');
  }
  return property.name;
}

/** The object type, if its records can be created from a file. */
export function requireImported(known: KnownOrg, typeName: string): ObjectType {
  const type = requireType(known, typeName);
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

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
