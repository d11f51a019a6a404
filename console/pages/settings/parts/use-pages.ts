// A list without an end, page by page: what was done is not counted, and more of it is read when somebody asks.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { AnySchema, Page, Query } from '../../../../client/main.ts';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useFresh } from './platform.ts';

const pageRows = 50;

export function usePages(
  objectType: string,
  question: Query<AnySchema, string>,
  refetchMs?: (rows: readonly Row[]) => number | false,
) {
  useFresh([objectType]);
  const found = useInfiniteQuery({
    queryKey: ['records', objectType, 'pages', question],
    queryFn: ({ pageParam, signal }) =>
      api
        .records(objectType)
        .query({ ...question, limit: pageRows, ...(pageParam === '' ? {} : { cursor: pageParam }) }, { signal })
        .first() as Promise<Page<Row>>,
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refetchMs?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
  });
  return { ...found, rows: found.data?.pages.flatMap(({ data }) => data) ?? [] };
}
