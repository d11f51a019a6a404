// The result of a call: the data, and the facts in the headers of the answer.

/** The state of the org's rate limit as reported by the answer. */
export interface RateLimit {
  /** `org`, or `anonymous` for requests without a valid key. */
  readonly policy: string;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string;
  /** The version of a single record, for `ifMatch`. */
  readonly etag: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Whether an earlier request with the same Idempotency-Key, or an earlier attempt of this call, did the work. */
  readonly replayed: boolean;
  /** Whether this was a dry run, which stores nothing. */
  readonly dryRun: boolean;
  /** How often the request was sent. */
  readonly attempts: number;
}

export interface Page<T> extends Answer<readonly T[]> {
  /** The cursor of the next page; null on the last page. In the change feed it is never null. */
  readonly nextCursor: string | null;
  /** On the first page of a list or query: the place in the change feed from which to read what the pages do not show. */
  readonly changesCursor: string | undefined;
}

/** A successful response: its headers and the members of its body. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly attempts: number;
  /** Set if an earlier attempt did the work and this one found it done. */
  readonly isFoundDone?: true;
}

export function toAnswer<T>({ status, headers, body, attempts, isFoundDone }: Received): Answer<T> {
  return {
    data: body['data'] as T,
    status,
    requestId: headers.get('svc-request-id') ?? '',
    etag: headers.get('etag') ?? undefined,
    rateLimit: parseRateLimit(headers.get('ratelimit'), headers.get('ratelimit-policy')),
    replayed: isFoundDone === true || headers.get('svc-idempotent-replay') === 'true',
    dryRun: body['dry_run'] === true,
    attempts,
  };
}

export function toPage<T>(received: Received): Page<T> {
  const pagination = (received.body['pagination'] ?? {}) as { next_cursor?: string | null; changes_cursor?: string };
  return {
    ...toAnswer<readonly T[]>(received),
    nextCursor: pagination.next_cursor ?? null,
    changesCursor: pagination.changes_cursor,
  };
}

/** Parses `"org";r=5999;t=60` and `"org";q=6000;w=60`: structured fields, of which the first item is read. */
function parseRateLimit(state: string | null, policy: string | null): RateLimit | undefined {
  const now = /^"([^"]*)";r=([0-9]+);t=([0-9]+)/.exec(state ?? '');
  const rule = /^"[^"]*";q=([0-9]+);w=([0-9]+)/.exec(policy ?? '');
  if (now === null || rule === null) return undefined;
  return {
    policy: now[1] ?? '',
    quota: Number(rule[1]),
    windowSeconds: Number(rule[2]),
    remaining: Number(now[2]),
    resetSeconds: Number(now[3]),
  };
}
