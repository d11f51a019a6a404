// The context of every request, which the front door provides: the engine, and the facts of this installation.
import type { Definitions } from '../engine/platform/definitions/open-definitions.ts';
import type { KeyNotes } from '../engine/platform/key-notes.ts';
import type { Engine, Readiness } from '../engine/process/engine.ts';
import type { Providers } from '../engine/sign-in/oidc.ts';
import type { SignInEngine } from '../engine/sign-in/open-sign-in.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Compression } from './sending/compression.ts';
import type { Outgoing } from './sending/outgoing.ts';
import type { RefusedInput } from './sockets/refused-input.ts';

export interface HttpSettings {
  readonly release: string;
  /** Where clients reach the service, if that differs from the Host they send; without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly corsOrigins: ReadonlySet<string>;
  /** Set when the operator has deprecated v1 (contract 10). */
  readonly deprecation: { readonly since: Date; readonly sunset: Date } | undefined;
}

export interface HttpContext {
  readonly engine: Engine;
  readonly keyNotes: KeyNotes;
  readonly definitions: Definitions;
  readonly signIn: SignInEngine;
  readonly providers: Providers;
  readonly settings: HttpSettings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly compression: Compression;
  readonly outgoing: Outgoing;
  readonly refusedInput: RefusedInput;
  isDraining(): boolean;
  /** Whether the process stops soon, and may not have the time for another request. */
  isTooLate(): boolean;
  /** Undefined if the database has not answered within a moment, in which all who ask share the answer. */
  readiness(): Promise<Readiness | undefined>;
  /** The metrics as they were at most a moment ago. */
  printMetrics(): ReturnType<Metrics['print']>;
}
