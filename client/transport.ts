// Sends the request of an operation, again where that is safe, until an answer is there, the attempts are used up or the
// time is over. It knows headers, addresses and faults, and nothing of records.
import type { Received } from './answer.ts';
import { OrreryAnswerError, OrreryError, OrreryNetworkError, OrreryProblem, OrreryTimeoutError } from './errors.ts';
import { type OperationId, operations } from './operations.ts';
import { isDoubtful, isInProgress, mayRepeat, parseRetryAfter, pauseMs, type Repeatable } from './retry.ts';
import { overdue, wait, within } from './wait.ts';
import type { ProblemBody } from './wire.ts';

export interface TransportOptions {
  /** Where the service is, such as `https://crm.example.com`; `/rest/v1` is added if it is not there. */
  readonly url: string;
  /** A key of the org, or what gives one: it is asked once for each call. Without a key only what is public answers. */
  readonly key?: string | (() => string | Promise<string>) | undefined;
  /** How often a request is sent at most; 1 never sends one again. 5 unless told otherwise. */
  readonly attempts?: number;
  /** How long one attempt may take; 30 seconds unless told otherwise. */
  readonly timeoutMs?: number;
  /** How long a call may take with all its attempts and pauses; two minutes unless told otherwise. */
  readonly deadlineMs?: number;
  /** Another fetch than that of the platform. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
  /** Told of every failure after which the request is sent again. */
  readonly onRetry?: (error: OrreryError, pauseMs: number) => void;
}

export interface Request {
  readonly operation: OperationId;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the caller named the request; without it a key is made where one is needed. */
  readonly idempotencyKey?: string | undefined;
  readonly isDryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long the service may wait before it answers, beside the time of an attempt. */
  readonly waitMs?: number;
}

/** A request but for what each attempt adds to it. */
interface Sendable extends Omit<RequestInit, 'headers'> {
  readonly headers: Readonly<Record<string, string>>;
}

const attemptsDefault = 5;
const timeoutMsDefault = 30_000;
const deadlineMsDefault = 120_000;
/** One day: timers of the platforms take little more than three weeks, and fire at once beyond. */
const timeMsMax = 86_400_000;

export class Transport {
  readonly #base: string;
  readonly #key: () => string | undefined | Promise<string>;
  readonly #options: TransportOptions;
  readonly #attempts: number;

  constructor(options: TransportOptions) {
    const { key, attempts = attemptsDefault } = options;
    if (!Number.isInteger(attempts) || attempts < 1 || attempts > 100) {
      throw new TypeError('attempts must be a whole number from 1 to 100.');
    }
    for (const name of ['timeoutMs', 'deadlineMs'] as const) {
      const { [name]: ms = 1 } = options;
      if (!(ms >= 1 && ms <= timeMsMax)) throw new TypeError(`${name} must be a number from 1 to ${timeMsMax}.`);
    }
    this.#base = baseOf(options.url);
    this.#key = typeof key === 'function' ? key : () => key;
    if (typeof key === 'string') requireKey(key);
    this.#options = options;
    this.#attempts = attempts;
  }

  async send(request: Request): Promise<Received> {
    const address = this.#base + pathOf(request) + queryOf(request.query);
    const repeatable = this.#repeatable(request);
    const unsigned = initOf(request, repeatable);
    const { deadlineMs = deadlineMsDefault, onRetry } = this.#options;
    const endsMs = performance.now() + deadlineMs + (request.waitMs ?? 0);
    // Once for all attempts: the service keeps an Idempotency-Key for one credential, and another could do it again.
    const key = await this.#askKey(request, deadlineMs);
    const headers = key === undefined ? unsigned.headers : { ...unsigned.headers, Authorization: `Bearer ${key}` };
    const init = { ...unsigned, headers };
    let mayBeDone = false;
    // Bounded by the attempts; a request that waits for its own first one is bounded by the deadline.
    for (let attempts = 1, failures = 1; ; attempts++) {
      const outcome = await this.#attempt(request, address, init, attempts, endsMs);
      if (!(outcome instanceof OrreryError)) return outcome;
      if (mayBeDone && isFoundDeleted(request, outcome)) return deletedBefore(request, outcome);
      mayBeDone ||= isDoubtful(outcome);
      const pause = pauseMs(outcome, attempts, Math.random);
      const isSpent = failures >= this.#attempts || performance.now() + pause >= endsMs;
      if (isSpent || !mayRepeat(outcome, repeatable)) throw outcome;
      if (!isInProgress(outcome)) failures++;
      onRetry?.(outcome, pause);
      await wait(pause, request.signal);
    }
  }

  async #askKey({ operation, signal }: Request, ms: number): Promise<string | undefined> {
    try {
      const key = await within(ms, signal, async () => this.#key());
      return key === undefined ? undefined : requireKey(key);
    } catch (error) {
      if (error !== overdue) throw error;
      throw new OrreryTimeoutError('What gives the key did not give it in time.', { operation, attempts: 0 });
    }
  }

  #repeatable({ operation, headers, isDryRun }: Request): Repeatable {
    const { repetition } = operations[operation];
    const isConditional = headers?.['If-Match'] !== undefined;
    if (this.#attempts === 1) return { repetition: 'never', isConditional };
    return { repetition: isDryRun === true ? 'harmless' : repetition, isConditional };
  }

  /** One request: a success, or what went wrong. Only an abort of the caller's, and its mistakes, are thrown. */
  async #attempt(
    { operation, signal, waitMs = 0 }: Request,
    address: string,
    init: Sendable,
    attempts: number,
    endsMs: number,
  ): Promise<Received | OrreryError> {
    const { timeoutMs = timeoutMsDefault, fetch: send = platformFetch } = this.#options;
    const ms = Math.max(1, Math.min(timeoutMs + waitMs, endsMs - performance.now()));
    try {
      const { response, text } = await within(ms, signal, async (stop) => {
        const received = await send(address, { ...init, signal: stop });
        return { response: received, text: await received.text() };
      });
      return toOutcome(operation, attempts, response, text);
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const name = new URL(address).host;
      if (cause === overdue) {
        const seconds = Math.round(ms / 100) / 10;
        return new OrreryTimeoutError(`${name} did not answer within ${seconds} s.`, { operation, attempts });
      }
      return new OrreryNetworkError(`${name} cannot be reached, or the connection broke.`, {
        operation,
        attempts,
        cause,
      });
    }
  }
}

function toOutcome(operation: OperationId, attempts: number, response: Response, text: string): Received | OrreryError {
  const { status, headers } = response;
  const body = parseObject(text);
  const circumstances = { operation, attempts };
  const isWhole = operation === 'getOpenapi' ? 'openapi' : 'data';
  if (response.ok && body !== undefined && isWhole in body) return { status, headers, body, attempts };
  const retryAfter = parseRetryAfter(headers.get('retry-after'), headers.get('date'), Date.now());
  return !response.ok && typeof body?.['code'] === 'string' && typeof body['detail'] === 'string'
    ? new OrreryProblem(body as unknown as ProblemBody, retryAfter, circumstances)
    : new OrreryAnswerError(status, retryAfter, circumstances);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // What is no JSON is no answer of the service, and is told as such.
    return undefined;
  }
}

/** A delete whose answer was lost is sent again, and finds nothing: what was asked for is the case. A trial deletes none. */
function isFoundDeleted({ operation, isDryRun }: Request, error: OrreryError): error is OrreryProblem {
  if (operation !== 'deleteRecord' || isDryRun === true) return false;
  return error instanceof OrreryProblem && error.reason === 'record_unknown';
}

function deletedBefore({ path }: Request, { requestId, attempts }: OrreryProblem): Received {
  const data = { id: path?.['id'], object_type: path?.['object_type'], deleted: true };
  return {
    status: 200,
    headers: new Headers({ 'Svc-Request-Id': requestId }),
    body: { data },
    attempts,
    isFoundDone: true,
  };
}

function initOf(
  { operation, body, headers = {}, idempotencyKey, isDryRun }: Request,
  { repetition }: Repeatable,
): Sendable {
  const key = idempotencyKey ?? (repetition === 'keyed' ? newKey() : undefined);
  if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must have 1 to 255 printable characters of ASCII.');
  }
  return {
    method: operations[operation].method,
    // No redirect is ever answered; following one could carry the key to somebody else.
    redirect: 'manual',
    credentials: 'omit',
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': `"${key.replaceAll(/["\\]/g, '\\$&')}"` }),
      ...(isDryRun === true ? { 'Svc-Dry-Run': 'true' } : {}),
      ...headers,
    },
    // Written once, so that the bytes are the same in each attempt.
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Browsers have `randomUUID` in secure contexts only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What is refused here would else stand, with the key, in the message of the platform. */
function requireKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  if (key === '')
    throw new TypeError('The key is empty. Give none for what is public, or one that `orrery key create` made.');
  throw new TypeError('The key has characters that no key has. Was it read from a file, with the end of its line?');
}

function baseOf(url: string): string {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.username !== '' || base.search !== '') {
    throw new TypeError('url must be the http or https address of the service, such as "http://127.0.0.1:4610".');
  }
  const path = base.pathname.replace(/\/+$/, '');
  return `${base.origin}${path.endsWith('/rest/v1') ? path : `${path}/rest/v1`}`;
}

function pathOf({ operation, path = {} }: Request): string {
  return operations[operation].path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = path[name];
    // Addresses are tidied on their way: an empty step or one of dots would make this the path of something else.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`${name} must be a name or an id; got ${JSON.stringify(value)}.`);
    }
    return encodeURIComponent(value);
  });
}

function queryOf(query: Request['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function platformFetch(address: string, init: RequestInit): Promise<Response> {
  return fetch(address, init);
}
