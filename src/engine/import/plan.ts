// What an import will do, decided before its first row is read: which object type, which property each column is for, and
// by which one rows find records that are there. Whatever cannot be done is one sentence here, and nothing is written.
import { Failure } from '../../base/failure.ts';
import { shorten } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { nearest } from '../../base/nearest.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import { ingestedType } from '../../schema/roles/ingested-type.ts';
import { requireType } from '../admin/require-type.ts';
import type { KnownOrg } from '../process/directory.ts';
import { type GuessedColumn, guessColumns, reasonsHeader, surenesses } from './guess-columns.ts';

export interface PlannedColumn {
  readonly header: string;
  /** The name of the property; undefined where the column is left out. */
  readonly property: string | undefined;
  /** Why it is left out, as the end of a sentence. */
  readonly leftOut: string | undefined;
}

export interface ImportPlan {
  readonly type: ObjectType;
  readonly columns: readonly PlannedColumn[];
  /** The unique property by which a row names a record that is there. */
  readonly match: string | undefined;
}

/** What a person has decided for columns: the name of a property, or null for none. */
export type ColumnMap = ReadonlyMap<string, string | null>;

export interface PlanRequest {
  readonly type: ObjectType;
  readonly headers: readonly string[];
  readonly map: ColumnMap;
  readonly match: string | undefined;
}

export function planImport({ type, headers, map, match }: PlanRequest): ImportPlan {
  if (headers.length > bounds.engine.importColumns) {
    const sentence = `The header has ${headers.length} columns; a file may have ${bounds.engine.importColumns}.`;
    throw new Failure('invalid_file', sentence, 'Check that its first line names the columns.');
  }
  for (const header of map.keys()) if (!headers.includes(header)) throw unknownHeader(header, headers);
  const guessed = guessColumns(type, headers);
  const surest = surestOf(guessed, map);
  const columns = guessed.map((column) => planColumn(type, column, map, surest));
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
): PlannedColumn {
  const told = map.get(header);
  if (told === null) return { header, property: undefined, leftOut: 'as the map says' };
  if (told !== undefined) return { header, property: requireMapped(type, header, told).name, leftOut: undefined };
  if (header === reasonsHeader) return { header, property: undefined, leftOut: 'it tells what was wrong with a row' };
  if (property === undefined)
    return { header, property: undefined, leftOut: `no property of ${type.name} is meant by it` };
  if (property.readOnly) return { header, property: undefined, leftOut: `${property.name} is read-only` };
  if (surest.get(property.name) !== sureness) {
    return { header, property: undefined, leftOut: `another column is ${property.name}` };
  }
  return { header, property: property.name, leftOut: undefined };
}

/** For each property how sure its surest column is. What a person has decided is surer than any guess. */
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
    const sentence = `The map sends the column ${quoted(header)} to ${quoted(name)}, which ${type.name} does not have.`;
    throw new Failure('usage', sentence, near === undefined ? listed(type) : `Did you mean "${near}"?`);
  }
  if (!property.readOnly) return property;
  const sentence = `The map sends the column ${quoted(header)} to ${name}, which is read-only.`;
  throw new Failure('usage', sentence, 'Write null instead, to leave the column out.');
}

function refuseTwice(columns: readonly PlannedColumn[]): void {
  const seen = new Map<string, string>();
  for (const { header, property } of columns) {
    if (property === undefined) continue;
    const first = seen.get(property);
    if (first !== undefined) {
      const sentence = `The columns ${quoted(first)} and ${quoted(header)} would both be ${property}.`;
      const fix =
        first === header
          ? 'Give one of them another name in the file.'
          : `Say which one it is with --map: {${quoted(header)}: null} leaves the second out.`;
      throw new Failure('usage', sentence, fix);
    }
    seen.set(property, header);
  }
}

function requireMatch(type: ObjectType, columns: readonly PlannedColumn[], match: string): string {
  const property = type.properties.get(match) ?? type.properties.get(`svc_${match}`);
  const unique = [...type.properties.values()].filter((each) => each.unique).map(({ name }) => name);
  const offered =
    unique.length === 0 ? `${type.name} has none: leave out --match.` : `Match by ${unique.join(' or ')}.`;
  if (property === undefined) {
    const near = nearest(match, unique);
    const sentence = `${type.name} has no property ${quoted(match)} to match by.`;
    throw new Failure('usage', sentence, near === undefined ? offered : `Did you mean "${near}"?`);
  }
  if (!property.unique) {
    const sentence = `${property.name} cannot be matched by: more than one record of ${type.name} can have the same.`;
    throw new Failure('usage', sentence, offered);
  }
  if (!columns.some((column) => column.property === property.name)) {
    const sentence = `No column of the file is ${property.name}, by which rows are to be matched.`;
    throw new Failure('usage', sentence, 'Add the column, or name it with --map.');
  }
  return property.name;
}

/** The object type, if its records can be made by whoever has them in a file. */
export function requireImported(known: KnownOrg, typeName: string): ObjectType {
  const type = requireType(known, typeName);
  if (type.writableOperations.includes('create')) return type;
  const sentence = `Records of ${typeName} are not imported: ${natureOf(type)}.`;
  const fix =
    ingestedType(type) === undefined
      ? 'Import the records that it is about.'
      : `Use "orrery ingest --type ${typeName}".`;
  throw new Failure('usage', sentence, fix);
}

function natureOf({ nature }: ObjectType): string {
  return nature === 'automatic' ? 'the service writes them itself' : 'a connected system brings them';
}

function unknownHeader(header: string, headers: readonly string[]): Failure {
  const near = nearest(header, headers);
  const fix =
    near === undefined ? `It has ${headers.slice(0, 20).map(quoted).join(', ')}.` : `Did you mean ${quoted(near)}?`;
  return new Failure('usage', `The map names a column ${quoted(header)}, which the file does not have.`, fix);
}

function nothingUsable(type: ObjectType): Failure {
  const sentence = `No column of the file is a property of ${type.name} that can be written.`;
  return new Failure(
    'usage',
    sentence,
    `${listed(type)} Name them in the first line, or say with --map which is which.`,
  );
}

function listed(type: ObjectType): string {
  const names = [...type.properties.values()].filter(({ readOnly }) => !readOnly).map(({ name }) => name);
  return `It has ${names.slice(0, 30).join(', ')}${names.length > 30 ? ', …' : ''}.`;
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
