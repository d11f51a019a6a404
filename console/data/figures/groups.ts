// Counts and sums of records in groups: what home and reports are made of.
import { queryOptions } from '@tanstack/react-query';
import type { Aggregate, AnySchema, Group } from '../../../client/main.ts';
import { api } from '../api.ts';
import { literal, type ShownRequest } from '../request-text.ts';

export type GroupQuestion = Aggregate<AnySchema, string>;

export type { Group };

/** A record at the other end of a link, as a key of a group. */
export interface LinkedKey {
  readonly id: string;
  readonly title: string;
  readonly object_type: string;
}

/** The most groups that are read: more are neither drawn nor understood. One more tells that there are more. */
export const groupsMost = 5_000;
const pageGroups = 1_000;

/** As it is sent: without a limit of its own it would answer 100 groups. */
function sent(question: GroupQuestion): GroupQuestion {
  return question.group_by === undefined ? question : { ...question, limit: pageGroups };
}

export function groupsQuery(objectType: string, question: GroupQuestion) {
  return queryOptions({
    queryKey: ['records', objectType, 'groups', question],
    queryFn: async ({ signal }): Promise<readonly Group[]> =>
      api
        .records(objectType)
        .aggregate(sent(question), { signal })
        .toArray(groupsMost + 1),
    staleTime: 5_000,
    throwOnError: false,
  });
}

export function isLinkedKey(key: unknown): key is LinkedKey {
  return typeof key === 'object' && key !== null && 'id' in key;
}

/** The same for programs. */
export function groupsRequest(objectType: string, question: GroupQuestion): ShownRequest {
  const body = sent(question);
  const code = `client.records(${JSON.stringify(objectType)}).aggregate(${literal(body)}).toArray(${groupsMost})`;
  return {
    method: 'POST',
    path: `/objects/${objectType}/records/aggregate/`,
    body,
    code: `console.log(await ${code});`,
  };
}
