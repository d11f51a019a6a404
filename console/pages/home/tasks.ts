// Tasks that are due: notes with a due date, in a status that is not closed.
import { useQuery } from '@tanstack/react-query';
import type { AnySchema, AssociationType, Query } from '../../../client/main.ts';
import { dueProperty, noteType } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { addDays, startOf, timeZone, today } from '../../data/figures/days.ts';
import { type GroupQuestion, groupsQuery } from '../../data/figures/groups.ts';
import type { Row } from '../../data/paged-rows.ts';
import { stageLinksOf, type TypeDetail, titleProperties, useMaybeType } from '../../data/schema.ts';
import { useStages } from '../../data/stages.ts';
import { type Condition, filterOf } from '../../data/view.ts';
import type { Stage } from '../../parts/stage-mark.tsx';

const rowsMost = 7;
/** As many associations as a request can include. */
const linksMost = 5;

export interface Tasks {
  readonly type: TypeDetail;
  readonly status: AssociationType | undefined;
  /** The status of what is done; undefined if there is none. */
  readonly done: Stage | undefined;
  /** Associations with what a task is about. */
  readonly about: readonly AssociationType[];
  /** Open tasks, whenever they are due. */
  readonly open: readonly Condition[];
}

/** Undefined while they are read, and for those who cannot see tasks. */
export function useTasks(whoseOf: (type: TypeDetail) => readonly Condition[]): Tasks | undefined {
  const type = useMaybeType(noteType);
  const [status] = type === undefined ? [] : stageLinksOf(type);
  const statusType = useMaybeType(status?.target_type);
  const statuses = useStages(statusType);
  if (type === undefined || !type.byName.has(dueProperty)) return undefined;
  if (status !== undefined && (statusType === undefined || statuses.length === 0)) return undefined;
  const closed = statuses.filter(({ isClosed }) => isClosed);
  const value = closed.map(({ id }) => id);
  const isOpen: readonly Condition[] =
    status === undefined || value.length === 0
      ? []
      : [{ association: status.name, operator: 'not_exists', filter: { property: 'id', operator: 'in', value } }];
  const about = type.links.filter(
    ({ direction, stage, target_type: target }) =>
      direction === 'outgoing' && !stage && target !== 'svc_user' && target !== 'svc_org',
  );
  // A task of a deal is about the deal rather than about the people in it.
  about.reverse();
  return { type, status, done: closed[0], about, open: [...isOpen, ...whoseOf(type)] };
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

export function countQuestion({ open }: Tasks): GroupQuestion {
  const filter = filterOf([...open, untilToday()]);
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

/** The next ones, those that are late first. */
export function useNextTasks(tasks: Tasks) {
  const { type, about, open } = tasks;
  const filter = filterOf([...open, untilToday()]);
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
  return useQuery({
    queryKey: ['records', noteType, 'home', question],
    queryFn: async ({ signal }): Promise<readonly Row[]> =>
      (await api.records(type.name).query(question, { signal }).first()).data as readonly Row[],
    staleTime: 5_000,
    throwOnError: false,
  });
}
