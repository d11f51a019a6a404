// The rows of a view, kept true while they are shown: a change elsewhere replaces the row, or takes it away if it no longer
// belongs to the view. New rows are announced, and shown when the reader asks for them: rows do not move under somebody's hand.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { AnySchema, Filter, Page, Query } from '../../client/main.ts';
import { api } from './api.ts';
import { feedBegun, type News, useNews } from './live.ts';
import { PagedRows, type Row, type RowsState } from './paged-rows.ts';

export interface Rows {
  readonly rows: PagedRows;
  readonly state: RowsState;
  /** How many records have come since that are not shown. */
  readonly fresh: number;
  /** The records that changed last, for a moment. */
  readonly touched: ReadonlySet<string>;
  readonly reload: () => void;
}

/** Records that are asked for at once. */
const idsMost = 500;
const touchedMs = 1_200;
/** New records that are counted. */
const freshMost = 999;
const none: ReadonlySet<string> = new Set();

function isArrival(type: string): boolean {
  return type === 'record.created' || type === 'record.restored';
}

export function useRows(objectType: string, question: Query<AnySchema, string>): Rows {
  const [generation, setGeneration] = useState(0);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(none);
  const [touched, setTouched] = useState<ReadonlySet<string>>(none);
  const key = JSON.stringify(question);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question is known by its text, and each generation reads again.
  const rows = useMemo(
    () => new PagedRows((cursor, signal) => pageOf(objectType, question, cursor, signal)),
    [objectType, key, generation],
  );
  useEffect(() => {
    setFresh(none);
    rows.show(0, 0);
    return () => rows.close();
  }, [rows]);
  const state = useSyncExternalStore(rows.subscribe, rows.state);
  useNews((news: News) => {
    if (news === 'all') {
      setGeneration((number) => number + 1);
      return;
    }
    const about = news.filter(
      (change) => change.object_type === objectType || ('target_type' in change && change.target_type === objectType),
    );
    const named = new Set(
      about.map((change) => (change.object_type === objectType ? change.record_id : (change.target_id ?? ''))),
    );
    const made = new Set(about.filter(({ type }) => isArrival(type)).map((change) => change.record_id));
    if (named.size === 0) return;
    void refresh(objectType, question, rows, named).then(({ seen, unseen }) => {
      // Of a table that is not read to its end, a record may be farther down; a new one is new in any case.
      const arrived = unseen.filter((id) => made.has(id) || rows.state().isComplete);
      if (arrived.length > 0) setFresh((before) => new Set([...before, ...arrived].slice(0, freshMost)));
      if (seen.size === 0) return;
      setTouched(seen);
      setTimeout(() => setTouched(none), touchedMs);
    });
  });
  return { rows, state, fresh: fresh.size, touched, reload: () => setGeneration((number) => number + 1) };
}

/** The first page of the view that the console opens with, asked for before it is drawn. It is used once. */
let early: { readonly key: string; readonly page: Promise<Page<Row>> } | undefined;

export function readEarly(objectType: string, question: Query<AnySchema, string>): void {
  const page = readPage(objectType, question, new AbortController().signal);
  // The table shows the error, or asks again.
  page.catch(() => undefined);
  early = { key: JSON.stringify([objectType, question]), page };
}

/** What one person has asked for early is never shown to the next. */
export function forgetEarly(): void {
  early = undefined;
}

async function pageOf(
  objectType: string,
  question: Query<AnySchema, string>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<Row>> {
  const known = early;
  early = undefined;
  if (cursor === undefined && known?.key === JSON.stringify([objectType, question])) return known.page;
  return readPage(objectType, cursor === undefined ? question : { ...question, cursor }, signal);
}

async function readPage(objectType: string, asked: Query<AnySchema, string>, signal: AbortSignal): Promise<Page<Row>> {
  await feedBegun;
  return api.records(objectType).query(asked, { signal }).first() as Promise<Page<Row>>;
}

/** Asks the same question about the changed records alone. */
async function refresh(
  objectType: string,
  question: Query<AnySchema, string>,
  rows: PagedRows,
  changed: ReadonlySet<string>,
): Promise<{ readonly seen: ReadonlySet<string>; readonly unseen: readonly string[] }> {
  const shown = new Set(rows.ids());
  const ids = [...changed].slice(0, idsMost);
  const only: Filter<AnySchema, string> = { property: 'id', operator: 'in', value: ids };
  const filter = question.filter === undefined ? only : ({ and: [only, question.filter] } as Filter<AnySchema, string>);
  const { sort: _, cursor: __, ...rest } = question;
  // What cannot be read now is read again with the next news, or when the page is opened again.
  const page = await api
    .records(objectType)
    .query({ ...rest, filter, limit: idsMost })
    .first()
    .catch(() => undefined);
  if (page === undefined) return { seen: none, unseen: [] };
  const found = new Set(page.data.map(({ id }) => id));
  rows.replace(page.data as readonly Row[], new Set(ids.filter((id) => shown.has(id) && !found.has(id))));
  const seen = new Set(ids.filter((id) => shown.has(id) && found.has(id)));
  return { seen, unseen: [...found].filter((id) => !shown.has(id)) };
}
