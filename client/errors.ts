// What a call can throw: the service refused (a problem), no answer came, no answer came in time, or what came is no
// answer of this service. A call that was aborted throws the reason of its signal. The key is in none of these.
import type { OperationId } from './operations.ts';
import type { Conflict, ProblemBody, ProblemCode, ProblemFault } from './wire.ts';

/** Where and when it happened. */
export interface Circumstances {
  readonly operation: OperationId;
  /** How often the request was sent. */
  readonly attempts: number;
  readonly cause?: unknown;
}

export abstract class OrreryError extends Error {
  readonly operation: OperationId;
  readonly attempts: number;

  constructor(message: string, { operation, attempts, cause }: Circumstances) {
    super(message, cause === undefined ? undefined : { cause });
    this.operation = operation;
    this.attempts = attempts;
  }
}

/** The service answered with a problem. `code` is from a closed list, `reason` from an open one. */
export class OrreryProblem extends OrreryError {
  override readonly name = 'OrreryProblem';
  readonly status: number;
  readonly code: ProblemCode;
  readonly reason: string | undefined;
  readonly title: string;
  /** The address of the code's section in the documentation. */
  readonly type: string;
  readonly errors: readonly ProblemFault[];
  readonly conflict: Conflict | undefined;
  readonly requestId: string;
  /** How long the service asks to wait before the next try. */
  readonly retryAfterSeconds: number | undefined;

  constructor(body: ProblemBody, retryAfterSeconds: number | undefined, circumstances: Circumstances) {
    super(body.detail, circumstances);
    this.status = body.status;
    this.code = body.code;
    this.reason = body.reason;
    this.title = body.title;
    this.type = body.type;
    this.errors = body.errors ?? [];
    this.conflict = body.conflict;
    this.requestId = body.request_id;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No answer came: the service cannot be reached, or the connection broke. */
export class OrreryNetworkError extends OrreryError {
  override readonly name = 'OrreryNetworkError';
}

/** No answer came in time. */
export class OrreryTimeoutError extends OrreryError {
  override readonly name = 'OrreryTimeoutError';
}

/** An answer came that this service does not give: from a proxy, or from something else at this address. */
export class OrreryAnswerError extends OrreryError {
  override readonly name = 'OrreryAnswerError';
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, retryAfterSeconds: number | undefined, circumstances: Circumstances) {
    const what = `The address answered ${status}, and not with JSON of this service.`;
    super(`${what} Check the url of the client, and what stands between.`, circumstances);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
