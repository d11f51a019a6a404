// An answer before it is sent.
import type { Refusal } from '../log.ts';
import type { Content } from './pieces.ts';

export interface Reply extends Content {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Why the request was refused, for the log. */
  readonly refusal?: Refusal;
}
