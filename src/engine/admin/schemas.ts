// The custom schema of an org as a file.

import type { CustomSchema, SchemaFile, StoredProperty } from '../../schema/custom/custom-schema.ts';
import { withOwnLabels } from '../../schema/custom/own-labels.ts';
import type { Database } from '../../store/database.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { liveSchema } from './apply-schema.ts';
import { requireOrg } from './orgs.ts';

/** The custom schema of an org as a schema file, which can be applied again. */
export async function showSchema(database: Database, orgId: number): Promise<SchemaFile> {
  await requireOrg(database, orgId);
  return toFile(liveSchema(withOwnLabels(await findCustomSchema(database, orgId))));
}

function toFile(schema: CustomSchema): SchemaFile {
  const types = schema.object_types.map(({ id, record, removed, properties, title_property, ...rest }) => ({
    ...rest,
    // A title in the trash is none.
    ...(properties.some(({ name }) => name === title_property) ? { title_property } : {}),
    properties: properties.map(declaredProperty),
  }));
  const properties = Object.entries(schema.properties).filter(([, list]) => list.length > 0);
  const labels = Object.entries(schema.labels).map(
    ([name, { label, plural_label, properties: named }]) =>
      [
        name,
        {
          ...(label === undefined ? {} : { label }),
          ...(plural_label === undefined ? {} : { plural_label }),
          ...(named === undefined || Object.keys(named).length === 0 ? {} : { properties: named }),
        },
      ] as const,
  );
  return {
    object_types: types,
    properties: Object.fromEntries(properties.map(([type, list]) => [type, list.map(declaredProperty)])),
    labels: Object.fromEntries(labels.filter(([, own]) => Object.keys(own).length > 0)),
    association_types: schema.association_types.map(({ id, record, removed, columns, stage, ...rest }) => ({
      ...rest,
      ...(stage === true ? { stage } : {}),
    })),
  };
}

/** What a file says only if it is true. */
const marks = ['multi_valued', 'required', 'unique'] as const;

function declaredProperty({
  id,
  record,
  removed,
  purging,
  key,
  slot,
  position,
  options = [],
  ...rest
}: StoredProperty) {
  const { multi_valued, required, unique, ...declared } = rest;
  const marked = marks.filter((mark) => rest[mark] === true).map((mark) => [mark, true] as const);
  return {
    ...declared,
    ...Object.fromEntries(marked),
    ...(options.length === 0 ? {} : { options: options.map(({ value, label }) => ({ value, label })) }),
  };
}
