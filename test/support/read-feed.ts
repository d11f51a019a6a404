// Reads the change feed for tests: pages, all that came since a cursor, and the final state of a copy that follows it.
import { expect } from 'vitest';
import type { Client } from './client.ts';

export interface FeedEntry {
  readonly id: string;
  readonly type: string;
  readonly object_type: string;
  readonly record_id: string;
  readonly version: string;
  readonly changed?: Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>;
  readonly association_type?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly at: string;
  readonly principal_id: string;
  readonly request_id: string;
}

interface FeedPage {
  readonly entries: readonly FeedEntry[];
  readonly next: string;
}

export function changesPath(parameters: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [name, String(value)] as [string, string]),
  );
  return `/changes/${query.size === 0 ? '' : `?${query.toString()}`}`;
}

export async function changes(
  client: Client,
  parameters: Readonly<Record<string, string | number>> = {},
): Promise<FeedPage> {
  const { status, body, text } = await client.get(changesPath(parameters));
  expect(status, text).toBe(200);
  const next = body.pagination?.next_cursor;
  expect(next, 'the cursor of a feed is never null').toEqual(expect.any(String));
  return { entries: body.data, next: next ?? '' };
}

/** Where the feed ends now. */
export async function endOfFeed(client: Client): Promise<string> {
  const { entries, next } = await changes(client, { cursor: 'latest' });
  expect(entries).toEqual([]);
  return next;
}

/** All entries after the cursor, page by page until one is empty. */
export async function changesSince(
  client: Client,
  cursor: string,
  parameters: Readonly<Record<string, string | number>> = {},
): Promise<readonly FeedEntry[]> {
  const all: FeedEntry[] = [];
  let place = cursor;
  for (let pages = 0; pages < 200; pages++) {
    const { entries, next } = await changes(client, { ...parameters, cursor: place });
    if (entries.length === 0) return all;
    all.push(...entries);
    place = next;
  }
  throw new Error('The feed has no end.');
}

/** `record.created svc_contact 1`, `association.created svc_deal 2 svc_deal_to_company`: an entry in short. */
export function inShort({ type, object_type, version, association_type }: FeedEntry): string {
  return [type, object_type, version, association_type].filter((part) => part !== undefined).join(' ');
}

/** Ids of the records that exist after all entries are applied. */
export function liveAfter(entries: readonly FeedEntry[], before: readonly string[] = []): ReadonlySet<string> {
  const live = new Set(before);
  for (const { type, record_id } of entries) {
    if (type === 'record.created' || type === 'record.restored') live.add(record_id);
    if (type === 'record.deleted') live.delete(record_id);
  }
  return live;
}
