// The view in the address of the page.
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { openedMember, readView, type View, writeView } from './view.ts';

export function useView(): readonly [View, (change: Partial<View>) => void] {
  const search = useSearch();
  const [location, go] = useLocation();
  const view = useMemo(() => readView(search), [search]);
  const change = (next: Partial<View>) => {
    const query = new URLSearchParams(writeView({ ...view, ...next }));
    // What a board or a report chooses stays, and which saved view was opened.
    for (const name of ['stages', 'pipeline', 'by', 'measure', 'chart', 'unit', openedMember]) {
      const chosen = new URLSearchParams(search).get(name);
      if (chosen !== null) query.set(name, chosen);
    }
    const text = query.toString();
    go(text === '' ? location : `${location}?${text}`, { replace: true });
  };
  return [view, change];
}

/** A member of the address, and a function that replaces it. */
export function useParameter(name: string): readonly [string | null, (value: string) => void] {
  const search = useSearch();
  const [location, go] = useLocation();
  const choose = (value: string) => {
    const next = new URLSearchParams(search);
    next.set(name, value);
    go(`${location}?${next}`, { replace: true });
  };
  return [new URLSearchParams(search).get(name), choose];
}
