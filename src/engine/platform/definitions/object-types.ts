// The rules of object types. A custom type goes only without records; what defines it goes with it, and comes back with it.
import { bounds } from '../../../base/limits.ts';
import { nearest } from '../../../base/nearest.ts';
import { builtinCatalog } from '../../../schema/custom/build-catalog.ts';
import {
  addType,
  changeLabels,
  changeType,
  customType,
  removeType,
  restoreType,
} from '../../../schema/custom/change-schema.ts';
import { shapes } from '../../../schema/custom/custom-schema.ts';
import { hasRecords } from '../../../store/org/schema-use.ts';
import { systemName } from '../../process/call.ts';
import type { Properties } from '../../unit/draft.ts';
import type { Unit } from '../../unit/unit.ts';
import type { Guard } from '../guard.ts';
import { childrenOfType, restoreChildren, trashChildren } from './children.ts';
import { builtIn, inUse, refuseAt, refuseBuiltIn, refuseShapes, refuseTooManyPairs, tooMany } from './refusals.ts';
import { SchemaBook } from './schema-book.ts';

const checked = {
  svc_label: shapes.label,
  svc_plural_label: shapes.label,
  svc_description: shapes.description,
  svc_title_property: shapes.anyName,
};

export const objectTypeGuard: Guard = {
  create: async (unit, { draft, at }) => {
    const values = draft.properties;
    refuseShapes(values, { ...checked, svc_name: shapes.name, svc_kind: shapes.anyName }, at);
    const name = values['svc_name'] as string;
    if (name === 'platform') {
      refuseAt(at, 'svc_name', 'wrong_shape', '"platform" means all platform types in a grant. Choose another name.');
    }
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const most = bounds.schema.objectTypesPerOrg;
    if (schema.object_types.length >= most) {
      throw tooMany(at, `An org can have at most ${most} object types of its own, those in the trash included.`);
    }
    draft.properties = { ...values, svc_category: 'custom' };
    await checkTitle(unit, name, values, at);
    const added = addType(schema, { ...declared(values), name, kind: text(values, 'svc_kind'), record: draft.id });
    refuseTooManyPairs(added, at);
    return () => book.change(unit, added, name);
  },
  change: async (unit, { draft, next, at }) => {
    const name = draft.properties['svc_name'] as string;
    refuseShapes(next, checked, at);
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const custom = customType(schema, name);
    if (custom === undefined) {
      refuseBuiltIn(name, draft.properties, next, ['svc_label', 'svc_plural_label', 'svc_description']);
    } else if (next['svc_title_property'] !== draft.properties['svc_title_property']) {
      await checkTitle(unit, name, next, at);
    }
    return {
      next,
      follow: () => {
        const { title_property, ...labels } = declared(next);
        const changed =
          custom === undefined
            ? changeLabels(schema, name, calledInstead(name, labels))
            : changeType(schema, custom.id, { ...labels, title_property });
        book.change(unit, changed, name);
      },
    };
  },
  remove: async (unit, draft) => {
    const name = draft.properties['svc_name'] as string;
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const custom = customType(schema, name);
    if (custom === undefined) throw builtIn(name);
    await unit.flush();
    if (await hasRecords(unit.transaction, unit.call.session.caller.orgId, custom.id)) {
      throw inUse('type_in_use', `${name} has records, live or in the trash. Delete and purge them first.`);
    }
    const without = removeType(schema, custom);
    const follow = await trashChildren(unit, childrenOfType(without, custom));
    return () => {
      follow();
      book.change(unit, without, name);
    };
  },
  restore: async (unit, draft) => {
    const book = unit.book(SchemaBook);
    const schema = await book.read(unit);
    const custom = schema.object_types.find(({ record }) => record === draft.id);
    if (custom === undefined) throw new TypeError(`The schema lacks the type of the record ${draft.id}.`);
    const back = restoreType(schema, custom);
    refuseTooManyPairs(back, '');
    const gone = new Set(back.association_types.flatMap(({ id, removed }) => (removed === undefined ? [] : [id])));
    const children = childrenOfType(schema, custom).filter(({ associationId }) => !gone.has(associationId ?? 0));
    const follow = await restoreChildren(unit, children);
    return () => {
      follow();
      book.change(unit, back, custom.name);
    };
  },
};

function text(values: Properties, property: string): string | undefined {
  return values[property] as string | undefined;
}

function declared(values: Properties) {
  return {
    label: values['svc_label'] as string,
    plural_label: text(values, 'svc_plural_label'),
    description: text(values, 'svc_description'),
    title_property: text(values, 'svc_title_property'),
  };
}

/** What a built-in type is called, as far as that is not its own. */
function calledInstead(name: string, labels: Omit<ReturnType<typeof declared>, 'title_property'>) {
  const { label, plural_label, description = '' } = labels;
  const own = builtinCatalog.objectTypes.get(name);
  return {
    label: label === own?.label ? undefined : label,
    plural_label: plural_label === own?.pluralLabel ? undefined : plural_label,
    description: description === own?.description ? undefined : description,
  };
}

/** The property may come later in an atomic batch. */
async function checkTitle(unit: Unit, typeName: string, values: Properties, at: string): Promise<void> {
  const title = text(values, 'svc_title_property');
  if (title === undefined) return;
  await unit.check(async () => {
    const catalog = await unit.book(SchemaBook).catalog(unit);
    const type = catalog.objectTypes.get(typeName) ?? builtinCatalog.objectTypes.get(typeName);
    const property = type?.properties.get(title);
    // The files of the operator have always been able to name any single-valued property.
    const isText = property?.fieldType.name === 'text' || unit.call.session.caller.credentialId === systemName;
    if (property !== undefined && isText && !property.multiValued) return;
    const near = nearest(title, type?.properties.keys() ?? []);
    const hint = near === undefined || near === title ? '' : ` Did you mean ${near}?`;
    const reason = property === undefined ? 'unknown_property' : 'wrong_shape';
    const detail = `The title must be a single-valued text property of ${typeName}; ${JSON.stringify(title)} is none.${hint}`;
    refuseAt(at, 'svc_title_property', reason, detail);
  });
}
