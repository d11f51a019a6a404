// The automatic indexes of properties, with the names that people know them by.
import { buildCatalog } from '../../schema/custom/build-catalog.ts';
import type { Database } from '../../store/database.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { listIndexes } from '../../store/query/property-indexes.ts';

export interface NamedIndex {
  readonly orgId: number;
  readonly typeName: string;
  readonly property: string;
  readonly state: string;
  /** How many records are indexed so far, not counting those written since it began. */
  readonly filled: number;
}

export async function listNamedIndexes(database: Database): Promise<readonly NamedIndex[]> {
  const indexes = await listIndexes(database);
  const named: NamedIndex[] = [];
  for (const orgId of new Set(indexes.map((each) => each.orgId))) {
    const { objectTypes } = buildCatalog(await findCustomSchema(database, orgId));
    for (const { typeId, propertyId, state, filled } of indexes.filter((each) => each.orgId === orgId)) {
      const type = [...objectTypes.values()].find(({ id }) => id === typeId);
      const property = [...(type?.properties.values() ?? [])].find(({ id }) => id === propertyId);
      if (type === undefined || property === undefined) continue;
      named.push({ orgId, typeName: type.name, property: property.name, state, filled });
    }
  }
  return named;
}
