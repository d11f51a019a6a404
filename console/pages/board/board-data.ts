// What a board shows: a column for each stage, each a question of its own, and one question for the counts and sums of all.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnySchema, AssociationType, Filter, Query } from '../../../client/main.ts';
import { api } from '../../data/api.ts';
import { asText } from '../../data/as-text.ts';
import { addAmounts, amountsOf, inUnits, unitsOf } from '../../data/figures/amounts.ts';
import { ownerLink, subtitleLink, sumProperty } from '../../data/highlights.ts';
import type { Row } from '../../data/paged-rows.ts';
import { type TypeDetail, titleProperties } from '../../data/schema.ts';
import type { PlacedStage } from '../../data/stages.ts';
import { filterOf, type View } from '../../data/view.ts';

/** A column: a stage, the records without one, or those whose stage has no column. */
export interface BoardColumn {
  readonly id: string;
  readonly name: string;
  readonly stage: PlacedStage | undefined;
  readonly filter: Filter<AnySchema, string>;
  /** The stages that it stands for, if they are several. */
  readonly stageIds?: readonly string[];
}

const perPage = 25;

export function columnsOfBoard(
  link: AssociationType,
  stages: readonly PlacedStage[],
  pipelineId: string | undefined,
  names: { readonly none: string; readonly other: string },
): readonly BoardColumn[] {
  const inStage = (id: string): Filter<AnySchema, string> => ({
    association: link.name,
    operator: 'exists',
    target_id: id,
  });
  const own = stages.filter((stage) => stage.pipelineId === pipelineId);
  // Those of other pipelines have their own board; those of none would be seen nowhere.
  const homeless = pipelineId === undefined ? [] : stages.filter((stage) => stage.pipelineId === undefined);
  return [
    { id: 'none', name: names.none, stage: undefined, filter: { association: link.name, operator: 'not_exists' } },
    ...own.map((stage) => ({ id: stage.id, name: stage.name, stage, filter: inStage(stage.id) })),
    ...(homeless.length === 0
      ? []
      : [
          {
            id: 'other',
            name: names.other,
            stage: undefined,
            filter: { or: homeless.map(({ id }) => inStage(id)) },
            stageIds: homeless.map(({ id }) => id),
          },
        ]),
  ];
}

export function cardQuestion(
  type: TypeDetail,
  link: AssociationType,
  view: View,
  column: BoardColumn,
): Query<AnySchema, string> {
  const filter = filterOf(view.conditions);
  const sum = sumProperty(type);
  const below = subtitleLink(type);
  const owner = ownerLink(type);
  const include = [...new Set([link, below, owner].flatMap((each) => (each === undefined ? [] : [each.name])))];
  return {
    filter: filter === undefined ? column.filter : ({ and: [column.filter, filter] } as Filter<AnySchema, string>),
    ...(view.search.trim() === '' ? {} : { search: view.search.trim() }),
    ...(view.sort === undefined ? {} : { sort: [view.sort] }),
    properties: [...new Set([...titleProperties(type), ...(sum === undefined ? [] : [sum])])],
    include,
    limit: perPage,
  };
}

export function columnQuery(type: TypeDetail, link: AssociationType, view: View, column: BoardColumn) {
  const question = cardQuestion(type, link, view, column);
  return infiniteQueryOptions({
    queryKey: ['records', type.name, 'column', question],
    queryFn: async ({ pageParam, signal }) => {
      const asked = pageParam === undefined ? question : { ...question, cursor: pageParam };
      const page = await api.records(type.name).query(asked, { signal }).first();
      return { rows: page.data as readonly Row[], nextCursor: page.nextCursor };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 5_000,
    throwOnError: false,
  });
}

export interface ColumnFigures {
  readonly count: string;
  readonly sums: readonly { readonly amount: string; readonly unit: string }[];
}

/** With the figures of columns that stand for several stages: counts are added up, sums by currency. */
export function withOthers(
  figures: ReadonlyMap<string, ColumnFigures> | undefined,
  columns: readonly BoardColumn[],
): ReadonlyMap<string, ColumnFigures> | undefined {
  if (figures === undefined) return undefined;
  const all = new Map(figures);
  for (const { id, stageIds = [] } of columns) {
    const parts = stageIds.flatMap((stageId) => figures.get(stageId) ?? []);
    if (parts.length === 0) continue;
    const sums = parts.flatMap((part) => part.sums);
    const count = String(parts.reduce((sum, part) => sum + BigInt(part.count), 0n));
    all.set(id, { count, sums: addAmounts(sums) });
  }
  return all;
}

export function figuresQuery(type: TypeDetail, link: AssociationType, view: View) {
  const filter = filterOf(view.conditions);
  const sum = sumProperty(type);
  const question = {
    ...(filter === undefined ? {} : { filter }),
    ...(view.search.trim() === '' ? {} : { search: view.search.trim() }),
    group_by: [{ association: link.name }],
    aggregations: [
      { function: 'count' as const },
      ...(sum === undefined ? [] : [{ function: 'sum' as const, property: sum, as: 'sum' }]),
    ],
    limit: 1_000,
  };
  return {
    question,
    ...queryOptions({
      queryKey: ['records', type.name, 'figures', question],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, ColumnFigures>> => {
        const groups = await api.records(type.name).aggregate(question, { signal }).toArray(1_000);
        // In all columns the currencies have the same order, that of reports and home.
        const units = unitsOf(groups.flatMap(({ values }) => amountsOf(values['sum'])));
        return new Map(
          groups.map(({ key: [stage], values }) => [
            (stage as { id?: string } | null)?.id ?? 'none',
            {
              count: asText(values['count'], '0'),
              sums: inUnits(amountsOf(values['sum']), units),
            },
          ]),
        );
      },
      staleTime: 5_000,
      throwOnError: false,
    }),
  };
}
