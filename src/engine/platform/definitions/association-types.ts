// The rules of association types.
import { bounds } from '../../../base/limits.ts';
import { nearest } from '../../../base/nearest.ts';
import { type Fault, problemOf } from '../../../base/problem.ts';
import type { Catalog } from '../../../schema/catalog.ts';
import { addAssociationType, changeAssociationType, endFrom } from '../../../schema/custom/change-schema.ts';
import { type CustomSchema, type StoredAssociationType, shapes } from '../../../schema/custom/custom-schema.ts';
import { hasLinks } from '../../../store/org/schema-use.ts';
import type { Draft, Properties } from '../../unit/draft.ts';
import type { Guard } from '../guard.ts';
import {
  builtIn,
  faultAt,
  inUse,
  refuseAt,
  refuseBuiltIn,
  refuseShapes,
  refuseTooManyPairs,
  tooMany,
} from './refusals.ts';
import { SchemaBook } from './schema-book.ts';

const checked = { svc_label: shapes.label };

export const associationTypeGuard: Guard = {
  create: async (unit, { draft, at }) => {
    const values: Properties = { svc_stage: false, ...draft.properties };
    refuseShapes(values, { ...checked, svc_name: shapes.name }, at);
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    refuseUnknownEnds(await book.catalog(unit), values, at);
    if (values['svc_stage'] === true && values['svc_cardinality'] !== 'many_to_one') {
      const detail = 'A record is in one stage at a time: a stage association type must be many_to_one.';
      refuseAt(at, 'svc_cardinality', 'wrong_shape', detail);
    }
    draft.properties = values;
    const name = values['svc_name'] as string;
    const next = addAssociationType(schema, { ...declared(values), name, record: draft.id });
    refuseTooMany(next, at);
    return () => book.change(unit, next, name);
  },
  change: async (unit, { draft, next, at }) => {
    refuseShapes(next, checked, at);
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const name = draft.properties['svc_name'] as string;
    const label = next['svc_label'] as string | undefined;
    const custom = definedBy(schema, draft);
    if (custom === undefined) refuseBuiltIn(name, draft.properties, next, ['svc_label']);
    const changed =
      custom === undefined
        ? { ...schema, association_labels: { ...schema.association_labels, [name]: label ?? name } }
        : changeAssociationType(schema, custom.id, { label });
    return { next, follow: () => book.change(unit, changed, name) };
  },
  remove: async (unit, draft) => {
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const name = draft.properties['svc_name'] as string;
    const custom = definedBy(schema, draft);
    if (custom === undefined) throw builtIn(name);
    await unit.flush();
    if (await hasLinks(unit.transaction, unit.call.session.caller.orgId, custom.id)) {
      throw inUse(
        'type_in_use',
        `There are links of ${name}. Remove them, and purge records in the trash that have one.`,
      );
    }
    const without = changeAssociationType(schema, custom.id, { removed: 0, columns: undefined });
    return () => book.change(unit, without, name);
  },
  restore: async (unit, draft) => {
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const custom = definedBy(schema, draft);
    if (custom === undefined) throw new TypeError(`The schema lacks the association type of the record ${draft.id}.`);
    refuseUnknownEnds(await book.catalog(unit), draft.properties, '');
    const next = changeAssociationType(schema, custom.id, { removed: undefined });
    refuseTooMany(next, '');
    return () => book.change(unit, next, custom.name);
  },
};

function definedBy(schema: CustomSchema, { id }: Draft): StoredAssociationType | undefined {
  return schema.association_types.find(({ record }) => record === id);
}

function declared(values: Properties) {
  return {
    label: values['svc_label'] as string | undefined,
    source: endFrom(values['svc_source'] as string),
    target: endFrom(values['svc_target'] as string),
    cardinality: values['svc_cardinality'] as StoredAssociationType['cardinality'],
    stage: values['svc_stage'] === true ? true : undefined,
  };
}

/** An end is a type that the org can extend, or a kind that one of them has. */
function refuseUnknownEnds({ objectTypes }: Catalog, values: Properties, at: string): void {
  const extended = [...objectTypes.values()].filter(({ category }) => category !== 'platform');
  const known = new Set(extended.flatMap(({ name, kind }) => (kind === null ? [name] : [name, `kind:${kind}`])));
  const faults = ['svc_source', 'svc_target'].flatMap((property): readonly Fault[] => {
    const end = values[property] as string;
    if (known.has(end)) return [];
    const near = nearest(end, known);
    const detail = `There is no object type or kind ${JSON.stringify(end)} in the org.`;
    return [
      { ...faultAt(at, property, 'unknown_object_type', detail), ...(near === undefined ? {} : { nearest: near }) },
    ];
  });
  if (faults.length > 0) throw problemOf('validation_failed', faults);
}

function refuseTooMany(schema: CustomSchema, at: string): void {
  const { associationTypesPerOrg } = bounds.schema;
  if (schema.association_types.length > associationTypesPerOrg) {
    const most = associationTypesPerOrg;
    throw tooMany(at, `An org can have at most ${most} association types of its own, those in the trash included.`);
  }
  refuseTooManyPairs(schema, at);
}
