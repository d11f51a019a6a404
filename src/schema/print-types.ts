// Prints an org's schema as TypeScript types for the client: `createClient<Schema>` checks names and values with them.
// The text depends on the schema alone. No text in the schema can end a comment or a literal.
import type { JsonSchema } from '../base/json.ts';
import type { Catalog } from './catalog.ts';
import type { FieldType } from './field-type.ts';
import { fieldTypes } from './fields/all.ts';
import type { ObjectType, Property } from './object-type.ts';

export function printTypes(catalog: Catalog, opening: string): string {
  const types = [...catalog.objectTypes.values()].sort(byName);
  return [
    comment('', opening),
    'export interface Schema {',
    types.map((type) => printType(catalog, type)).join('\n'),
    '}',
    comment('', 'How the values of each field type can be filtered, aggregated, sorted and grouped.'),
    'export interface FieldTypes {',
    [...fieldTypes.values()].map(printFieldType).join('\n'),
    '}',
  ].join('\n');
}

/** With the names of `GET /field_types/`. */
function printFieldType({
  name,
  label,
  operators,
  aggregations,
  sortable,
  groupable,
  granularities,
}: FieldType): string {
  return [
    comment('  ', label),
    `  readonly ${name}: {`,
    `    readonly filter_operators: ${union(operators)};`,
    `    readonly aggregations: ${union(aggregations)};`,
    `    readonly sortable: ${sortable};`,
    `    readonly groupable: ${groupable};`,
    `    readonly granularities: ${union(granularities ?? [])};`,
    '  };',
  ].join('\n');
}

/** Every object inherits a member of this name, so no type could describe it as a text or unset. It is left out. */
const unsayable = 'constructor';

function printType(catalog: Catalog, type: ObjectType): string {
  const properties = [...type.properties.values()].filter(({ name }) => name !== unsayable).sort(byName);
  const takesValues = type.writableOperations.some((operation) => operation === 'create' || operation === 'update');
  const settable = takesValues ? properties.filter((each) => !each.readOnly) : [];
  const kept = properties.filter((each) => !settable.includes(each));
  return [
    comment('  ', type.label),
    `  readonly ${type.name}: {`,
    ...printGroup('settable', settable.map(printProperty)),
    ...printGroup('readOnly', kept.map(printProperty)),
    ...printGroup('fieldTypes', properties.map(printFieldName)),
    `    readonly required: ${union(settable.filter((each) => each.required).map(({ name }) => name))};`,
    `    readonly unique: ${union(properties.filter((each) => each.unique).map(({ name }) => name))};`,
    `    readonly writable: ${union(type.writableOperations)};`,
    ...printGroup('outgoing', printEnds(catalog, type, 'outgoing')),
    ...printGroup('incoming', printEnds(catalog, type, 'incoming')),
    '  };',
  ].join('\n');
}

function printGroup(name: string, members: readonly string[]): readonly string[] {
  return members.length === 0 ? [`    readonly ${name}: {};`] : [`    readonly ${name}: {`, ...members, '    };'];
}

/** The association types that begin or end at the type, each with the types at the other end. */
function printEnds(catalog: Catalog, { name }: ObjectType, direction: 'outgoing' | 'incoming'): readonly string[] {
  const ends = new Map<string, readonly string[]>();
  for (const { pair } of catalog.pairsOf(name).filter((each) => each.direction === direction)) {
    const end = direction === 'outgoing' ? pair.targetType : pair.sourceType;
    ends.set(pair.name, [...(ends.get(pair.name) ?? []), end]);
  }
  return [...ends]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([association, types]) => `      readonly ${association}: ${union(types.toSorted())};`);
}

function printProperty({ name, label, description, fieldType, multiValued, options }: Property): string {
  const one = fieldType.shapeFor === undefined ? printShape(fieldType.shape) : union(options.map(({ value }) => value));
  const text = [label, ...(description === '' ? [] : [description])].join(': ');
  return [
    comment('      ', `${text} (${fieldType.name})`),
    `      readonly ${name}: ${multiValued ? `readonly ${one.includes(' | ') ? `(${one})` : one}[]` : one};`,
  ].join('\n');
}

function printFieldName({ name, fieldType }: Property): string {
  return `      readonly ${name}: FieldTypes['${fieldType.name}'];`;
}

/**
 * The shape of a value. The lists of a field type, such as all currencies, are not spelled out: programs get these
 * values from elsewhere, as text. The options of a property are spelled out.
 */
function printShape({ type, properties }: JsonSchema): string {
  if (type !== 'object') return type as string;
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  return `{ ${members.map(([name, shape]) => `readonly ${name}: ${printShape(shape)}`).join('; ')} }`;
}

function union(values: readonly string[]): string {
  return values.length === 0 ? 'never' : values.map(literal).join(' | ');
}

/** Characters that end a line, or that make it look different from what it says. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function literal(text: string): string {
  const escaped = (character: string) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`);
  return `'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(unseen, (character) => escaped(character).join(''))}'`;
}

function comment(indent: string, text: string): string {
  return `${indent}/** ${text.replaceAll(unseen, ' ').replaceAll('*/', '*\\/').trim()} */`;
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}
