// The other end of a link, seen from a record: which type it has, and where its records are looked for.
import { useQuery } from '@tanstack/react-query';
import type { AssociationType, ObjectType } from '../../client/main.ts';
import { api } from './api.ts';
import type { LinkedRow, Row } from './paged-rows.ts';
import { type TypeDetail, titleOf } from './schema.ts';

export function otherEnd({ direction, source_type: source, target_type: target }: AssociationType): string {
  return direction === 'outgoing' ? target : source;
}

/** The type whose records can stand at the other end: a person who sees a record is a member of the org. */
export function searchedType(link: AssociationType): string {
  const other = otherEnd(link);
  return other === 'svc_user' ? 'svc_member' : other;
}

/** The title of a record that came with another one. */
export function linkedTitle(types: readonly ObjectType[], { object_type: name, properties, title }: LinkedRow): string {
  const type = types.find((each) => each.name === name);
  if (type === undefined || properties === undefined) return title ?? '';
  const names = type.kind === 'person' ? ['svc_first_name', type.title_property] : [type.title_property];
  return names
    .map((each) => (each === null ? undefined : properties[each]))
    .filter((value): value is string => typeof value === 'string')
    .join(' ');
}

/** Finds a few records by their words; without words, some of them. */
export async function findRecords(type: TypeDetail, words: string, signal: AbortSignal): Promise<readonly Row[]> {
  const search = words.trim();
  const question = search === '' ? {} : { search };
  const page = await api
    .records(type.name)
    .query({ ...question, limit: 8 }, { signal })
    .first();
  return page.data as readonly Row[];
}

/** The titles of records by their ids; those that the caller cannot see have none. */
export function useTitles(type: TypeDetail | undefined, ids: readonly string[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(ids)].toSorted().slice(0, idsMost);
  const { data } = useQuery({
    queryKey: ['records', type?.name ?? '', 'titles', wanted],
    queryFn: async ({ signal }) => {
      if (type === undefined) return none;
      const filter = { property: 'id', operator: 'in', value: wanted } as const;
      const page = await api.records(type.name).query({ filter, limit: idsMost }, { signal }).first();
      return new Map(page.data.map(({ id, properties }) => [id, titleOf(type, properties)]));
    },
    enabled: type !== undefined && wanted.length > 0,
    staleTime: 60_000,
    throwOnError: false,
  });
  return data ?? none;
}

const idsMost = 200;
const none: ReadonlyMap<string, string> = new Map();
