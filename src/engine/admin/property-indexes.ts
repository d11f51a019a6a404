// The automatic indexes of properties, with the names that people know them by, for the command line.

import { shorten } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import { buildCatalog } from '../../schema/custom/build-catalog.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import type { Database } from '../../store/database.ts';
import { findCustomSchema } from '../../store/org/custom-schemas.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import {
  findIndexes,
  type IndexReport,
  listIndexes,
  listIndexesOfOrg,
  retireIndex,
} from '../../store/query/property-indexes.ts';
import { requireOrg } from './orgs.ts';
import { requireType } from './require-type.ts';

export interface NamedIndex extends Pick<IndexReport, 'orgId' | 'state' | 'askedAt' | 'credentialId'> {
  readonly typeName: string;
  readonly property: string;
  /** How many records are indexed so far, not counting those written since it began. */
  readonly filled: number;
}

/** The indexes of all orgs. */
export async function listNamedIndexes(database: Database): Promise<readonly NamedIndex[]> {
  return withNames(database, await listIndexes(database));
}

async function withNames(database: Database, indexes: readonly IndexReport[]): Promise<readonly NamedIndex[]> {
  const named: NamedIndex[] = [];
  for (const orgId of new Set(indexes.map((each) => each.orgId))) {
    const { objectTypes } = buildCatalog(await findCustomSchema(database, orgId));
    for (const { typeId, propertyId, ...index } of indexes.filter((each) => each.orgId === orgId)) {
      const type = [...objectTypes.values()].find(({ id }) => id === typeId);
      const property = [...(type?.properties.values() ?? [])].find(({ id }) => id === propertyId);
      if (type === undefined || property === undefined) continue;
      named.push({ ...index, typeName: type.name, property: property.name });
    }
  }
  return named;
}

/** The indexes of one org, by type and property. */
export async function listIndexesOf(database: Database, orgId: number): Promise<readonly NamedIndex[]> {
  await requireOrg(database, orgId);
  const named = await withNames(database, await listIndexesOfOrg(database, orgId));
  const keyOf = ({ typeName, property }: NamedIndex) => `${typeName} ${property}`;
  return named.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

interface IndexName {
  readonly orgId: number;
  readonly typeName: string;
  readonly property: string;
}

/** Takes the index out of use; the service removes its rows. Returns false if that was under way already. */
export async function dropIndex(database: Database, name: IndexName): Promise<boolean> {
  const { orgId } = name;
  const org = await requireOrg(database, orgId);
  const type = requireType({ org, catalog: buildCatalog(await findCustomSchema(database, orgId)) }, name.typeName);
  const property = requireProperty(type, name.property);
  const place = { typeId: type.id, propertyId: property.id };
  return database.transaction(async (transaction) => {
    if (await retireIndex(transaction, orgId, place)) {
      await raiseRevision(transaction, orgId);
      return true;
    }
    const known = await findIndexes(transaction, orgId);
    if (known.some(({ typeId, propertyId }) => typeId === type.id && propertyId === property.id)) return false;
    throw noIndex(orgId, type, property);
  });
}

function requireProperty(type: ObjectType, name: string): Property {
  const property = type.properties.get(name);
  if (property !== undefined) return property;
  const near = type.nearestProperty(name);
  const fix = near === undefined ? 'See "orrery index list".' : `Did you mean "${near}"?`;
  throw new Failure('not_found', `${type.name} has no property ${JSON.stringify(shorten(name, 64))}.`, fix);
}

function noIndex(orgId: number, { name }: ObjectType, property: Property): Failure {
  const fix = `"orrery index list --org ${orgId}" shows the indexes that can be dropped.`;
  if (property.index === 'permanent') {
    return new Failure('usage', `The index of ${name}.${property.name} is built in and cannot be dropped.`, fix);
  }
  return new Failure('not_found', `${name}.${property.name} has no automatic index.`, fix);
}
