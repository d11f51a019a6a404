// How tests of links read an org: whole lists of records, and the links of a record from one end, page after page.
import type { Binding, Send } from './requests.ts';
import type { Values } from './world.ts';

interface Included {
  readonly items: readonly { readonly id: string; readonly associated_at: string }[];
}

/** A record of a list, with what it includes. */
export interface ListedRecord {
  readonly id: string;
  readonly object_type: string;
  readonly version: string;
  readonly properties: Values;
  readonly associations?: Readonly<Record<string, Included>>;
}

/** All records of the type, in the order of the list. */
export async function listAll(send: Send, type: string, limit: number, include: readonly string[] = []) {
  const records: ListedRecord[] = [];
  const query = `limit=${limit}${include.length === 0 ? '' : `&include=${include.join()}`}`;
  let cursor = '';
  for (;;) {
    const { status, body, text } = await send({ method: 'GET', path: `/objects/${type}/records/?${query}${cursor}` });
    if (status !== 200) throw new Error(`the list of ${type} answers ${status} ${text}`);
    records.push(...(body.data as readonly ListedRecord[]));
    const next = body.pagination?.next_cursor ?? null;
    if (next === null) return records;
    cursor = `&cursor=${next}`;
  }
}

/** One end of the links of one type: what operation 17 is asked for. */
export interface Side {
  readonly label: string;
  readonly type: string;
  readonly association: string;
  readonly direction: 'outgoing' | 'incoming';
}

interface ListedEnd extends ListedRecord {
  readonly associated_at: string;
}

/** All pages of one side, or what is wrong with them. */
export async function readSide(
  send: Send,
  binding: Binding,
  { label, type, association }: Side,
  query: string,
): Promise<readonly ListedEnd[] | string> {
  const path = `/objects/${type}/records/${binding.id(label)}/associations/${association}/?${query}`;
  const ends: ListedEnd[] = [];
  let cursor = '';
  for (;;) {
    const { status, body, text } = await send({ method: 'GET', path: `${path}${cursor}` });
    if (status !== 200) return `${status} ${text}`;
    ends.push(...(body.data as readonly ListedEnd[]));
    const next = body.pagination?.next_cursor ?? null;
    if (next === null) return ends;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}
