// Tasks that are due: notes with a due date, in a status that is not closed.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { AnySchema, AssociationType, Query } from '../../../client/main.ts';
import { dueProperty, noteType } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { addDays, startOf, timeZone, today } from '../../data/figures/days.ts';
import { type GroupQuestion, groupsQuery } from '../../data/figures/groups.ts';
import type { Row } from '../../data/paged-rows.ts';
import { stageLinksOf, type TypeDetail, titleProperties, useKnownType } from '../../data/schema.ts';
import { closedProperty, stagesQuery } from '../../data/stages.ts';
import { type Condition, filterOf } from '../../data/view.ts';
import type { Stage } from '../../parts/stage-mark.tsx';
import type { WhoseOf } from './deals.ts';

const rowsMost = 7;
/** As many associations as a request can include. */
const linksMost = 5;

/** What questions about tasks are made from. None of them needs the statuses themselves. */
export interface AskedTasks {
  readonly type: TypeDetail;
  readonly status: AssociationType | undefined;
  /** Associations with what a task is about. */
  readonly about: readonly AssociationType[];
  /** Open tasks, whenever they are due. */
  readonly asked: readonly Condition[];
}

export interface Tasks extends AskedTasks {
  /** The status of what is done; undefined if there is none. */
  readonly done: Stage | undefined;
  /** The same tasks as are asked for, for people: with the names of the statuses. */
  readonly open: readonly Condition[];
}

/** Undefined while they are read, and for those who cannot see tasks. */
export function useTasks(whoseOf: WhoseOf): Tasks | undefined {
  const type = useKnownType(noteType);
  const [status] = type === undefined ? [] : stageLinksOf(type);
  const statusType = useKnownType(status?.target_type);
  const { data: statuses } = useQuery({ ...stagesQuery(statusType), enabled: statusType !== undefined });
  if (type === undefined || (status !== undefined && (statusType === undefined || statuses === undefined))) {
    return undefined;
  }
  const asked = askedTasksOf(type, statusType, whoseOf);
  if (asked === undefined) return undefined;
  const closed = (statuses ?? []).filter(({ isClosed }) => isClosed);
  const value = closed.map(({ id }) => id);
  const isOpen: readonly Condition[] =
    status === undefined || value.length === 0
      ? []
      : [{ association: status.name, operator: 'not_exists', filter: { property: 'id', operator: 'in', value } }];
  return { ...asked, done: closed[0], open: [...isOpen, ...whoseOf(type)] };
}

/** Undefined for those who cannot see when tasks are due. */
export function askedTasksOf(
  type: TypeDetail,
  statusType: TypeDetail | undefined,
  whoseOf: WhoseOf,
): AskedTasks | undefined {
  if (!type.byName.has(dueProperty)) return undefined;
  const [status] = stageLinksOf(type);
  const isOpen: readonly Condition[] =
    status === undefined || statusType?.byName.has(closedProperty) !== true
      ? []
      : [
          {
            association: status.name,
            operator: 'not_exists',
            filter: { property: closedProperty, operator: 'eq', value: true },
          },
        ];
  const about = type.links.filter(
    ({ direction, stage, target_type: target }) =>
      direction === 'outgoing' && !stage && target !== 'svc_user' && target !== 'svc_org',
  );
  // A task of a deal is about the deal rather than about the people in it.
  about.reverse();
  return { type, status, about, asked: [...isOpen, ...whoseOf(type)] };
}

/** Before today. */
export function overdue(): Condition {
  return { property: dueProperty, operator: 'lt', value: startOf(today()) };
}

/** Today, or before. */
export function untilToday(): Condition {
  return { property: dueProperty, operator: 'lt', value: startOf(addDays(today(), 1)) };
}

export function onToday(): readonly Condition[] {
  return [{ property: dueProperty, operator: 'gte', value: startOf(today()) }, untilToday()];
}

export function countQuestion({ asked }: AskedTasks): GroupQuestion {
  const filter = filterOf([...asked, untilToday()]);
  return {
    ...(filter === undefined ? {} : { filter }),
    group_by: [{ property: dueProperty, granularity: 'day', timezone: timeZone() }],
    aggregations: [{ function: 'count' }],
  };
}

export function useTaskCounts(tasks: Tasks) {
  const query = useQuery(groupsQuery(noteType, countQuestion(tasks)));
  const counts = query.data && {
    today: countOf(query.data.filter(({ key }) => key[0] === today())),
    overdue: countOf(query.data.filter(({ key }) => key[0] !== today())),
  };
  return { ...query, counts };
}

function countOf(groups: readonly { readonly values: Readonly<Record<string, unknown>> }[]): number {
  return groups.reduce((sum, { values }) => sum + Number(values['count'] ?? 0), 0);
}

export function useNextTasks(tasks: Tasks) {
  return useQuery(nextQuery(tasks));
}

/** The next ones, those that are late first. */
export function nextQuery({ type, about, asked }: AskedTasks) {
  const filter = filterOf([...asked, untilToday()]);
  const properties = [
    ...titleProperties(type),
    dueProperty,
    ...(type.byName.has('svc_priority') ? ['svc_priority'] : []),
  ];
  const question: Query<AnySchema, string> = {
    ...(filter === undefined ? {} : { filter }),
    sort: [{ property: dueProperty, direction: 'asc' }],
    properties,
    include: [...new Set(about.map(({ name }) => name))].slice(0, linksMost),
    limit: rowsMost,
  };
  return queryOptions({
    queryKey: ['records', noteType, 'home', question],
    queryFn: async ({ signal }): Promise<readonly Row[]> =>
      (await api.records(type.name).query(question, { signal }).first()).data as readonly Row[],
    staleTime: 5_000,
    throwOnError: false,
  });
}
