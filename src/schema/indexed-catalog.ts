// A catalog with the indexes that its properties got because somebody asked for them.
import type { Catalog } from './catalog.ts';
import type { IndexState, ObjectType } from './object-type.ts';

export interface PropertyIndex {
  readonly typeId: number;
  readonly propertyId: number;
  readonly state: IndexState;
}

export function withIndexes(catalog: Catalog, indexes: readonly PropertyIndex[]): Catalog {
  if (indexes.length === 0) return catalog;
  const states = new Map(indexes.map(({ typeId, propertyId, state }) => [`${typeId}/${propertyId}`, state]));
  const typed = new Set(indexes.map(({ typeId }) => typeId));
  const indexed = (type: ObjectType): ObjectType => ({
    ...type,
    properties: new Map(
      [...type.properties].map(([name, property]) => {
        const state = states.get(`${type.id}/${property.id}`);
        return [name, state === undefined ? property : { ...property, index: state }];
      }),
    ),
  });
  const objectTypes = new Map(
    [...catalog.objectTypes].map(([name, type]) => [name, typed.has(type.id) ? indexed(type) : type]),
  );
  return { ...catalog, objectTypes };
}
