// The first minutes of a new org: what there is to do, until it is done or skipped. Whether an org is new is asked once; then this
// browser remembers which steps are skipped.
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { AnySchema, Query } from '../../client/main.ts';
import { api } from './api.ts';
import { useNews } from './live.ts';
import { type Catalog, useCatalog } from './schema.ts';

export const firstSteps = ['contact', 'deal', 'import', 'colleague', 'key'] as const;
export type FirstStep = (typeof firstSteps)[number];

interface Rule {
  /** The type whose records tell that it is done. */
  readonly type: string;
  readonly question?: Query<AnySchema, string>;
  /** How many there are before. */
  readonly before: number;
  /** The type whose records the caller needs to be able to create. */
  readonly created: string;
}

const rules: Readonly<Record<FirstStep, Rule>> = {
  contact: { type: 'svc_contact', before: 0, created: 'svc_contact' },
  deal: { type: 'svc_deal', before: 0, created: 'svc_deal' },
  // Imports at the command line are jobs; those of a page are known to the page.
  import: {
    type: 'svc_job',
    question: { filter: { property: 'svc_kind', operator: 'eq', value: 'import' } },
    before: 0,
    created: 'svc_contact',
  },
  colleague: { type: 'svc_member', before: 1, created: 'svc_member' },
  key: { type: 'svc_access_key', before: 0, created: 'svc_access_key' },
};

const listeners = new Set<() => void>();

function keyOf(orgId: number): string {
  return `orrery-first-steps-${orgId}`;
}

/** The skipped steps; `over` once all are done, or if the org was not new. */
function remember(orgId: number, skipped: 'over' | readonly FirstStep[]): void {
  localStorage.setItem(keyOf(orgId), skipped === 'over' ? skipped : skipped.join());
  for (const listener of listeners) listener();
}

function useRemembered(orgId: number): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => localStorage.getItem(keyOf(orgId)),
  );
}

/** Those that are left to do; undefined while that is read, and none if it cannot be read. */
export function useFirstSteps(): readonly FirstStep[] | undefined {
  const catalog = useCatalog();
  const orgId = catalog.self.org_id;
  const remembered = useRemembered(orgId);
  const { data: isNew, isError } = useIsNew(catalog, remembered === null);
  const offered = remembered === 'over' ? [] : firstSteps.filter((step) => isOffered(catalog, step));
  const skipped = remembered?.split(',') ?? [];
  const left = offered.filter((step) => !skipped.includes(step));
  const counts = useQueries({ queries: (remembered === null ? [] : left).map((step) => countQuery(step)) });
  useFreshSteps(remembered !== 'over');
  useEffect(() => {
    if (remembered === null && isNew !== undefined) remember(orgId, isNew ? [] : 'over');
  }, [remembered, isNew, orgId]);
  const isRead = remembered === 'over' || (remembered !== null && counts.every(({ isPending }) => !isPending));
  // What cannot be counted is not told to be done.
  const toDo = left.filter((step, index) => (counts[index]?.data ?? 0) <= rules[step].before);
  useEffect(() => {
    if (isRead && remembered !== 'over' && toDo.length === 0) remember(orgId, 'over');
  }, [isRead, remembered, toDo.length, orgId]);
  if (isError) return [];
  return isRead ? toDo : undefined;
}

/** Leaves a step out: somebody has skipped it, or has done what no record tells. */
export function useSkip(): (step: FirstStep) => void {
  const { self } = useCatalog();
  const remembered = useRemembered(self.org_id);
  return (step) => {
    if (remembered === null || remembered === 'over') return;
    const before = remembered.split(',').filter((each): each is FirstStep => firstSteps.some((one) => one === each));
    remember(self.org_id, [...before, step]);
  };
}

function isOffered({ types }: Catalog, step: FirstStep): boolean {
  const { type, created } = rules[step];
  const canCreate = types.some(({ name, writable_operations: can }) => name === created && can.includes('create'));
  return canCreate && types.some(({ name }) => name === type);
}

/** An org without contacts and deals is new, for somebody who can make them. */
function useIsNew(catalog: Catalog, isAsked: boolean) {
  const isFor = isOffered(catalog, 'contact') && isOffered(catalog, 'deal');
  return useQuery({
    queryKey: ['first-steps', 'new'],
    queryFn: async ({ signal }) => {
      if (!isFor) return false;
      const counts = await Promise.all((['contact', 'deal'] as const).map((step) => count(step, signal)));
      return counts.every((each) => each === 0);
    },
    enabled: isAsked,
    throwOnError: false,
  });
}

function countQuery(step: FirstStep) {
  return {
    queryKey: ['first-steps', step],
    queryFn: ({ signal }: { signal: AbortSignal }) => count(step, signal),
    throwOnError: false,
  };
}

/** As many as are needed to know whether there are more than before. */
async function count(step: FirstStep, signal: AbortSignal): Promise<number> {
  const { type, question, before } = rules[step];
  const page = await api
    .records(type)
    .query({ ...question, properties: [], limit: before + 1 }, { signal })
    .first();
  return page.data.length;
}

function useFreshSteps(isWatching: boolean): void {
  const queries = useQueryClient();
  const types = new Set(Object.values(rules).map(({ type }) => type));
  useNews((news) => {
    if (!isWatching) return;
    if (news === 'all' || news.some(({ object_type: type }) => types.has(type))) {
      void queries.invalidateQueries({ queryKey: ['first-steps'] });
    }
  });
}
