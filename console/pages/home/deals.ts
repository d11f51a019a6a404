// What home knows of deals: their stages, their amount, and what is asked about them. Nothing is asked that the caller cannot
// see: without stages, amounts or close dates, home has fewer parts.
import { useQuery } from '@tanstack/react-query';
import type { AssociationType } from '../../../client/main.ts';
import { asText } from '../../data/as-text.ts';
import { type Amount, addAmounts, amountsOf } from '../../data/figures/amounts.ts';
import { addMonths, lastDayOf, monthOf, today } from '../../data/figures/days.ts';
import { type Group, type GroupQuestion, groupsQuery, isLinkedKey } from '../../data/figures/groups.ts';
import { sumProperty } from '../../data/highlights.ts';
import { stageLinksOf, type TypeDetail, useCatalog, useKnownType } from '../../data/schema.ts';
import { closedProperty, type PlacedStage, stagesQuery } from '../../data/stages.ts';
import { type Condition, filterOf } from '../../data/view.ts';
import { isWon } from '../../parts/stage-mark.tsx';

export const dealType = 'svc_deal';
const closeProperty = 'svc_close_date';

/** Months before this one of which home tells what was won and lost. */
const monthsBefore = 6;

/** What questions about deals are made from. None of them needs the stages themselves. */
export interface Asked {
  readonly type: TypeDetail;
  /** The association with their stage. */
  readonly link: AssociationType;
  /** The property whose sums are shown. */
  readonly amount: string | undefined;
  readonly closeDate: string | undefined;
  /** Deals of one person only, or nothing. */
  readonly whose: readonly Condition[];
}

export interface Deals extends Asked {
  readonly stageType: TypeDetail;
  readonly stages: readonly PlacedStage[];
}

/** The condition on records of the type, of one person or of all. */
export type WhoseOf = (type: TypeDetail) => readonly Condition[];

/** Undefined while it is read, and null if the caller cannot see deals in stages. */
export function useDeals(whoseOf: WhoseOf): Deals | null | undefined {
  const isVisible = useCatalog().types.some(({ name }) => name === dealType);
  const type = useKnownType(dealType);
  const asked = type && askedOf(type, whoseOf);
  const stageType = useKnownType(asked?.link.target_type);
  const { data: stages } = useQuery({ ...stagesQuery(stageType), enabled: stageType !== undefined });
  if (!isVisible || (type !== undefined && asked === undefined)) return null;
  if (asked === undefined || stageType === undefined || stages === undefined) return undefined;
  return { ...asked, stageType, stages };
}

/** Undefined if the caller cannot see deals in stages. */
export function askedOf(type: TypeDetail, whoseOf: WhoseOf): Asked | undefined {
  const [link] = stageLinksOf(type);
  if (link === undefined) return undefined;
  const closeDate = type.byName.get(closeProperty)?.field_type === 'date' ? closeProperty : undefined;
  return { type, link, amount: sumProperty(type), closeDate, whose: whoseOf(type) };
}

export interface Figures {
  readonly count: string;
  readonly amounts: readonly Amount[];
}

export const noFigures: Figures = { count: '0', amounts: [] };

export function aggregationsOf({ amount }: Pick<Asked, 'amount'>): GroupQuestion['aggregations'] {
  const sum = amount === undefined ? [] : [{ function: 'sum' as const, property: amount, as: 'sum' }];
  return [{ function: 'count' }, ...sum];
}

export function stageQuestion(deals: Asked): GroupQuestion {
  const filter = filterOf(deals.whose);
  return {
    ...(filter === undefined ? {} : { filter }),
    group_by: [{ association: deals.link.name }],
    aggregations: aggregationsOf(deals),
  };
}

/** By the month of the close date and the stage. */
export function monthQuestion(deals: Asked): GroupQuestion {
  const { closeDate = closeProperty } = deals;
  const filter = filterOf([{ property: closeDate, operator: 'between', value: spanOfMonths() }, ...deals.whose]);
  return {
    ...(filter === undefined ? {} : { filter }),
    group_by: [{ property: closeDate, granularity: 'month' }, { association: deals.link.name }],
    aggregations: aggregationsOf(deals),
  };
}

export function months(): readonly string[] {
  const current = monthOf(today());
  return Array.from({ length: monthsBefore + 1 }, (_, index) => addMonths(current, index - monthsBefore));
}

function spanOfMonths(): readonly [string, string] {
  const current = monthOf(today());
  return [addMonths(current, -monthsBefore), lastDayOf(current)];
}

/** Figures by the id of the stage; of those without one by an empty text. */
export function useStageFigures(deals: Deals) {
  const query = useQuery(groupsQuery(deals.type.name, stageQuestion(deals)));
  const figures = query.data && new Map(query.data.map((group) => [stageOf(group.key[0]), figuresOf(group)]));
  return { ...query, figures };
}

export interface MonthFigures {
  readonly month: string;
  readonly won: Figures;
  readonly lost: Figures;
  readonly open: Figures;
}

export function useMonthFigures(deals: Deals) {
  const query = useQuery({
    ...groupsQuery(deals.type.name, monthQuestion(deals)),
    enabled: deals.closeDate !== undefined,
  });
  const [won, lost, open] = [wonStages(deals), lostStages(deals), openStages(deals)];
  const figures =
    query.data &&
    months().map((month): MonthFigures => {
      const of = (stages: readonly PlacedStage[]) =>
        together(
          query.data
            .filter(({ key }) => key[0] === month && stages.some(({ id }) => id === stageOf(key[1])))
            .map(figuresOf),
        );
      return { month, won: of(won), lost: of(lost), open: of(open) };
    });
  return { ...query, figures };
}

export function figuresOf({ values }: Group): Figures {
  return { count: asText(values['count'], '0'), amounts: amountsOf(values['sum']) };
}

export function together(all: readonly Figures[]): Figures {
  return {
    count: String(all.reduce((sum, { count }) => sum + BigInt(count), 0n)),
    amounts: addAmounts(all.flatMap(({ amounts }) => amounts)),
  };
}

function stageOf(key: unknown): string {
  return isLinkedKey(key) ? key.id : '';
}

export function openStages({ stages }: Deals): readonly PlacedStage[] {
  return stages.filter(({ isClosed }) => !isClosed);
}

export function wonStages({ stages }: Deals): readonly PlacedStage[] {
  return stages.filter((stage) => stage.isClosed && isWon(stage));
}

export function lostStages({ stages }: Deals): readonly PlacedStage[] {
  return stages.filter((stage) => stage.isClosed && !isWon(stage));
}

/** Deals in any open stage: the same as those in one of the open stages, asked before these are known. */
export function isOpen({ link }: Asked, stageType: TypeDetail): Condition {
  const exists = { association: link.name, operator: 'exists' } as const;
  if (!stageType.byName.has(closedProperty)) return exists;
  return { ...exists, filter: { property: closedProperty, operator: 'neq', value: true } };
}

/** Deals in one of the stages. */
export function inStages({ link }: Deals, stages: readonly PlacedStage[]): Condition {
  const [first] = stages;
  if (stages.length === 1 && first !== undefined) {
    return { association: link.name, operator: 'exists', target_id: first.id };
  }
  const value = stages.map(({ id }) => id);
  return { association: link.name, operator: 'exists', filter: { property: 'id', operator: 'in', value } };
}

export function inMonth({ closeDate = closeProperty }: Deals, month: string): Condition {
  return { property: closeDate, operator: 'between', value: [month, lastDayOf(month)] };
}
