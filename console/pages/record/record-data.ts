// A record with everything that its page shows: values, links and history, each its own question.
import { queryOptions } from '@tanstack/react-query';
import type { AssociationType, Change } from '../../../client/main.ts';
import { momentOf } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { otherEnd } from '../../data/other-end.ts';
import { type LinkedRow, newer, type Row } from '../../data/paged-rows.ts';
import type { TypeDetail } from '../../data/schema.ts';

export function recordQuery(type: string, id: string) {
  return queryOptions({
    queryKey: ['records', type, 'record', id],
    queryFn: async ({ signal }): Promise<Row> => (await api.records(type).get(id, { signal })).data,
    structuralSharing: (known: unknown, read: unknown) => newer(known as Row | undefined, read as Row),
    staleTime: 2_000,
  });
}

/** How many linked records a list begins with. */
const linksShown = 20;

interface Linked {
  readonly items: readonly LinkedRow[];
  readonly hasMore: boolean;
}

/** The records at the other end of a link. Of an association that the type does not have, there are none. */
export function linkedQuery(type: string, id: string, link: AssociationType | undefined, limit = linksShown) {
  return queryOptions({
    queryKey: ['records', type, 'linked', id, link?.name, link?.direction, link && otherEnd(link), limit],
    queryFn: async ({ signal }): Promise<Linked> => {
      if (link === undefined) return { items: [], hasMore: false };
      const isLoop = link.source_type === link.target_type;
      const page = await api
        .records(type)
        .listAssociated(id, link.name, { limit, signal, ...(isLoop ? { direction: link.direction } : {}) })
        .first();
      const items = (page.data as readonly LinkedRow[]).filter(({ object_type: name }) => name === otherEnd(link));
      return { items, hasMore: page.nextCursor !== null };
    },
    staleTime: 2_000,
    throwOnError: false,
  });
}

/** Activities of one kind that are shown in a timeline. */
const activitiesMost = 100;

/** The newest records of a type that happen at a moment, and are linked with this one. */
export function activitiesQuery(type: string, id: string, link: AssociationType, other: TypeDetail | undefined) {
  return queryOptions({
    queryKey: ['records', type, 'linked', id, 'activities', link.name, other?.name],
    queryFn: async ({ signal }): Promise<readonly Row[]> => {
      if (other === undefined) return [];
      const moment = momentOf(other);
      const filter = { association: link.name, operator: 'exists', target_id: id } as const;
      const sort = moment === undefined ? {} : { sort: [{ property: moment, direction: 'desc' as const }] };
      const page = await api
        .records(other.name)
        .query({ filter, ...sort, limit: activitiesMost }, { signal })
        .first();
      return page.data as readonly Row[];
    },
    enabled: other !== undefined,
    staleTime: 2_000,
    throwOnError: false,
  });
}

/** The most entries of the feed that are shown, and that are read to find the newest. */
const changesMost = 1_000;
const pagesMost = 20;

/** The newest entries of the feed about the record, newest first. */
export function historyQuery(type: string, id: string) {
  return queryOptions({
    queryKey: ['records', type, 'history', id],
    queryFn: async ({ signal }): Promise<readonly Change[]> => {
      let changes: readonly Change[] = [];
      let pages = 0;
      for await (const page of api.listChanges({ objectType: type, recordId: id, limit: 1_000, signal }).pages()) {
        changes = [...changes, ...page.data].slice(-changesMost);
        pages++;
        if (page.data.length === 0 || pages >= pagesMost) break;
      }
      return changes.toReversed();
    },
    staleTime: 2_000,
    throwOnError: false,
  });
}
