// The errors that a call can throw: the service refused it (a problem), no answer arrived, none arrived in time, or the
// answer did not come from this service. An aborted call throws the reason of its signal. No error contains the key.
import type { OperationId } from './operations.ts';
import type { Conflict, ProblemBody, ProblemCode, ProblemFault } from './wire.ts';

/** The call that failed. */
interface Circumstances {
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
  /** How long the service asks to wait before the next attempt. */
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

/** No answer arrived: the service cannot be reached, or the connection broke. */
export class OrreryNetworkError extends OrreryError {
  override readonly name = 'OrreryNetworkError';
}

/** No answer arrived in time. */
export class OrreryTimeoutError extends OrreryError {
  override readonly name = 'OrreryTimeoutError';
}

/** The answer did not come from this service, but from a proxy or another program at the address. */
export class OrreryAnswerError extends OrreryError {
  override readonly name = 'OrreryAnswerError';
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, retryAfterSeconds: number | undefined, circumstances: Circumstances) {
    const what = `The answer has status ${status} and did not come from Orrery.`;
    super(`${what} Check the url of the client, and any proxy in between.`, circumstances);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
