// Counts and sums of records in groups: what home and reports are made of.
import { queryOptions } from '@tanstack/react-query';
import type { Aggregate, AnySchema, Group } from '../../../client/main.ts';
import { api } from '../api.ts';

export type GroupQuestion = Aggregate<AnySchema, string>;

export type { Group };

/** A record at the other end of a link, as a key of a group. */
export interface LinkedKey {
  readonly id: string;
  readonly title: string;
  readonly object_type: string;
}

/** The most groups that are read: more are neither drawn nor understood. */
export const groupsMost = 5_000;

export function groupsQuery(objectType: string, question: GroupQuestion) {
  return queryOptions({
    queryKey: ['records', objectType, 'groups', question],
    queryFn: async ({ signal }): Promise<readonly Group[]> =>
      api
        .records(objectType)
        .aggregate({ limit: 1_000, ...question }, { signal })
        .toArray(groupsMost),
    staleTime: 5_000,
    throwOnError: false,
  });
}

export function isLinkedKey(key: unknown): key is LinkedKey {
  return typeof key === 'object' && key !== null && 'id' in key;
}
