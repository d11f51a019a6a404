// The rules of the options of select properties.
import { sameJson } from '../../../base/json.ts';
import { bounds } from '../../../base/limits.ts';
import {
  addOption,
  changeLabels,
  changeOption,
  declaredType,
  optionOf,
  type PlacedProperty,
  propertyOf,
  removeOption,
} from '../../../schema/custom/change-schema.ts';
import { shapes } from '../../../schema/custom/custom-schema.ts';
import { fieldTypes } from '../../../schema/fields/all.ts';
import { platformLinks, platformTypes } from '../../../schema/roles/platform.ts';
import { hasValue } from '../../../store/org/schema-use.ts';
import type { Draft, Properties } from '../../unit/draft.ts';
import type { ResolvedLink } from '../../unit/link-effect.ts';
import type { Unit } from '../../unit/unit.ts';
import type { Guard } from '../guard.ts';
import { nextPosition } from './properties.ts';
import { builtIn, inUse, linkMissing, nameTaken, refuseBuiltIn, refuseShapes, tooMany } from './refusals.ts';
import { SchemaBook } from './schema-book.ts';

const checked = { svc_label: shapes.label };
const association = 'svc_property_option_to_property';

export const propertyOptionGuard: Guard = {
  create: async (unit, { draft, links, at }) => {
    refuseShapes(draft.properties, { ...checked, svc_value: shapes.label }, at);
    const { place, typeName } = await ownerOf(unit, draft, links, at);
    const value = draft.properties['svc_value'] as string;
    const { options = [] } = place.property;
    refuseTakenValue(place, value, at);
    refuseTooMany(place, at);
    draft.properties = placed(draft.properties, nextPosition(options));
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const option = { ...declared(draft.properties), value, record: draft.id };
    return () => book.change(unit, addOption(schema, place, option), told(typeName, place, value));
  },
  change: async (unit, { draft, next: wanted, at }) => {
    refuseShapes(wanted, checked, at);
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const value = draft.properties['svc_value'] as string;
    const place = optionOf(schema, draft.id);
    if (place === undefined) {
      refuseBuiltIn(value, draft.properties, wanted, ['svc_label']);
      const { typeName, name } = await builtInOwner(unit, draft, at);
      const labels = { options: { [name]: { [value]: wanted['svc_label'] as string } } };
      const follow = () => book.change(unit, changeLabels(schema, typeName, labels), `${typeName}.${name}=${value}`);
      return { next: wanted, follow };
    }
    const completed = placed(wanted, place.option.position ?? '1');
    const next = sameJson(completed, draft.properties) ? draft.properties : completed;
    if (next === draft.properties) return { next, follow: () => {} };
    const follow = () =>
      book.change(unit, changeOption(schema, place, declared(next)), told(place.typeName, place, value));
    return { next, follow };
  },
  remove: async (unit, draft) => {
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const value = draft.properties['svc_value'] as string;
    const place = optionOf(schema, draft.id);
    if (place === undefined) throw builtIn(value);
    const { key, name } = place.property;
    const type = declaredType(schema, place.typeName);
    await unit.flush();
    const where = { typeId: type?.id ?? 0, key: key ?? name };
    if (await hasValue(unit.transaction, unit.call.session.caller.orgId, where, value)) {
      throw inUse('option_in_use', 'A record has this option. Give its records another value first.');
    }
    return () => book.change(unit, removeOption(schema, place), told(place.typeName, place, value));
  },
  restore: async (unit, draft) => {
    const { place, typeName } = await ownerOf(unit, draft, [], '');
    const value = draft.properties['svc_value'] as string;
    refuseTakenValue(place, value, '');
    refuseTooMany(place, '');
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const option = { ...declared(draft.properties), value, record: draft.id };
    return () => book.change(unit, addOption(schema, place, option), told(typeName, place, value));
  },
};

function told(typeName: string, { property }: PlacedProperty, value: string): string {
  return `${typeName}.${property.name}=${value}`;
}

/** The select property that the option belongs to. */
async function ownerOf(unit: Unit, draft: Draft, links: readonly ResolvedLink[], at: string) {
  const owner = await ownerRecord(unit, draft, links, at);
  const name = owner.properties['svc_name'] as string;
  const place = propertyOf(await unit.book(SchemaBook).read(unit), owner.id);
  if (place === undefined) throw builtIn(name);
  if (place.property.removed !== undefined) throw linkMissing(at, association, 'Its property is in the trash.');
  if (fieldTypes.get(place.property.field_type)?.shapeFor === undefined) {
    throw linkMissing(
      at,
      association,
      `${name} is a ${place.property.field_type} property, and only a select has options.`,
    );
  }
  return { place, typeName: place.typeName };
}

async function ownerRecord(unit: Unit, { id }: Draft, links: readonly ResolvedLink[], at: string): Promise<Draft> {
  const source = { sourceId: id, associationTypeId: platformLinks.optionToProperty };
  const targetId =
    links.find(({ pair }) => pair.id === platformLinks.optionToProperty)?.targetId ??
    (await unit.links.target(source))?.targetId;
  const type = unit.call.session.orgTypes.get(platformTypes.property);
  const owner = targetId === undefined || type === undefined ? undefined : await unit.records.lock(type, targetId);
  if (owner === undefined) throw linkMissing(at, association, 'An option belongs to a select property.');
  return owner;
}

/** The built-in property that a built-in option belongs to. */
async function builtInOwner(unit: Unit, draft: Draft, at: string): Promise<{ typeName: string; name: string }> {
  const owner = await ownerRecord(unit, draft, [], at);
  const source = { sourceId: owner.id, associationTypeId: platformLinks.propertyToType };
  const targetId = (await unit.links.target(source))?.targetId ?? '';
  const type = unit.call.session.orgTypes.get(platformTypes.objectType);
  const typeRecord = type && (await unit.records.lock(type, targetId));
  if (typeRecord === undefined) throw new TypeError(`The property ${owner.id} has no type.`);
  return { typeName: typeRecord.properties['svc_name'] as string, name: owner.properties['svc_name'] as string };
}

function placed(values: Properties, position: string): Properties {
  return { ...values, svc_position: values['svc_position'] ?? position };
}

function declared(values: Properties) {
  return { label: values['svc_label'] as string, position: values['svc_position'] as string };
}

function refuseTakenValue({ property: { name, options = [] } }: PlacedProperty, value: string, at: string): void {
  if (options.some((option) => option.value === value)) {
    throw nameTaken(at, 'svc_value', `${name} has an option ${JSON.stringify(value)} already.`);
  }
}

function refuseTooMany({ property: { options = [] } }: PlacedProperty, at: string): void {
  const most = bounds.schema.optionsPerProperty;
  if (options.length >= most) throw tooMany(at, `A property can have at most ${most} options.`);
}
