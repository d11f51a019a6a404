// How the server of a database is reached, now and after it was lost: where the next connection goes, and what is done before
// another attempt. Whatever opens a connection does it through here.
import type { ClientConfig } from 'pg';
import type { Transport } from '../database.ts';
import { isReadOnly, isUnreachable } from '../pg-error.ts';
import { type Answer, askServer } from './ask-server.ts';

export interface Reach {
  /** Where the next connection is opened. */
  readonly connection: ClientConfig;
  readonly transport: Transport;
  /** As people know it: never with a password. */
  readonly place: string;
  /** Whether a server that takes no writes counts as one that is down. */
  readonly takesWrites: boolean;
  /** After a connection has failed: restarts the embedded server, or looks which of several hosts takes writes now. */
  revive(): Promise<void>;
  /** What the server says to a new connection. */
  ask(): Promise<Answer>;
}

/** A server that was found takes no writes: it is a standby, or has become one. */
export class NoWrites extends Error {
  constructor() {
    super('The PostgreSQL server is a standby, which takes no writes.');
  }
}

/** Whether another attempt may find what this one did not. */
export function isWorthReviving(error: unknown): boolean {
  return isUnreachable(error) || error instanceof NoWrites || isReadOnly(error);
}

/** Opens a connection, a second time if the first attempt did not reach a server that can be used. */
export async function reached<T>(reach: Reach, open: (connection: ClientConfig) => Promise<T>): Promise<T> {
  try {
    return await open(reach.connection);
  } catch (error) {
    if (!isWorthReviving(error)) throw error;
    await reach.revive();
    return await open(reach.connection);
  }
}

/** The reach of one server that is always at the same place. */
export function fixedReach(
  connection: ClientConfig,
  place: string,
  revive: () => Promise<void> = async () => {},
): Reach {
  return { connection, transport: 'local', place, takesWrites: false, revive, ask: () => askServer(connection) };
}
