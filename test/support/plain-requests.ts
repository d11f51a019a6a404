// How the drivers of the feed speak to a service: plain requests, so that a script without a test runner can use them.

export interface FeedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: FeedBody;
}

interface FeedBody {
  readonly data?: unknown;
  readonly request_id: string;
  readonly reason?: string;
  readonly pagination?: { readonly next_cursor: string | null; readonly changes_cursor?: string };
}

/** One request to one service with one key; `path` is below /rest/v1. */
export type Send = (method: string, path: string, body?: unknown) => Promise<FeedAnswer>;

export interface RecordJson {
  readonly id: string;
  readonly object_type: string;
  readonly version: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly associations?: Readonly<Record<string, IncludedJson>>;
}

interface IncludedJson {
  readonly items: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

export interface LinkJson {
  readonly changed: boolean;
  readonly replaced_target_id?: string;
  readonly stage_timer_id?: string;
}

export interface ItemJson {
  readonly status: number;
  readonly id?: string;
  readonly version?: string;
  readonly problem?: { readonly reason?: string };
}

export function plainSend(url: string, key: string): Send {
  return async (method, path, body) => {
    const response = await fetch(`${url}/rest/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as FeedBody };
  };
}

/** Sends each request to the next of them. */
export function byTurns(sends: readonly Send[]): Send {
  let turn = 0;
  return (...request) => {
    const send = sends[turn++ % sends.length];
    if (send === undefined) throw new Error('There is no service.');
    return send(...request);
  };
}

/** The data of an answer that must succeed; anything else ends the run. */
export async function mustSend<T>(send: Send, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await send(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body.data as T;
}

export function recordsOf(type: string): string {
  return `/objects/${type}/records/`;
}

export function linkPath(type: string, id: string, associationType: string, targetId?: string): string {
  return `${recordsOf(type)}${id}/associations/${associationType}/${targetId === undefined ? '' : `${targetId}/`}`;
}

/** All pages of a list; `first` gets the feed's cursor from the first page. */
export async function readList(
  send: Send,
  type: string,
  query: string,
  first: (changesCursor: string | undefined) => void = () => {},
): Promise<readonly RecordJson[]> {
  const records: RecordJson[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`;
    const answer: FeedAnswer = await send('GET', `${recordsOf(type)}?${query}${more}`);
    if (answer.status !== 200) throw new Error(`list of ${type}: ${answer.status} ${answer.text}`);
    if (cursor === null) first(answer.body.pagination?.changes_cursor);
    records.push(...(answer.body.data as RecordJson[]));
    cursor = answer.body.pagination?.next_cursor ?? null;
  } while (cursor !== null);
  return records;
}

/** All pages of a query. */
export async function readQuery(
  send: Send,
  type: string,
  question: object,
  first: (changesCursor: string | undefined) => void = () => {},
): Promise<readonly RecordJson[]> {
  const records: RecordJson[] = [];
  let cursor: string | null = null;
  do {
    const body: object = { ...question, ...(cursor === null ? {} : { cursor }) };
    const answer: FeedAnswer = await send('POST', `${recordsOf(type)}query/`, body);
    if (answer.status !== 200) throw new Error(`query of ${type}: ${answer.status} ${answer.text}`);
    if (cursor === null) first(answer.body.pagination?.changes_cursor);
    records.push(...(answer.body.data as RecordJson[]));
    cursor = answer.body.pagination?.next_cursor ?? null;
  } while (cursor !== null);
  return records;
}
