// Tasks of a record: notes with a due date whose status is not closed.
import { queryOptions } from '@tanstack/react-query';
import type { AssociationType } from '../../../client/main.ts';
import { dueProperty, noteType } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import type { Row } from '../../data/paged-rows.ts';
import { stageLinksOf, type TypeDetail } from '../../data/schema.ts';

/** The association by which notes are linked with records of the type. */
export function noteLink(type: TypeDetail): AssociationType | undefined {
  if (type.name === noteType) return undefined;
  return type.links.find(({ source_type: source, direction }) => source === noteType && direction === 'incoming');
}

const tasksMost = 50;

export function tasksQuery(type: TypeDetail, id: string, note: TypeDetail | undefined) {
  const link = noteLink(type);
  const [status] = note === undefined ? [] : stageLinksOf(note);
  return queryOptions({
    queryKey: ['records', type.name, 'linked', id, 'tasks'],
    queryFn: async ({ signal }): Promise<readonly Row[]> => {
      if (link === undefined) return [];
      const isClosed = { property: 'svc_closed', operator: 'eq', value: true } as const;
      const filter = {
        and: [
          { association: link.name, operator: 'exists', target_id: id },
          { property: dueProperty, operator: 'is_set' },
          ...(status === undefined
            ? []
            : [{ not: { association: status.name, operator: 'exists', filter: isClosed } } as const]),
        ],
      } as const;
      const sort = [{ property: dueProperty, direction: 'asc' as const }];
      const page = await api.records(noteType).query({ filter, sort, limit: tasksMost }, { signal }).first();
      return page.data as readonly Row[];
    },
    enabled: link !== undefined && note !== undefined,
    staleTime: 2_000,
  });
}
