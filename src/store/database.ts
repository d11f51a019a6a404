// The contract of a database: what every room above sees of PostgreSQL. Two drivers keep it, `embedded` and `server`;
// both are a pool of `pg` connections, one with an engine of our own behind it.
import type { Readable, Writable } from 'node:stream';
import type { Sql } from '../base/sql.ts';

export interface Transaction {
  /** The rows of one statement, members named as the columns. */
  query<Row extends object>(statement: Sql): Promise<readonly Row[]>;
  /** Runs a migration: several statements of the program's own, without parameters. */
  script(text: string): Promise<void>;
}

export interface Database extends Transaction {
  /** Runs everything on one connection: committed when `run` returns, rolled back when it throws. */
  transaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Runs everything as `transaction` does, and rolls it back whatever it returns. */
  trial<T>(run: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Calls back with what others notify of on the channel, over a connection of its own, until that ends. */
  listen(channel: string, on: ListenEvents): Promise<Listening>;
  /** A connection outside the pool, without the limits of requests, for what takes as long as it takes. */
  connect(): Promise<OwnConnection>;
  /** For the few short statements that every request waits for: connections that no long statement can hold. */
  readonly urgent: Transaction;
  readonly facts: DatabaseFacts;
  readonly gauge: () => PoolGauge;
  close(): Promise<void>;
}

export interface OwnConnection extends Transaction {
  /** What a COPY … TO STDOUT gives, as fast as it is read. */
  copyOut(text: string): Readable;
  /** Takes what a COPY … FROM STDIN is given, as fast as PostgreSQL takes it. */
  copyIn(text: string): Writable;
  close(): Promise<void>;
}

export interface ListenEvents {
  notified(payload: string): void;
  /** The connection is gone, and nothing comes any more. */
  ended(): void;
}

export interface Listening {
  close(): Promise<void>;
}

export interface DatabaseFacts {
  readonly engine: 'embedded' | 'server';
  /** Such as "18.4". */
  readonly version: string;
  /** The data folder, or host and database of a server: never a password. */
  readonly place: string;
  /** How this process came to it. */
  readonly origin: 'created' | 'started' | 'adopted' | 'connected';
}

/** What the pool is doing right now. */
export interface PoolGauge {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}
