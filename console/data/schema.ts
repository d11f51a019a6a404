// The schema of the org as far as the caller may see it: what every page is drawn from.
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { AssociationType, FieldType, ObjectType, ObjectTypeDetail, Self } from '../../client/main.ts';
import type { KnownProperty } from '../fields/field.ts';
import { api } from './api.ts';

/** What is asked once, at the start, and again when the schema changes. */
export interface Catalog {
  readonly self: Self;
  readonly types: readonly ObjectType[];
  readonly fieldTypes: ReadonlyMap<string, FieldType>;
}

export const catalogQuery = queryOptions({
  queryKey: ['schema', 'catalog'],
  queryFn: async ({ signal }): Promise<Catalog> => {
    const [self, types, fieldTypes] = await Promise.all([
      api.getSelf({ signal }),
      api.listObjectTypes({ signal }),
      api.listFieldTypes({ signal }),
    ]);
    return {
      self: self.data,
      types: types.data,
      fieldTypes: new Map(fieldTypes.data.map((type) => [type.name, type])),
    };
  },
  staleTime: 60_000,
});

/** A type with its properties, and the pairs in which it takes part. */
export interface TypeDetail extends Omit<ObjectTypeDetail, 'properties'> {
  readonly properties: readonly KnownProperty[];
  readonly byName: ReadonlyMap<string, KnownProperty>;
  readonly links: readonly AssociationType[];
}

export function typeQuery(name: string) {
  return queryOptions({
    queryKey: ['schema', 'type', name],
    queryFn: async ({ signal, client }): Promise<TypeDetail> => {
      const [detail, links, { fieldTypes }] = await Promise.all([
        api.getObjectType(name, { signal }),
        api.listAssociationTypes(name, { signal }),
        client.ensureQueryData(catalogQuery),
      ]);
      const properties = detail.data.properties.flatMap((property): KnownProperty[] => {
        const type = fieldTypes.get(property.field_type);
        return type === undefined ? [] : [{ ...property, type }];
      });
      return {
        ...detail.data,
        properties,
        byName: new Map(properties.map((property) => [property.name, property])),
        links: links.data,
      };
    },
    staleTime: 60_000,
  });
}

export function useCatalog(): Catalog {
  return useSuspenseQuery(catalogQuery).data;
}

export function useType(name: string): TypeDetail {
  return useSuspenseQuery(typeQuery(name)).data;
}

/** Undefined while it is read, and for a type that the caller cannot see. */
export function useMaybeType(name: string | undefined): TypeDetail | undefined {
  const catalog = useCatalog();
  const isVisible = name !== undefined && catalog.types.some((type) => type.name === name);
  return useQuery({ ...typeQuery(name ?? ''), enabled: isVisible }).data;
}

/** The same, but one that is known is not asked for again: for a page that does that itself when it has what it shows. */
export function useKnownType(name: string | undefined): TypeDetail | undefined {
  const catalog = useCatalog();
  const isVisible = name !== undefined && catalog.types.some((type) => type.name === name);
  return useQuery({ ...knownTypeQuery(name ?? ''), enabled: isVisible }).data;
}

export function knownTypeQuery(name: string) {
  return { ...typeQuery(name), refetchOnMount: false };
}

/** Whether files can become records of the type. Platform records are administered one by one. */
export function canImport({ category, writable_operations: writable }: ObjectType): boolean {
  return category !== 'platform' && writable.includes('create');
}

/** The stage associations of a type, as far as their stages can be seen. */
export function stageLinksOf({ links, name }: TypeDetail): readonly AssociationType[] {
  return links.filter(({ stage, direction, source_type }) => stage && direction === 'outgoing' && source_type === name);
}

/** The properties whose values name a record: people have a first name in front of their last. */
export function titleProperties(type: TypeDetail): readonly string[] {
  const { title_property: title, kind } = type;
  if (title === null) return [];
  return kind === 'person' && type.byName.has('svc_first_name') ? ['svc_first_name', title] : [title];
}

export function titleOf(type: TypeDetail, properties: Readonly<Record<string, unknown>>): string {
  return titleProperties(type)
    .map((name) => properties[name])
    .filter((value): value is string => typeof value === 'string')
    .join(' ');
}
