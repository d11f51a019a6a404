// One call of an operation: the caller's session, the engine, and the id of the request. It is the first parameter of
// every rule of the domain.
import type { Caller } from '../../access/caller.ts';
import { adminGrant, fullGrant } from '../../access/grant.ts';
import { newId } from '../../base/id.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { Database, WorkDatabase } from '../../store/database.ts';
import type { UnitLayer } from '../../store/layer/unit-layer.ts';
import type { Viewer } from '../../store/viewer.ts';
import type { OrgDatabase } from '../shares/connections.ts';
import type { Storage } from '../shares/storage.ts';
import type { Slice } from '../shares/thread.ts';
import type { Engine } from './engine.ts';
import type { WordIndex } from './indexed-words.ts';
import { type LoadedOrg, type Session, sessionFor } from './session.ts';
import type { Signal } from './signal.ts';

/** The part of a call that a unit of work needs. Writes of the service itself have only this. */
export interface UnitCall {
  readonly engine: Pick<Engine, 'clock' | 'directory'> & {
    readonly signal: Signal;
    readonly storage: Pick<Storage, 'grew' | 'requireRoom'>;
    readonly words: Pick<WordIndex, 'wrote'>;
  };
  readonly database: WorkDatabase;
  readonly session: Session;
  readonly requestId: string;
  /** The network address of the client; absent for the service itself. */
  readonly address?: string;
  /** The slices in which long work is done; absent if the call has none. */
  readonly slice?: Slice | undefined;
  /** For a dry run that goes on after its transactions: what it would have written so far. */
  readonly layer?: UnitLayer;
}

export interface Call extends UnitCall {
  readonly engine: Engine;
  /** The share of the caller's org. */
  readonly database: OrgDatabase;
}

/** What a command has of an engine: its work belongs to the operator, and needs no share. */
export type CommandEngine = UnitCall['engine'] & { readonly database: Database };

/** What the service needs to write records of its own. */
export type WorkingEngine = UnitCall['engine'] & { readonly database: WorkDatabase };

/** What decides which records a caller sees. */
interface Viewing {
  readonly session: {
    readonly caller: Pick<Caller, 'orgId' | 'reach' | 'userId'>;
    readonly catalog: Pick<Catalog, 'timedTypes'>;
  };
}

/** Which records the caller sees. */
export function viewerOf({ session: { caller, catalog } }: Viewing): Viewer {
  const viewer = { orgId: caller.orgId, onlyUser: caller.reach === 'user' ? caller.userId : null };
  const { timedTypes } = catalog;
  return timedTypes === undefined ? viewer : { ...viewer, timedTypes };
}

export const systemName = 'svc_system';

/**
 * A call of the service itself, without a key: for the defaults of a new org, and for what comes from connected systems
 * and files. It sees the whole org, belongs to no user, and signs as svc_system. Its single writes are not held to the
 * org's storage quota: a command that writes many records calls `requireRoom` before each batch, and stops when it throws.
 */
export function systemCall(engine: WorkingEngine, loaded: LoadedOrg): UnitCall {
  const caller: Caller = {
    orgId: loaded.org.orgId,
    credentialId: systemName,
    credentialName: systemName,
    expiresAt: null,
    userId: null,
    reach: 'org',
    grants: [fullGrant, adminGrant],
  };
  const session = { ...sessionFor(loaded, caller, loaded.catalog), storageQuota: null };
  return { engine, database: engine.database, session, requestId: newId() };
}

/** Whether it is a call of the service itself, as commands of the operator are. */
export function isOperator({ caller }: Session): boolean {
  return caller.credentialId === systemName;
}

/** Refuses to add to what the org stores if it has reached its quota. */
export async function requireRoom({ storage }: UnitCall['engine'], { org }: LoadedOrg): Promise<void> {
  if (org.storageQuota !== null) await storage.requireRoom(org.orgId, org.storageQuota);
}
