// Writes the records that define the schema of an org, built-in definitions included, when somebody first looks at them or
// changes one: an org that never does so does not pay for them. From then on records and stored schema change together.
import type { Json } from '../../../base/json.ts';
import type { AssociationDeclaration } from '../../../schema/association-type.ts';
import { builtinAssociationTypes } from '../../../schema/builtin/association-types.ts';
import type { Catalog } from '../../../schema/catalog.ts';
import { buildCatalog } from '../../../schema/custom/build-catalog.ts';
import { customType, endText } from '../../../schema/custom/change-schema.ts';
import type { CustomSchema, StoredProperty } from '../../../schema/custom/custom-schema.ts';
import { withOwnLabels } from '../../../schema/custom/own-labels.ts';
import { vocabulary } from '../../../schema/custom/vocabulary.ts';
import { uniqueKeys } from '../../../schema/indexing/record-keys.ts';
import type { ObjectType, Property } from '../../../schema/object-type.ts';
import { platformLinks, platformTypes } from '../../../schema/roles/platform.ts';
import { listDefinitions } from '../../../store/org/definitions.ts';
import { newDraft, textOf } from '../../unit/draft.ts';
import { withoutLong } from '../../unit/long-values.ts';
import type { Unit } from '../../unit/unit.ts';

/** The schema with the records of its definitions, which the unit writes, as far as they are not there. */
export async function recorded(unit: Unit, schema: CustomSchema): Promise<CustomSchema> {
  if (schema.recorded === undefined) {
    return { ...new Recorder(unit, withOwnLabels(schema), new Map()).write(), recorded: vocabulary() };
  }
  const known = await listDefinitions(unit.transaction, unit.call.session.caller.orgId);
  new Recorder(unit, schema, known).writeBuiltIn();
  return { ...schema, recorded: vocabulary() };
}

type Values = Readonly<Record<string, Json | undefined>>;

/** The links that definitions are written with. */
const owners = {
  [platformTypes.property]: { associationTypeId: platformLinks.propertyToType, targetTypeId: platformTypes.objectType },
  [platformTypes.propertyOption]: {
    associationTypeId: platformLinks.optionToProperty,
    targetTypeId: platformTypes.property,
  },
} as const;

class Recorder {
  readonly #unit: Unit;
  readonly #schema: CustomSchema;
  readonly #catalog: Catalog;
  /** The records of the org's own definitions: `vessel`, `vessel.flag`, `vessel.flag=no`. */
  readonly #records = new Map<string, string>();
  readonly #positions = new Map<string, string>();
  readonly #known: ReadonlyMap<string, string>;

  /** `known` has the records that there are, by the same names. */
  constructor(unit: Unit, schema: CustomSchema, known: ReadonlyMap<string, string>) {
    this.#unit = unit;
    this.#schema = schema;
    this.#known = known;
    this.#catalog = buildCatalog(schema);
  }

  writeBuiltIn(): void {
    const types = [...this.#catalog.objectTypes.values()].filter(({ category }) => category !== 'platform');
    for (const type of types) if (type.category !== 'custom') this.#addType(type);
    for (const association of builtinAssociationTypes) this.#addBuiltinAssociation(association);
  }

  /** The schema with the ids of the records of what the org has declared. */
  write(): CustomSchema {
    this.writeBuiltIn();
    for (const type of this.#catalog.objectTypes.values()) if (type.category === 'custom') this.#addType(type);
    const { object_types, properties, association_types } = this.#schema;
    const marked = (typeName: string, list: readonly StoredProperty[]) =>
      list.map((each) => this.#marked(`${typeName}.${each.name}`, each));
    return {
      ...this.#schema,
      object_types: object_types.map((type) => ({
        ...type,
        ...this.#recordOf(type.name),
        properties: marked(type.name, type.properties),
      })),
      properties: Object.fromEntries(Object.entries(properties).map(([name, list]) => [name, marked(name, list)])),
      association_types: association_types.map((each) => ({
        ...each,
        record: this.#add(each.name, platformTypes.associationType, {
          svc_name: each.name,
          svc_label: each.label,
          svc_source: endText(each.source),
          svc_target: endText(each.target),
          svc_cardinality: each.cardinality,
          svc_stage: each.stage ?? false,
        }),
      })),
    };
  }

  #recordOf(key: string): { readonly record?: string } {
    const record = this.#records.get(key);
    return record === undefined ? {} : { record };
  }

  #marked(name: string, property: StoredProperty): StoredProperty {
    const { options } = property;
    return {
      ...property,
      ...this.#recordOf(name),
      position: this.#positions.get(name) ?? '1',
      ...(options === undefined
        ? {}
        : {
            options: options.map((option, index) => ({
              ...option,
              ...this.#recordOf(`${name}=${option.value}`),
              position: String(index + 1),
            })),
          }),
    };
  }

  #addType(type: ObjectType): void {
    const own = customType(this.#schema, type.name);
    const record = this.#add(type.name, platformTypes.objectType, {
      svc_name: type.name,
      svc_label: type.label,
      svc_plural_label: own === undefined ? type.pluralLabel : own.plural_label,
      svc_description: type.description || undefined,
      svc_kind: type.kind ?? undefined,
      svc_title_property: type.titleProperty ?? undefined,
      svc_category: type.category,
    });
    if (own !== undefined) this.#records.set(type.name, record);
    let [position, ownPosition] = [0, 0];
    for (const property of type.properties.values()) {
      // Those that every type has are defined with what is built in.
      if (own !== undefined && !property.custom) continue;
      const place = String(property.custom ? ++ownPosition : ++position);
      this.#addProperty(`${type.name}.${property.name}`, property, record, place);
    }
  }

  #addProperty(name: string, property: Property, owner: string, position: string): void {
    const record = this.#add(
      name,
      platformTypes.property,
      {
        svc_name: property.name,
        svc_label: property.label,
        svc_description: property.description || undefined,
        svc_field_type: property.fieldType.name,
        svc_multi_valued: property.multiValued,
        svc_unique: property.unique,
        svc_required: property.required,
        svc_position: position,
        svc_custom: property.custom,
      },
      owner,
    );
    if (property.custom) {
      this.#records.set(name, record);
      this.#positions.set(name, position);
    }
    for (const [index, { value, label }] of property.options.entries()) {
      const values = { svc_value: value, svc_label: label, svc_position: String(index + 1) };
      const option = this.#add(`${name}=${value}`, platformTypes.propertyOption, values, record);
      if (property.custom) this.#records.set(`${name}=${value}`, option);
    }
  }

  /** Those that link platform types, or follow from other association types, have no definition that could change. */
  #addBuiltinAssociation({ name, source, target, cardinality, stage, label }: AssociationDeclaration): void {
    const [from, to] = [source, target].map((end) =>
      'type' in end ? end.type : 'kind' in end ? `kind:${end.kind}` : undefined,
    );
    if (from === undefined || to === undefined) return;
    if ([from, to].some((end) => this.#catalog.objectTypes.get(end)?.category === 'platform')) return;
    this.#add(name, platformTypes.associationType, {
      svc_name: name,
      svc_label: this.#schema.association_labels?.[name] ?? label,
      svc_source: from,
      svc_target: to,
      svc_cardinality: cardinality,
      svc_stage: stage,
    });
  }

  /** Adds a record without the rules of its type: what it defines is in the schema already. */
  #add(name: string, typeId: number, values: Values, owner?: string): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const unit = this.#unit;
    const { orgTypes, ids } = unit.call.session;
    const type = orgTypes.get(typeId);
    if (type === undefined) throw new TypeError(`Every org has the type ${typeId}.`);
    const set = Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined);
    const draft = newDraft(type, ids.next(), new Map(set));
    unit.announce(draft.id);
    unit.holders.claim(type, uniqueKeys(type, draft.properties), draft.id);
    unit.records.add(draft);
    unit.noteEntry(draft, 'record.created', withoutLong(draft.properties, textOf(draft)));
    const end = owner === undefined ? undefined : owners[typeId as keyof typeof owners];
    if (owner !== undefined && end !== undefined) {
      const link = { ...end, targetId: owner };
      unit.links.add({ ...link, sourceId: draft.id, sourceTypeId: typeId, atMs: unit.atMs });
      unit.noteEntry(draft, 'association.created', null, link);
    }
    return draft.id;
  }
}
