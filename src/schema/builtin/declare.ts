// The functions that declare the built-in vocabulary: one line for each property, one call for each object type.
// Ids are written out because tables contain them: a line may move, but its number must not change.

import type { FieldType, Option } from '../field-type.ts';
import { datetime } from '../fields/datetime.ts';
import {
  type Category,
  type DealTotal,
  type Nature,
  type NumberRange,
  natures,
  ObjectType,
  type Property,
  type ValueSource,
} from '../object-type.ts';
import { noSlots } from '../slots.ts';

interface PropertyOptions {
  readonly description?: string;
  readonly multiValued?: boolean;
  readonly readOnly?: boolean;
  readonly required?: boolean;
  readonly fixed?: boolean;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly options?: readonly Option[];
  readonly computedFrom?: readonly ValueSource[];
  readonly computed?: DealTotal;
  readonly range?: NumberRange;
  readonly ingested?: true;
}

export function property(
  id: number,
  name: string,
  label: string,
  fieldType: FieldType,
  more: PropertyOptions = {},
): Property {
  return {
    id,
    name,
    key: name,
    label,
    description: more.description ?? '',
    fieldType,
    multiValued: more.multiValued ?? false,
    readOnly: more.readOnly ?? false,
    required: more.required ?? false,
    unique: more.unique ?? false,
    index: more.indexed === true ? 'permanent' : 'none',
    options: more.options ?? [],
    custom: false,
    computedFrom: more.computedFrom ?? [],
    ...(more.computed === undefined ? {} : { computed: more.computed }),
    ...(more.range === undefined ? {} : { range: more.range }),
    ...(more.fixed === true ? { fixed: true } : {}),
    ...(more.ingested === undefined ? {} : { ingested: more.ingested }),
  };
}

/** Options whose label is their value, capitalized: `options('cold', 'warm', 'hot')`. */
export function options(...values: readonly string[]): readonly Option[] {
  return values.map((value) => ({
    value,
    label: value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' '),
  }));
}

/** Options with labels of their own. */
export function labelled(labels: Readonly<Record<string, string>>): readonly Option[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

interface BuiltinType {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly pluralLabel: string;
  readonly description: string;
  readonly category: Category;
  readonly nature: Nature;
  readonly kind?: string;
  readonly titleProperty: string | null;
  readonly properties: readonly Property[];
}

/** The two dates that every record of every type has. */
export const everyTypesProperties: readonly Property[] = [
  property(1, 'svc_created_at', 'Created at', datetime, {
    readOnly: true,
    description: 'When the record was created. Set by the service.',
  }),
  property(2, 'svc_updated_at', 'Updated at', datetime, {
    readOnly: true,
    description: 'When the record last changed. Set by the service.',
  }),
];

export function objectType(declaration: BuiltinType): ObjectType {
  const all = [...declaration.properties, ...everyTypesProperties];
  const properties = new Map(all.map((each) => [each.name, each]));
  // In the map a second property of the same name would silently replace the first.
  if (properties.size !== all.length) throw new Error(`${declaration.name} declares a property twice.`);
  return new ObjectType({
    slots: noSlots,
    ...declaration,
    kind: declaration.kind ?? null,
    properties,
    removed: [],
    writableOperations: natures[declaration.nature].accepts,
  });
}
