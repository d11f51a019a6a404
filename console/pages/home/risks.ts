// Open deals that somebody should look at, by three rules. Each rule is a filter, so the table shows the same deals.
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { AnySchema, Query } from '../../../client/main.ts';
import { api } from '../../data/api.ts';
import { addDays, startOf, today } from '../../data/figures/days.ts';
import { type GroupQuestion, groupsQuery } from '../../data/figures/groups.ts';
import type { Row } from '../../data/paged-rows.ts';
import { type TypeDetail, titleProperties, useCatalog, useKnownType } from '../../data/schema.ts';
import { type Condition, filterOf } from '../../data/view.ts';
import { texts } from '../../text/texts.ts';
import {
  type Asked,
  aggregationsOf,
  type Deals,
  type Figures,
  figuresOf,
  inStages,
  isOpen,
  noFigures,
  openStages,
} from './deals.ts';

/** Without an activity or a change. */
const quietDays = 14;
/** Without a move to another stage. */
const stuckDays = 30;
const rowsMost = 5;
export const timerType = 'svc_stage_timer';
const activityProperty = 'svc_last_activity_at';

export interface Rule {
  readonly name: 'late' | 'quiet' | 'stuck';
  readonly conditions: readonly Condition[];
}

export function ruleText(rule: Rule['name']): string {
  return { late: texts.riskLate, quiet: texts.riskQuiet(quietDays), stuck: texts.riskStuck(stuckDays) }[rule];
}

/** Undefined while what they are made from is read. */
export function useRules(deals: Deals): readonly Rule[] | undefined {
  const isVisible = useCatalog().types.some(({ name }) => name === timerType);
  const timer = useKnownType(timerType);
  return isVisible && timer === undefined ? undefined : rulesOf(deals, timer);
}

/** Those that can be told from what the caller sees. */
export function rulesOf(asked: Asked, timer: TypeDetail | undefined): readonly Rule[] {
  return [...lateRule(asked), ...quietRule(asked), ...stuckRule(asked, timer)];
}

function lateRule({ closeDate }: Asked): readonly Rule[] {
  if (closeDate === undefined) return [];
  return [{ name: 'late', conditions: [{ property: closeDate, operator: 'lt', value: today() }] }];
}

function quietRule({ type }: Asked): readonly Rule[] {
  const since = startOf(addDays(today(), -quietDays));
  const hasActivity = type.byName.has(activityProperty);
  return [
    {
      name: 'quiet',
      conditions: [
        { property: 'svc_updated_at', operator: 'lt', value: since },
        ...(hasActivity ? [{ not: { property: activityProperty, operator: 'gte', value: since } } as const] : []),
      ],
    },
  ];
}

/** A timer is written when a deal leaves a stage. */
function stuckRule({ type }: Asked, timer: TypeDetail | undefined): readonly Rule[] {
  const since = startOf(addDays(today(), -stuckDays));
  const link = type.links.find(
    ({ source_type: source, direction }) => source === timerType && direction === 'incoming',
  );
  if (link === undefined || timer?.byName.has('svc_left_at') !== true) return [];
  const moved = { property: 'svc_left_at', operator: 'gte', value: since } as const;
  return [
    {
      name: 'stuck',
      conditions: [
        { association: link.name, operator: 'not_exists', filter: moved },
        { property: 'svc_created_at', operator: 'lt', value: since },
      ],
    },
  ];
}

/** The deals of a rule, for people: with the names of the stages. */
export function conditionsOf(deals: Deals, rule: Rule): readonly Condition[] {
  return [inStages(deals, openStages(deals)), ...rule.conditions, ...deals.whose];
}

export function riskQuestion(asked: Asked, stageType: TypeDetail, rule: Rule): GroupQuestion {
  const filter = filterOf([isOpen(asked, stageType), ...rule.conditions, ...asked.whose]);
  return { ...(filter === undefined ? {} : { filter }), aggregations: aggregationsOf(asked) };
}

export interface Risk extends Rule {
  readonly figures: Figures;
}

/** Each rule with the number and the sum of its deals. */
export function useRisks(deals: Deals) {
  const { type, stageType } = deals;
  const rules = useRules(deals);
  const queries = useQueries({
    queries: (rules ?? []).map((rule) => groupsQuery(type.name, riskQuestion(deals, stageType, rule))),
  });
  const failed = queries.find(({ error }) => error !== null);
  const isPending = rules === undefined || queries.some((query) => query.isPending);
  const risks = (rules ?? []).map((rule, index): Risk => {
    const [group] = queries[index]?.data ?? [];
    return { ...rule, figures: group === undefined ? noFigures : figuresOf(group) };
  });
  return {
    risks,
    isPending,
    error: failed?.error ?? null,
    refetch: () => Promise.all(queries.map(({ refetch }) => refetch())),
  };
}

/** The deals at risk that should have closed first. */
export function useDealsAtRisk(deals: Deals) {
  const rules = useRules(deals);
  return useQuery({ ...atRiskQuery(deals, deals.stageType, rules ?? []), enabled: rules !== undefined });
}

export function atRiskQuery(asked: Asked, stageType: TypeDetail, rules: readonly Rule[]) {
  const { type, closeDate, amount, whose } = asked;
  const open = [isOpen(asked, stageType), ...whose];
  const any = rules.flatMap(({ conditions }) => filterOf(conditions) ?? []);
  const question = {
    filter: { and: [...open, { or: any }] },
    sort: [{ property: closeDate ?? 'svc_created_at', direction: 'asc' }],
    properties: [...titleProperties(type), amount, closeDate, 'svc_updated_at', activityOf(type)].filter(
      (name): name is string => name !== undefined,
    ),
    limit: rowsMost,
  } as Query<AnySchema, string>;
  return queryOptions({
    queryKey: ['records', type.name, 'home', question],
    queryFn: async ({ signal }): Promise<readonly Row[]> =>
      (await api.records(type.name).query(question, { signal }).first()).data as readonly Row[],
    staleTime: 5_000,
    throwOnError: false,
  });
}

function activityOf({ byName }: TypeDetail): string | undefined {
  return byName.has(activityProperty) ? activityProperty : undefined;
}

/** Why a deal is at risk: the first rule that it meets. A deal that meets none of the two that its values tell is stuck. */
export function reasonOf(deals: Deals, { properties }: Row): { readonly rule: Rule['name']; readonly since?: string } {
  const close = deals.closeDate === undefined ? undefined : properties[deals.closeDate];
  if (typeof close === 'string' && close < today()) return { rule: 'late', since: close };
  const moments = [properties['svc_updated_at'], properties[activityProperty]]
    .filter((value): value is string => typeof value === 'string')
    .map((value) => Date.parse(value));
  const latest = Math.max(...moments);
  const isQuiet = latest < Date.parse(startOf(addDays(today(), -quietDays)));
  return isQuiet ? { rule: 'quiet', since: new Date(latest).toISOString() } : { rule: 'stuck' };
}
