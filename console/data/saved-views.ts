// The views that people have saved: a table, board or report under a name. Each is a record like any other, and its
// definition holds the part of an address after `?`.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { paths } from '../app/routes.ts';
import { api } from './api.ts';
import { asText } from './as-text.ts';
import { useLiveState, useNews } from './live.ts';
import type { Row } from './paged-rows.ts';
import { useCatalog } from './schema.ts';
import { openedMember } from './view.ts';

export const viewType: string = 'svc_view';

export const viewKinds = ['table', 'board', 'report'] as const;
export type ViewKind = (typeof viewKinds)[number];

export interface SavedView {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly kind: ViewKind;
  /** The name of the type that it shows. */
  readonly type: string;
  /** What follows `?` in its address. */
  readonly search: string;
}

/** More than these are found in the settings, which have a page of them. */
const savedMost = 100;

/** By name. Pending until it is known whether there are any; none for those who may not see views. */
export function useSavedViews() {
  const { types } = useCatalog();
  // What the page itself shows is asked for first.
  const hasBegun = useLiveState() === 'live';
  const maySee = types.some(({ name }) => name === viewType);
  const query = useQuery({
    queryKey: ['records', viewType, 'saved'],
    queryFn: async ({ signal }) => {
      const sort = [{ property: 'svc_name', direction: 'asc' }] as const;
      const page = await api.records(viewType).query({ sort, limit: savedMost }, { signal }).first();
      return (page.data as readonly Row[]).map(savedView);
    },
    enabled: maySee && hasBegun,
    throwOnError: false,
  });
  return { ...query, views: query.data ?? [] };
}

/** Views that were saved, renamed or deleted elsewhere are asked for again. The navigation, which is always there, sees to it. */
export function useViewNews(): void {
  const queries = useQueryClient();
  useNews((news) => {
    const isAbout = news === 'all' || news.some(({ object_type: type }) => type === viewType);
    if (isAbout) void queries.invalidateQueries({ queryKey: ['records', viewType] });
  });
}

/** Of a view that another program has saved in a form of its own, the type and the kind count. */
export function savedView({ id, version, properties }: Row): SavedView {
  const kind = properties['svc_view_kind'];
  return {
    id,
    version,
    name: asText(properties['svc_name']),
    kind: viewKinds.find((each) => each === kind) ?? 'table',
    type: asText(properties['svc_object_type']),
    search: searchOf(asText(properties['svc_definition'], '{}')),
  };
}

export function definitionOf(search: string): string {
  return JSON.stringify({ search });
}

function searchOf(definition: string): string {
  try {
    const read: unknown = JSON.parse(definition);
    if (typeof read !== 'object' || read === null || !('search' in read)) return '';
    return withoutView(asText(read.search));
  } catch {
    return '';
  }
}

/** An address without what is not part of a view. */
export function withoutView(search: string): string {
  const query = new URLSearchParams(search);
  for (const member of [openedMember, 'new']) query.delete(member);
  return query.toString();
}

export function pathOf({ id, kind, type, search }: Pick<SavedView, 'id' | 'kind' | 'type' | 'search'>): string {
  const query = new URLSearchParams(search);
  query.set(openedMember, id);
  return `${paths[kind](type)}?${query}`;
}
