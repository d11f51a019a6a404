// Platform records as the settings read and write them: lists that stay true while they are shown, and what the caller may do.
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { AnySchema, Query, WriteOperation } from '../../../../client/main.ts';
import { api } from '../../../data/api.ts';
import { type News, useNews } from '../../../data/live.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { useCatalog } from '../../../data/schema.ts';
import { messages } from '../../../parts/toasts.tsx';

/** More definitions, members or keys than one page can show sensibly. */
const listMost = 2_000;

/** Reads again what is kept of the types when one of their records changes. */
export function useFresh(objectTypes: readonly string[]): void {
  const queries = useQueryClient();
  useNews((news: News) => {
    for (const name of objectTypes) {
      if (news === 'all' || news.some((change) => change.object_type === name)) {
        void queries.invalidateQueries({ queryKey: ['records', name] });
      }
    }
  });
}

/** The records of a type that match the question. */
export function usePlatform(objectType: string, question: Query<AnySchema, string> = {}): readonly Row[] {
  useFresh([objectType]);
  return useSuspenseQuery({
    queryKey: ['records', objectType, 'settings', question],
    queryFn: ({ signal }) =>
      api
        .records(objectType)
        .query({ limit: 500, ...question }, { signal })
        .toArray(listMost) as Promise<Row[]>,
  }).data;
}

/** Whether the caller sees the type, and may do something with it. */
export function useMay(): (objectType: string, operation?: WriteOperation) => boolean {
  const { types } = useCatalog();
  return (objectType, operation) => {
    const type = types.find(({ name }) => name === objectType);
    return type !== undefined && (operation === undefined || type.writable_operations.includes(operation));
  };
}

/** Definitions are changed only by those who see the whole org. */
export function useMayDefine(): (objectType: string, operation: WriteOperation) => boolean {
  const { self } = useCatalog();
  const may = useMay();
  return (objectType, operation) => self.reach === 'org' && may(objectType, operation);
}

interface Written {
  readonly requestId: string;
}

/** Runs a write, says what it did with Undo, and reads again what may have changed. It throws what was refused. */
export function useWrite(): <T extends Written>(
  write: () => Promise<T>,
  told: string,
  isUndoable?: 'final',
) => Promise<T> {
  const queries = useQueryClient();
  return async (write, told, isUndoable) => {
    const written = await write();
    messages.done(told, isUndoable === 'final' ? undefined : written.requestId);
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['schema'] }),
      queries.invalidateQueries({ queryKey: ['records'] }),
    ]);
    return written;
  };
}

export function textOf({ properties }: Row, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value : '';
}

export function isTrue({ properties }: Row, name: string): boolean {
  return properties[name] === true;
}

/** The first record at the other end of a link that was included. */
export function linkedTo({ associations }: Row, name: string) {
  return associations?.[name]?.items[0];
}
