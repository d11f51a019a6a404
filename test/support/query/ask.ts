// Asks query for all pages of a question, and puts many questions at once.
import { expect } from 'vitest';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import { recordsPath } from '../records.ts';
import type { Question } from './model.ts';

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
}

export function queryPath(type: string): string {
  return `${recordsPath(type)}query/`;
}

export function query(client: Client, type: string, body: unknown): Promise<Answer> {
  return client.post(queryPath(type), body);
}

/** One page of ids; no other values are requested. */
export async function askPage(client: Client, type: string, question: object): Promise<Page> {
  const { status, body, text } = await query(client, type, { properties: ['svc_created_at'], ...question });
  expect(status, `${text}\n${JSON.stringify(question).slice(0, 5_000)}`).toBe(200);
  return {
    ids: body.data.map((record: { id: string }) => record.id),
    next: body.pagination?.next_cursor ?? null,
  };
}

/** The ids of every page, in order; each page but the last must be full, and only the last without a next one. */
export async function askAll(
  client: Client,
  type: string,
  question: Question,
  limitOf: () => number = () => 500,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const limit = limitOf();
    const page: Page = await askPage(client, type, { ...question, limit, ...(cursor !== null && { cursor }) });
    expect(page.ids.length).toBeLessThanOrEqual(limit);
    if (page.next !== null) expect(page.ids.length, 'a page that has a next one is full').toBe(limit);
    if (cursor !== null) expect(page.ids.length, 'a page that was announced holds something').toBeGreaterThan(0);
    ids.push(...page.ids);
    cursor = page.next;
  } while (cursor !== null);
  return ids;
}

/** Runs through the list, so many at once; the first failure ends it. */
export async function manyAtOnce<T>(list: readonly T[], width: number, run: (each: T) => Promise<void>): Promise<void> {
  const rest = list.values();
  const worker = async () => {
    for (const each of rest) await run(each);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
