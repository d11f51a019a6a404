// The share of an org in the connections to the database. Work of an org reaches the database only through it: each
// statement outside a transaction, and each transaction, has a place while it runs (see `places`). A statement that turns
// out to be long gives its place back and runs again in the lane for scans (see `lanes`).
import { type Clock, sleep } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { Database, Transaction, WorkDatabase } from '../../store/database.ts';
import { isTimedOut } from '../../store/pg-error.ts';
import type { Bytes } from './bytes.ts';
import { type Lane, openLane, scanLane } from './lanes.ts';
import type { Place } from './line.ts';
import { Places, type Purpose, serviceId } from './places.ts';
import type { WaitingRoom } from './waiting-room.ts';

type Statement = Parameters<Transaction['query']>[0];

/** The database as the work of one org sees it. */
export interface OrgDatabase extends WorkDatabase {
  /** Runs one statement that writes, which is its own transaction. */
  write(statement: Statement): Promise<void>;
  /** For statements that are known to take long: they wait in the lane at once. */
  scan<T>(run: (database: Transaction) => Promise<T>): Promise<T>;
}

export interface Connections {
  /** Reads that have waited for their turn do not begin if nobody waits for them any more. */
  of(orgId: number, isAbandoned?: () => boolean): OrgDatabase;
  /** For work that belongs to no org. It has a share like that of an org, and may open connections of its own. */
  readonly service: OrgDatabase & Pick<Database, 'connect'>;
  /** Notes an answer of so many bytes for the org: the thread prints and sends it. */
  answered(orgId: number, bytes: number): void;
  /** How many requests wait for a connection, and how many for the lane. */
  gauge(): { readonly waiting: number; readonly inLane: number };
}

export function openConnections(database: Database, clock: Clock, room: WaitingRoom, bytes: Bytes): Connections {
  const shared: Shared = {
    database,
    bytes,
    places: new Places(database.connections, clock, room),
    lane: openLane(scanLane),
  };
  return {
    of: (orgId, isAbandoned) => new Share(shared, orgId, isAbandoned),
    service: Object.assign(new Share(shared, serviceId), { connect: () => database.connect() }),
    answered: (orgId, bytes) => shared.places.answered(orgId, bytes),
    gauge: () => ({ waiting: shared.places.waiting, inLane: shared.lane.waiting }),
  };
}

interface Shared {
  readonly database: Database;
  readonly bytes: Bytes;
  readonly places: Places;
  readonly lane: Lane;
}

class Share implements OrgDatabase {
  readonly #shared: Shared;
  readonly #orgId: number;
  readonly #isAbandoned: () => boolean;

  constructor(shared: Shared, orgId: number, isAbandoned = () => false) {
    this.#shared = shared;
    this.#orgId = orgId;
    this.#isAbandoned = isAbandoned;
  }

  async query<Row extends object>(statement: Statement): Promise<readonly Row[]> {
    const rows = await this.#placed('read', () => this.#briefly<Row>(statement));
    return rows ?? this.scan((database) => database.query<Row>(statement));
  }

  /** It keeps its place if it takes long: it usually waits for a lock then, and would hold up the lane. */
  write(statement: Statement): Promise<void> {
    return this.#placed('write', async () => {
      const rows = await this.#briefly(statement);
      if (rows === undefined) await this.#shared.database.query(statement);
    });
  }

  script(text: string): Promise<void> {
    return this.transaction((transaction) => transaction.script(text));
  }

  transaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#placed('write', (place) =>
      this.#shared.database.transaction((transaction) => run(watched(transaction, place))),
    );
  }

  dryRun<T>(run: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#placed('write', (place) =>
      this.#shared.database.dryRun((transaction) => run(watched(transaction, place))),
    );
  }

  scan<T>(run: (database: Transaction) => Promise<T>): Promise<T> {
    const { database, lane } = this.#shared;
    const inLane: Transaction = {
      query: <Row extends object>(statement: Statement) => this.#placed('scan', () => database.query<Row>(statement)),
      script: (text) => this.#placed('scan', () => database.script(text)),
    };
    return lane.run(this.#orgId, async () => {
      this.#refuseAbandoned();
      return run(inLane);
    });
  }

  /** Undefined if PostgreSQL ended the statement because it did not end soon. */
  async #briefly<Row extends object>(statement: Statement): Promise<readonly Row[] | undefined> {
    try {
      return await this.#shared.database.brief.query<Row>(statement);
    } catch (error) {
      if (isTimedOut(error)) return undefined;
      throw error;
    }
  }

  async #placed<T>(purpose: Purpose, run: (place: Place) => Promise<T>): Promise<T> {
    const { places } = this.#shared;
    const entered = places.enter(this.#orgId, purpose);
    const place = entered instanceof Promise ? await entered : entered;
    try {
      if (entered !== place) await this.#admitLate(purpose);
      return await run(place);
    } finally {
      place.end();
    }
  }

  /**
   * While it waited, answers may have become ready that nobody reads: it must not add another one. One refusal leads to the
   * next, so there is a pause after each: a hundred of them in one piece would delay everybody.
   */
  async #admitLate(purpose: Purpose): Promise<void> {
    try {
      this.#shared.bytes.admit(this.#orgId);
      if (purpose !== 'write') this.#refuseAbandoned();
    } catch (error) {
      await sleep(bounds.shares.refusalPauseMs);
      throw error;
    }
  }

  /** A write goes on without its client, which may rely on it. */
  #refuseAbandoned(): void {
    if (this.#isAbandoned()) throw overloaded('The client closed the connection while its request waited.');
  }
}

/** Tells the place of each statement that was answered. */
function watched(transaction: Transaction, place: Place): Transaction {
  return {
    query: async <Row extends object>(statement: Statement) => {
      const rows = await transaction.query<Row>(statement);
      place.moved();
      return rows;
    },
    script: async (text) => {
      await transaction.script(text);
      place.moved();
    },
  };
}
