// The difference between two schemas, as changes of single definitions: how a schema file becomes records.
import type { Json } from '../../base/json.ts';
import { endText } from './change-schema.ts';
import type { CustomSchema, StoredOption, StoredProperty, StoredType } from './custom-schema.ts';

type Values = Readonly<Record<string, Json>>;

/** A definition to create, or to change if it has a record. */
export type DefinitionChange =
  | {
      readonly kind: 'object_type';
      readonly name: string;
      readonly record: string | undefined;
      readonly values: Values;
    }
  | PropertyChange
  | {
      readonly kind: 'option';
      readonly of: PropertyPlace;
      readonly value: string;
      readonly record: string | undefined;
      readonly values: Values;
    }
  | {
      readonly kind: 'association_type';
      readonly name: string;
      readonly record: string | undefined;
      readonly values: Values;
    }
  /** What is built in has labels alone. */
  | { readonly kind: 'built_in_type'; readonly name: string; readonly values: Values }
  | { readonly kind: 'built_in_property'; readonly of: PropertyPlace; readonly values: Values };

interface PropertyPlace {
  readonly typeName: string;
  readonly name: string;
}

interface PropertyChange {
  readonly kind: 'property';
  readonly of: PropertyPlace;
  readonly record: string | undefined;
  readonly values: Values;
}

/** In an order in which each can be made: titles come after the properties that they name. */
export function schemaDifference(before: CustomSchema, after: CustomSchema): readonly DefinitionChange[] {
  const types = after.object_types.map((type) => [type, before.object_types.find(({ id }) => id === type.id)] as const);
  return [
    ...types.flatMap(([type, known]) => changed('object_type', type, known, typeValues)),
    ...types.flatMap(([type, known]) => propertyChanges(type.name, known?.properties ?? [], type.properties)),
    ...Object.entries(after.properties).flatMap(([typeName, list]) =>
      propertyChanges(typeName, own(before.properties, typeName) ?? [], list),
    ),
    ...types.flatMap(([type, known]) => titleChanges(type, known)),
    ...after.association_types.flatMap((association) =>
      changed(
        'association_type',
        association,
        before.association_types.find(({ id }) => id === association.id),
        ({ name, label, source, target, cardinality, stage }) => ({
          svc_name: name,
          ...(label === undefined ? {} : { svc_label: label }),
          svc_source: endText(source),
          svc_target: endText(target),
          svc_cardinality: cardinality,
          svc_stage: stage ?? false,
        }),
      ),
    ),
    ...labelChanges(before, after),
  ];
}

function own<T>(all: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

interface Named {
  readonly name: string;
  readonly record?: string;
}

function changed<Definition extends Named>(
  kind: 'object_type' | 'association_type',
  definition: Definition,
  known: Definition | undefined,
  valuesOf: (definition: Definition) => Values,
): readonly DefinitionChange[] {
  const values = difference(known && valuesOf(known), valuesOf(definition));
  return Object.keys(values).length === 0 ? [] : [{ kind, name: definition.name, record: known?.record, values }];
}

/** The values that differ. What a file does not mention stays as it is. */
function difference(before: Values | undefined, after: Values): Values {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => before?.[name] !== value));
}

function typeValues({ name, label, plural_label, description, kind }: StoredType): Values {
  return {
    svc_name: name,
    svc_label: label,
    ...(plural_label === undefined ? {} : { svc_plural_label: plural_label }),
    ...(description === undefined || description === '' ? {} : { svc_description: description }),
    ...(kind === undefined ? {} : { svc_kind: kind }),
  };
}

function titleChanges(
  { name, title_property }: StoredType,
  known: StoredType | undefined,
): readonly DefinitionChange[] {
  if (title_property === undefined || title_property === known?.title_property) return [];
  return [{ kind: 'object_type', name, record: known?.record ?? '', values: { svc_title_property: title_property } }];
}

function propertyChanges(
  typeName: string,
  before: readonly StoredProperty[],
  after: readonly StoredProperty[],
): readonly DefinitionChange[] {
  return after.flatMap((property) => {
    const known = before.find(({ id }) => id === property.id);
    const of = { typeName, name: property.name };
    const values = difference(known && propertyValues(known), propertyValues(property));
    return [
      ...(Object.keys(values).length === 0 ? [] : [{ kind: 'property', of, record: known?.record, values } as const]),
      ...(property.options ?? []).flatMap((option) => optionChanges(of, known?.options ?? [], option)),
    ];
  });
}

function propertyValues(property: StoredProperty): Values {
  const { name, label, description, field_type, multi_valued, unique, required } = property;
  return {
    svc_name: name,
    svc_label: label,
    ...(description === undefined || description === '' ? {} : { svc_description: description }),
    svc_field_type: field_type,
    svc_multi_valued: multi_valued ?? false,
    svc_unique: unique ?? false,
    svc_required: required ?? false,
  };
}

function optionChanges(
  of: PropertyPlace,
  before: readonly StoredOption[],
  { value, label }: StoredOption,
): readonly DefinitionChange[] {
  const known = before.find((each) => each.value === value);
  if (known?.label === label) return [];
  const values = known === undefined ? { svc_value: value, svc_label: label } : { svc_label: label };
  return [{ kind: 'option', of, value, record: known?.record, values }];
}

/** Labels of what the org has declared itself are in its declarations by now. */
function labelChanges(before: CustomSchema, after: CustomSchema): readonly DefinitionChange[] {
  return Object.entries(after.labels).flatMap(([name, labels]): readonly DefinitionChange[] => {
    const known = own(before.labels, name);
    const values = difference(known && labelValues(known), labelValues(labels));
    const properties = Object.entries(labels.properties ?? {}).filter(
      ([property, label]) => own(known?.properties ?? {}, property) !== label,
    );
    return [
      ...(Object.keys(values).length === 0 ? [] : [{ kind: 'built_in_type', name, values } as const]),
      ...properties.map(([property, label]) => ({
        kind: 'built_in_property' as const,
        of: { typeName: name, name: property },
        values: { svc_label: label },
      })),
    ];
  });
}

function labelValues({ label, plural_label }: { readonly label?: string; readonly plural_label?: string }): Values {
  return {
    ...(label === undefined ? {} : { svc_label: label }),
    ...(plural_label === undefined ? {} : { svc_plural_label: plural_label }),
  };
}
