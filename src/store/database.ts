// The contract of a database: all that the rooms above see of PostgreSQL. Two drivers implement it, `embedded` and
// `server`; both are a pool of `pg` connections, one of them to an embedded PostgreSQL.
import type { Readable, Writable } from 'node:stream';
import type { Sql } from '../base/sql.ts';

/** One statement, as the rooms above pass it on. */
export type Statement = Sql;

export interface Reads {
  /** The rows of one statement, members named as the columns. */
  query<Row extends object>(statement: Sql): Promise<readonly Row[]>;
}

export interface Transaction extends Reads {
  /** Runs a migration: several statements of the program's own, without parameters. */
  script(text: string): Promise<void>;
}

export interface OpenTransaction extends Transaction {
  /** Runs the last statements, whose rows nobody needs, and ends the transaction in the same round trip. */
  end(statements: readonly Sql[]): Promise<void>;
}

/** The part of a database that work on records needs. */
export interface WorkDatabase extends Transaction {
  /** Runs everything on one connection: committed when `run` returns, rolled back when it throws. */
  transaction<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T>;
  /** Runs everything as `transaction` does, and rolls it back whatever it returns. */
  dryRun<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T>;
}

export interface Database extends WorkDatabase {
  /** Reports notifications on the channel, over a separate connection, until that ends. */
  listen(channel: string, on: ListenEvents): Promise<Listening>;
  /** A connection outside the pool, without the limits of requests, for long work. */
  connect(): Promise<OwnConnection>;
  /**
   * The same connections for single statements that should end soon: after `bounds.shares.briefStatementMs` PostgreSQL
   * ends them, and nothing of them remains. They need one round trip; `query` gives a statement all its time, and needs
   * three.
   */
  readonly brief: BriefDatabase;
  /** How many statements can run at once. */
  readonly connections: number;
  /** Further connections that a process opens for itself. */
  readonly connectionsBeside: number;
  /** Connections that no long statement can hold, for the few short statements that every request waits for. */
  readonly urgent: Transaction;
  /** The same for what concerns no rows of orgs: on a cluster they never wait for one of its workers. */
  readonly central: Transaction;
  readonly facts: DatabaseFacts;
  readonly gauge: () => PoolGauge;
  /** Which part of the rows cannot be reached, as far as is known: of a cluster, some of its servers can be away. */
  away(): Away;
  /** Whether the rows of the org are among those: asking for them would only wait. */
  isAway(orgId: number): boolean;
  /** Whether the disk of the database is known to be full: then writes fail, and reads usually go on. */
  isDiskFull(): Promise<boolean>;
  close(): Promise<void>;
}

/** How many of the servers that have rows cannot be reached. */
export type Away = 'none' | 'some' | 'all';

export interface BriefDatabase extends Transaction {
  /**
   * The rows of several statements that travel together, each in a transaction of its own as far as anybody can see.
   * Undefined for one that must run alone: it failed, or one before it did, or its rows have more than `bytesEach`.
   */
  queryTogether<Row extends object>(
    statements: readonly Sql[],
    bytesEach: number,
  ): Promise<readonly (readonly Row[] | undefined)[]>;
}

export interface OwnConnection extends Transaction {
  /** The output of COPY … TO STDOUT, as fast as it is read. */
  copyOut(text: string): Readable;
  /** The input of COPY … FROM STDIN, as fast as PostgreSQL takes it. */
  copyIn(text: string): Writable;
  /** The same for rows of one org that are there at once. */
  copyRows(text: string, rows: Buffer): Promise<void>;
  close(): Promise<void>;
}

export interface ListenEvents {
  notified(payload: string): void;
  /** The connection has ended; there will be no more notifications. */
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
  /** How this process got to it. */
  readonly origin: 'created' | 'started' | 'adopted' | 'connected';
  readonly transport: Transport;
}

/**
 * How the bytes travel: within this machine; with TLS to a server whose certificate was checked, or not; or in plain text to
 * another host.
 */
export type Transport = 'local' | 'tls_verified' | 'tls_unverified' | 'plain_text';

/** The current load of the pool. */
export interface PoolGauge {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}
