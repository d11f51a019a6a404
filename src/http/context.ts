// What the hall is given by the front door: the engine below it, and the facts of this installation.
import type { Logger } from 'pino';
import type { Engine } from '../engine/process/engine.ts';
import type { Metrics } from './metrics.ts';

export interface HttpSettings {
  readonly release: string;
  /** Where clients reach the service, if that is not the host they send; without a slash at the end. */
  readonly publicUrl: string | undefined;
  readonly corsOrigins: ReadonlySet<string>;
  /** Set when the operator has marked v1 deprecated (contract 10). */
  readonly deprecation: { readonly since: Date; readonly sunset: Date } | undefined;
}

export interface Service {
  readonly engine: Engine;
  readonly settings: HttpSettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  isDraining(): boolean;
  /** Rejects when the database does not answer. */
  isReachable(): Promise<void>;
}
