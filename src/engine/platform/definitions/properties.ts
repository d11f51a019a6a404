// The rules of properties. The values of one that is deleted stay with the records, unseen, until it is purged.
import { sameJson } from '../../../base/json.ts';
import { limits } from '../../../base/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { builtinCatalog } from '../../../schema/custom/build-catalog.ts';
import {
  addedProperties,
  addProperty,
  changeLabels,
  changeProperty,
  declaredType,
  type PlacedProperty,
  propertyOf,
} from '../../../schema/custom/change-schema.ts';
import { type CustomSchema, shapes } from '../../../schema/custom/custom-schema.ts';
import { fieldTypes } from '../../../schema/fields/all.ts';
import { platformLinks, platformTypes } from '../../../schema/roles/platform.ts';
import { lacksValue } from '../../../store/org/schema-use.ts';
import type { Draft, Properties } from '../../unit/draft.ts';
import type { ResolvedLink } from '../../unit/link-effect.ts';
import type { Unit } from '../../unit/unit.ts';
import type { Guard } from '../guard.ts';
import { childrenOf, restoreChildren, trashChildren } from './children.ts';
import { builtIn, inUse, linkMissing, nameTaken, refuseAt, refuseBuiltIn, refuseShapes, tooMany } from './refusals.ts';
import { SchemaBook } from './schema-book.ts';

const checked = { svc_label: shapes.label, svc_description: shapes.description };
const association = 'svc_property_to_object_type';
/** No record has a value of a property that is new, even if a deleted one had its name. */
const noKey = '';

export const propertyGuard: Guard = {
  create: async (unit, { draft, links, at }) => {
    refuseShapes(draft.properties, { ...checked, svc_name: shapes.name }, at);
    const typeName = await typeOf(unit, draft, links, at);
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const name = draft.properties['svc_name'] as string;
    const type = declaredType(schema, typeName);
    if (type?.has(name) === true) {
      throw nameTaken(at, 'svc_name', `${typeName} has a property ${name} already.`);
    }
    const added = addedProperties(schema, typeName);
    if (type !== undefined && type.propertyCount >= limits.propertiesPerType) {
      const most = limits.propertiesPerType;
      throw tooMany(at, `A type can have at most ${most} properties, those in the trash included.`);
    }
    const values = withDefaults(draft.properties, nextPosition(added));
    refuseIncomparable(values, at);
    draft.properties = values;
    if (values['svc_required'] === true && type !== undefined) await refuseMissing(unit, type.id, noKey);
    return () => {
      const property = { ...declared(values), ...fixedParts(values), name, record: draft.id };
      book.change(unit, addProperty(schema, typeName, property), `${typeName}.${name}`);
    };
  },
  change: async (unit, { draft, next: wanted, at }) => {
    refuseShapes(wanted, checked, at);
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const name = draft.properties['svc_name'] as string;
    const place = propertyOf(schema, draft.id);
    if (place === undefined) {
      refuseBuiltIn(name, draft.properties, wanted, ['svc_label', 'svc_description']);
      const typeName = await typeOf(unit, draft, [], at);
      const own = builtinCatalog.objectTypes.get(typeName)?.properties.get(name);
      const [label, description = ''] = [wanted['svc_label'], wanted['svc_description']] as (string | undefined)[];
      const labels = {
        properties: { [name]: label === own?.label ? undefined : label },
        descriptions: { [name]: description === own?.description ? undefined : description },
      };
      const follow = () => book.change(unit, changeLabels(schema, typeName, labels), `${typeName}.${name}`);
      return { next: wanted, follow };
    }
    const completed = withDefaults(wanted, place.property.position ?? '1');
    const next = sameJson(completed, draft.properties) ? draft.properties : completed;
    if (next === draft.properties) return { next, follow: () => {} };
    if (next['svc_required'] === true && place.property.required !== true) {
      const type = declaredType(schema, place.typeName);
      if (type !== undefined) await refuseMissing(unit, type.id, place.property.key ?? name);
    }
    const follow = () => book.change(unit, changeProperty(schema, place, declared(next)), `${place.typeName}.${name}`);
    return { next, follow };
  },
  remove: async (unit, draft) => {
    const name = draft.properties['svc_name'] as string;
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const place = propertyOf(schema, draft.id);
    if (place === undefined) throw builtIn(name);
    const follow = await trashChildren(unit, childrenOf(place.property));
    return () => {
      follow();
      book.change(unit, changeProperty(schema, place, { removed: true }), `${place.typeName}.${name}`);
    };
  },
  restore: async (unit, draft) => {
    const name = draft.properties['svc_name'] as string;
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const place = propertyOf(schema, draft.id);
    if (place === undefined) throw linkMissing('', association, 'Its object type is in the trash. Restore that first.');
    if (place.property.purging === true) throw purged(name);
    refuseTakenName(schema, place);
    const type = declaredType(schema, place.typeName);
    if (place.property.required === true && type !== undefined) {
      await refuseMissing(unit, type.id, place.property.key ?? name);
    }
    const follow = await restoreChildren(unit, childrenOf(place.property));
    return () => {
      follow();
      book.change(unit, changeProperty(schema, place, { removed: undefined }), `${place.typeName}.${name}`);
    };
  },
};

/** The name of the type that the property belongs to. */
async function typeOf(unit: Unit, { id }: Draft, links: readonly ResolvedLink[], at: string): Promise<string> {
  const source = { sourceId: id, associationTypeId: platformLinks.propertyToType };
  const targetId =
    links.find(({ pair }) => pair.id === platformLinks.propertyToType)?.targetId ??
    (await unit.links.target(source))?.targetId;
  const type = unit.call.session.orgTypes.get(platformTypes.objectType);
  const owner = targetId === undefined || type === undefined ? undefined : await unit.records.lock(type, targetId);
  if (owner === undefined) throw linkMissing(at, association, 'A property belongs to an object type.');
  return owner.properties['svc_name'] as string;
}

function withDefaults(values: Properties, position: string): Properties {
  return {
    svc_multi_valued: false,
    svc_unique: false,
    ...values,
    svc_required: values['svc_required'] ?? false,
    svc_position: values['svc_position'] ?? position,
    svc_custom: true,
  };
}

/** After all that have one. */
export function nextPosition(others: readonly { readonly position?: string }[]): string {
  const last = others.reduce((most, { position }) => Math.max(most, Math.floor(Number(position ?? 0))), 0);
  return String(Math.min(last + 1, Number.MAX_SAFE_INTEGER));
}

function fixedParts(values: Properties) {
  return {
    field_type: values['svc_field_type'] as string,
    multi_valued: mark(values, 'svc_multi_valued'),
    unique: mark(values, 'svc_unique'),
  };
}

/** What may change. */
function declared(values: Properties) {
  return {
    label: values['svc_label'] as string,
    description: values['svc_description'] as string | undefined,
    required: mark(values, 'svc_required'),
    position: values['svc_position'] as string,
  };
}

/** What is not true is not stored: an org can have thousands of properties. */
function mark(values: Properties, name: string): true | undefined {
  return values[name] === true ? true : undefined;
}

function purged(name: string): Problem {
  const detail = `${name} is being purged: its values are erased. Create a new property.`;
  return new Problem('not_found', 'record_unknown', detail);
}

function refuseIncomparable(values: Properties, at: string): void {
  const fieldType = fieldTypes.get(values['svc_field_type'] as string);
  if (values['svc_unique'] !== true || fieldType?.operators.includes('eq') === true) return;
  const detail = `A ${fieldType?.name} property cannot be unique: its values cannot be compared.`;
  refuseAt(at, 'svc_unique', 'wrong_shape', detail);
}

async function refuseMissing(unit: Unit, typeId: number, key: string): Promise<void> {
  await unit.flush();
  if (!(await lacksValue(unit.transaction, unit.call.session.caller.orgId, { typeId, key }))) return;
  throw inUse('values_missing', 'A record has no value of this property. Give one to every record first.');
}

function refuseTakenName(schema: CustomSchema, { typeName, property: { name, record } }: PlacedProperty): void {
  const rival = addedProperties(schema, typeName).find(
    (each) => each.name === name && each.removed === undefined && each.record !== record,
  );
  if (rival !== undefined) throw nameTaken('', 'svc_name', `${typeName} has another property ${name} now.`);
}
