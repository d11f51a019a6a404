// The share of an org in the connections to the database. Work of an org reaches the database only through it: each
// statement outside a transaction, and each transaction, has a place while it runs (see `places`). A statement that turns
// out to be long gives its place back and runs again in the lane for scans (see `lanes`).
import type { Clock } from '../../base/clock.ts';
import type { Database, OpenTransaction, Reads, Statement, WorkDatabase } from '../../store/database.ts';
import { widely } from '../../store/query/widely.ts';
import type { Bytes } from './bytes.ts';
import { Lane, scanLane } from './lanes.ts';
import { admitLate } from './late.ts';
import type { Place } from './line.ts';
import { Places, type Purpose, serviceId } from './places.ts';
import { runBriefly, Trips } from './trips.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** The database as the work of one org sees it. */
export interface OrgDatabase extends WorkDatabase {
  /** Runs one statement that writes, which is its own transaction. */
  write(statement: Statement): Promise<void>;
  /** For reads that are known to take long: they wait in the lane at once. */
  readonly lane: Reads;
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
  const places = new Places(database.connections, clock, room);
  const trips = new Trips({ brief: database.brief, places, room, bytes });
  const shared: Shared = { database, bytes, places, trips, lane: new Lane(scanLane) };
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
  readonly trips: Trips;
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
    const rows =
      (await this.#together<Row>(statement)) ?? (await this.#placed('read', () => this.#briefly<Row>(statement)));
    return rows === 'long' ? this.lane.query<Row>(statement) : rows;
  }

  /** Undefined for a statement that travels alone. */
  async #together<Row extends object>(statement: Statement): Promise<readonly Row[] | 'long' | undefined> {
    if (statement.manner.travel === 'alone') return undefined;
    const outcome = await this.#shared.trips.query(this.#orgId, statement, this.#isAbandoned);
    return outcome === 'alone' ? undefined : (outcome as readonly Row[] | 'long');
  }

  /** It keeps its place if it takes long: it usually waits for a lock then, and would hold up the lane. */
  write(statement: Statement): Promise<void> {
    return this.#placed('write', async () => {
      const rows = await this.#briefly(statement);
      if (rows === 'long') await this.#shared.database.query(statement);
    });
  }

  script(text: string): Promise<void> {
    return this.transaction((transaction) => transaction.script(text));
  }

  transaction<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    return this.#placed('write', (place) =>
      this.#shared.database.transaction((transaction) => run(watched(transaction, place))),
    );
  }

  dryRun<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    return this.#placed('write', (place) =>
      this.#shared.database.dryRun((transaction) => run(watched(transaction, place))),
    );
  }

  get lane(): Reads {
    const { database, lane, places } = this.#shared;
    return {
      query: async <Row extends object>(statement: Statement) => {
        const rows = await lane.run(this.#orgId, {
          name: statement.identity,
          run: (isAbandoned) => {
            const read = () => (places.isAlone(this.#orgId) ? widely(database) : database).query(statement);
            return this.#placed('scan', read, isAbandoned);
          },
          isAbandoned: this.#isAbandoned,
        });
        return rows as readonly Row[];
      },
    };
  }

  #briefly<Row extends object>(statement: Statement): Promise<readonly Row[] | 'long'> {
    return runBriefly<Row>(this.#shared.database.brief, statement);
  }

  async #placed<T>(purpose: Purpose, run: (place: Place) => Promise<T>, isAbandoned = this.#isAbandoned): Promise<T> {
    const { places } = this.#shared;
    const entered = places.enter(this.#orgId, purpose);
    const place = entered instanceof Promise ? await entered : entered;
    try {
      // A write goes on without its client, which may rely on it.
      const isLeft = purpose === 'write' ? () => false : isAbandoned;
      if (entered !== place) await admitLate(this.#shared.bytes, this.#orgId, isLeft);
      return await run(place);
    } finally {
      place.end();
    }
  }
}

/** Tells the place of each statement that was answered. */
function watched(transaction: OpenTransaction, place: Place): OpenTransaction {
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
    end: (statements) => transaction.end(statements),
  };
}
