// One connection of a pool, watched while it waits for PostgreSQL: its last answer is known, and it can be broken.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { distributedSteps, type Sql } from '../../base/sql.ts';
import { notedOfCluster } from '../pg-error.ts';
import type { Pulse, Wait } from './pulse.ts';
import type { Session } from './session.ts';

export class PooledConnection {
  readonly client: pg.PoolClient;
  readonly #pulse: Pulse;
  #heardMs: number;
  /** Known once the server has told it. */
  #server: string | undefined;
  #isDistributed = false;

  /** For a connection that PostgreSQL has just accepted. */
  constructor(client: pg.PoolClient, pulse: Pulse) {
    this.client = client;
    this.#pulse = pulse;
    this.#heardMs = pulse.heard();
  }

  /** Begins a wait for an answer. If it lasts too long, the connection is broken, and with it what runs on it. */
  begin(maxMs: number): Wait {
    return this.#pulse.begin(maxMs, () => this.break(), this.#server);
  }

  /** Ends the wait. An error of PostgreSQL is an answer, the end of the connection is none. */
  end(wait: Wait, error: unknown): void {
    this.#pulse.end(wait);
    if (this.#isDistributed) notedOfCluster(error);
    if (error === null || error instanceof pg.DatabaseError) this.#heardMs = this.#pulse.heard();
  }

  async watched<T>(maxMs: number, work: () => Promise<T>): Promise<T> {
    const wait = this.begin(maxMs);
    let failure: unknown = null;
    try {
      return await work();
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.end(wait, failure);
    }
  }

  get isSuspect(): boolean {
    return this.#pulse.isSuspect(this.#heardMs, this.#server);
  }

  /** The connection is to this server. */
  isTo(session: Session): void {
    this.#server = session.server;
    this.#isDistributed = session.isDistributed;
    this.#pulse.met(session);
  }

  /** What is run for a statement: where the tables are distributed, it can be several. */
  stepsOf(statement: Sql): readonly Sql[] {
    return this.#isDistributed ? distributedSteps(statement) : [statement];
  }

  /** Its server takes no writes any more, so no connection to it is of use. */
  lostWrites(): void {
    this.#pulse.suspectAll();
  }

  break(): void {
    breakConnection(this.client);
  }
}

/** Whatever waits for the connection fails. The driver's types do not list it. */
export function breakConnection(client: pg.ClientBase): void {
  (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream.destroy();
}
