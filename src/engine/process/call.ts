// One call of an operation: who calls, what the service has, and which request it is. Every rule of the domain gets it
// first.
import type { Viewer } from '../../store/viewer.ts';
import type { Engine } from './engine.ts';
import type { Session } from './session.ts';
import type { Signal } from './signal.ts';

/** What a unit of work needs of a call. The service's own writes have no more than this. */
export interface UnitCall {
  readonly engine: Pick<Engine, 'clock' | 'database' | 'directory'> & { readonly signal: Signal };
  readonly session: Session;
  readonly requestId: string;
}

export interface Call extends UnitCall {
  readonly engine: Engine;
}

/** The eyes with which the caller sees records. */
export function viewerOf({ session: { caller, catalog } }: UnitCall): Viewer {
  const viewer = { orgId: caller.orgId, onlyUser: caller.reach === 'user' ? caller.userId : null };
  const { timedTypes } = catalog;
  return timedTypes === undefined ? viewer : { ...viewer, timedTypes };
}
