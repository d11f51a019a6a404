// One call of an operation: who calls, what the service has, and which request it is. Every rule of the domain gets it
// first.
import type { Viewer } from '../store/viewer.ts';
import type { Engine } from './engine.ts';
import type { Session } from './session.ts';

export interface Call {
  readonly engine: Engine;
  readonly session: Session;
  readonly requestId: string;
}

/** The eyes with which the caller sees records. */
export function viewerOf({ session: { caller } }: Call): Viewer {
  return { orgId: caller.orgId, onlyUser: caller.reach === 'user' ? caller.userId : null };
}
