// The indexes that properties got while the service ran, under the names that people know them by.
import { buildCatalog } from '../../schema/custom/build-catalog.ts';
import type { Database } from '../../store/database.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { listIndexes } from '../../store/query/property-indexes.ts';

export interface NamedIndex {
  readonly org_id: number;
  readonly object_type: string;
  readonly property: string;
  readonly state: string;
  /** How many records have got their rows so far, besides those that were written meanwhile. */
  readonly filled: number;
}

export async function reportIndexes(database: Database): Promise<readonly NamedIndex[]> {
  const indexes = await listIndexes(database);
  const reports: NamedIndex[] = [];
  for (const orgId of new Set(indexes.map((each) => each.orgId))) {
    const { objectTypes } = buildCatalog(await findCustomSchema(database, orgId));
    for (const { typeId, propertyId, state, filled } of indexes.filter((each) => each.orgId === orgId)) {
      const type = [...objectTypes.values()].find(({ id }) => id === typeId);
      const property = [...(type?.properties.values() ?? [])].find(({ id }) => id === propertyId);
      if (type === undefined || property === undefined) continue;
      reports.push({ org_id: orgId, object_type: type.name, property: property.name, state, filled });
    }
  }
  return reports;
}
