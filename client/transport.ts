// Sends the request of an operation, repeating it where that is safe, until it is answered, or the attempts or the time
// are used up. It knows headers, addresses and errors, but nothing about records.
import type { Received } from './answer.ts';
import { OrreryAnswerError, OrreryError, OrreryNetworkError, OrreryProblem, OrreryTimeoutError } from './errors.ts';
import { type OperationId, operations } from './operations.ts';
import { isDoubtful, isInProgress, mayRepeat, parseRetryAfter, pauseMs, type Repeatable } from './retry.ts';
import { overdue, wait, within } from './wait.ts';
import type { ProblemBody } from './wire.ts';

export interface TransportOptions {
  /** The address of the service, such as `https://crm.example.com`; `/rest/v1` is added if it is missing. */
  readonly url: string;
  /** A key of the org, or a function that returns one for each call. Without a key, only public operations work. */
  readonly key?: string | (() => string | Promise<string>) | undefined;
  /** The most attempts for one call, 5 by default; 1 means no retries. */
  readonly attempts?: number;
  /** How long one attempt may take; 30 seconds by default. */
  readonly timeoutMs?: number;
  /** How long a call may take with all attempts and pauses; two minutes by default. */
  readonly deadlineMs?: number;
  /** Replaces the platform's fetch. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
  /** Called for every failure after which the request is sent again. */
  readonly onRetry?: (error: OrreryError, pauseMs: number) => void;
}

export interface Request {
  readonly operation: OperationId;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller's key; without it, one is generated where needed. */
  readonly idempotencyKey?: string | undefined;
  readonly isDryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long the service may wait before it answers, in addition to the time of an attempt. */
  readonly waitMs?: number;
}

/** A request without the parts that each attempt adds. */
interface Sendable extends Omit<RequestInit, 'headers'> {
  readonly headers: Readonly<Record<string, string>>;
}

const attemptsDefault = 5;
const timeoutMsDefault = 30_000;
const deadlineMsDefault = 120_000;
/** One day. Timers of more than about 24 days would fire at once. */
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
    // Once for all attempts: an Idempotency-Key belongs to one credential, and another key would repeat the work.
    const key = await this.#askKey(request, deadlineMs);
    const headers = key === undefined ? unsigned.headers : { ...unsigned.headers, Authorization: `Bearer ${key}` };
    const init = { ...unsigned, headers };
    let mayBeDone = false;
    // Bounded by the attempts, or by the deadline while the first request with the same key is still in progress.
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
      throw new OrreryTimeoutError('The key function did not return a key in time.', { operation, attempts: 0 });
    }
  }

  #repeatable({ operation, headers, isDryRun }: Request): Repeatable {
    const { repetition } = operations[operation];
    const isConditional = headers?.['If-Match'] !== undefined;
    if (this.#attempts === 1) return { repetition: 'never', isConditional };
    return { repetition: isDryRun === true ? 'harmless' : repetition, isConditional };
  }

  /** Sends one request and returns the success or the error. It throws only if the caller aborts. */
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
    // Not JSON, so not an answer of the service; the caller reports it.
    return undefined;
  }
}

/** A repeated delete that finds no record succeeded the first time, and its answer was lost. A dry run deletes nothing. */
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
    throw new TypeError('idempotencyKey must have 1 to 255 printable ASCII characters.');
  }
  return {
    method: operations[operation].method,
    // The service never redirects, and following a redirect could send the key to another host.
    redirect: 'manual',
    credentials: 'omit',
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': `"${key.replaceAll(/["\\]/g, '\\$&')}"` }),
      ...(isDryRun === true ? { 'Svc-Dry-Run': 'true' } : {}),
      ...headers,
    },
    // Serialized once, so that every attempt sends the same bytes.
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Browsers have `randomUUID` in secure contexts only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Checked here because the platform's own error message would contain the key. */
function requireKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  if (key === '')
    throw new TypeError('The key is empty. Leave it out for public operations, or use one from `orrery key create`.');
  throw new TypeError('The key has characters that no key has. If it was read from a file, remove the line break.');
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
    // URLs are normalized on the way: an empty or dot segment would address something else.
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
