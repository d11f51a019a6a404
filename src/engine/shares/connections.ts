// The share of an org in the connections to the database. Work of an org reaches the database only through it: each
// statement outside a transaction, and each transaction, has a place while it runs (see `places`). A statement that turns
// out to be long gives its place back and runs again in the lane for scans (see `lanes`).
import type { Clock } from '../../base/clock.ts';
import type { Database, OpenTransaction, Reads, Statement, WorkDatabase } from '../../store/database.ts';
import { type NotedSnapshot, snapshotIn, snapshotStatement } from '../../store/feed/position.ts';
import { unavailable } from '../../store/pg-error.ts';
import { narrowly, widely } from '../../store/query/long-reads.ts';
import type { Bytes } from './bytes.ts';
import { Lane, scanLane } from './lanes.ts';
import { admitLate } from './late.ts';
import type { Place } from './line.ts';
import { type LaneLoad, Places, type Purpose, serviceId } from './places.ts';
import { type Outcome, runBriefly, Trips } from './trips.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** The database as the work of one org sees it. */
export interface OrgDatabase extends WorkDatabase {
  /** The same, for reads that must be known to have come after a snapshot. */
  noting(): NotedReads;
  /** Runs one statement that writes, which is its own transaction. */
  write(statement: Statement): Promise<void>;
  /** For reads that are known to take long: they wait in the lane at once. */
  readonly lane: Reads;
}

interface NotedReads {
  readonly database: OrgDatabase;
  /** A snapshot that is not newer than what was read first. */
  readonly snapshot: () => Promise<NotedSnapshot>;
}

/** Reads that travel together count as one. */
export type Lanes = Readonly<Record<Purpose, LaneLoad>>;

export interface Connections {
  /** Reads that have waited for their turn do not begin if nobody waits for them any more. */
  of(orgId: number, isAbandoned?: () => boolean): OrgDatabase;
  /** For work that belongs to no org. It has a share like that of an org, and may open connections of its own. */
  readonly service: OrgDatabase & Pick<Database, 'connect'>;
  /** Notes an answer of so many bytes for the org: the thread prints and sends it. */
  answered(orgId: number, bytes: number): void;
  /** How many requests wait for a connection, and how many for the lane; and the work on the database by its purpose. */
  gauge(): { readonly waiting: number; readonly inLane: number; readonly lanes: Lanes };
}

export function openConnections(database: Database, clock: Clock, room: WaitingRoom, bytes: Bytes): Connections {
  const places = new Places(database.connections, clock, room);
  const trips = new Trips({ brief: database.brief, places, room, bytes });
  const shared: Shared = { database, bytes, places, trips, lane: new Lane(scanLane) };
  return {
    of: (orgId, isAbandoned) => new Share(shared, orgId, isAbandoned),
    service: Object.assign(new Share(shared, serviceId), { connect: () => database.connect() }),
    answered: (orgId, bytes) => shared.places.answered(orgId, bytes),
    gauge: () => ({ waiting: places.waiting, inLane: shared.lane.waiting, lanes: lanesOf(shared) }),
  };
}

/** A scan waits in the lane first, and then for a place. */
function lanesOf({ places, lane }: Shared): Lanes {
  const scan = places.load('scan');
  return {
    read: places.load('read'),
    write: places.load('write'),
    scan: { ...scan, waiting: scan.waiting + lane.waiting },
  };
}

interface Shared {
  readonly database: Database;
  readonly bytes: Bytes;
  readonly places: Places;
  readonly trips: Trips;
  readonly lane: Lane;
}

/** The snapshot before the first read, once there is one, and the reads that have been asked for until then. */
interface Note {
  snapshot: NotedSnapshot | undefined;
  asked: Promise<unknown>;
}

class Share implements OrgDatabase {
  readonly #shared: Shared;
  readonly #orgId: number;
  readonly #isAbandoned: () => boolean;
  /** Undefined if nobody needs it. */
  readonly #note: Note | undefined;

  constructor(shared: Shared, orgId: number, isAbandoned = () => false, note?: Note) {
    this.#shared = shared;
    this.#orgId = orgId;
    this.#isAbandoned = isAbandoned;
    this.#note = note;
  }

  noting(): NotedReads {
    const note: Note = { snapshot: undefined, asked: Promise.resolve() };
    const share = new Share(this.#shared, this.#orgId, this.#isAbandoned, note);
    return { database: share, snapshot: () => share.#noted(note) };
  }

  async #noted(note: Note): Promise<NotedSnapshot> {
    const plain = new Share(this.#shared, this.#orgId, this.#isAbandoned);
    note.snapshot ??= snapshotIn(await plain.query(snapshotStatement));
    return note.snapshot;
  }

  /** Before what does not travel with others. */
  async #noteFirst(): Promise<void> {
    if (this.#note !== undefined) await this.#noted(this.#note);
  }

  query<Row extends object>(statement: Statement): Promise<readonly Row[]> {
    const note = this.#note;
    const run = () => this.#read<Row>(statement);
    if (note === undefined || note.snapshot !== undefined) return run();
    // One after the other: a snapshot that came with one may be newer than what another has read meanwhile.
    const read = note.asked.then(run, run);
    note.asked = read;
    return read;
  }

  async #read<Row extends object>(statement: Statement): Promise<readonly Row[]> {
    const together = statement.manner.travel === 'alone' ? 'alone' : await this.#travel(statement);
    if (together !== 'alone' && together !== 'long') return together as readonly Row[];
    await this.#noteFirst();
    const rows = together === 'long' ? together : await this.#placed('read', () => this.#briefly<Row>(statement));
    return rows === 'long' ? this.lane.query<Row>(statement) : rows;
  }

  async #travel(statement: Statement): Promise<Outcome> {
    this.#refuseAway();
    const note = this.#note;
    const noteSnapshot = (snapshot: NotedSnapshot): void => {
      if (note !== undefined) note.snapshot ??= snapshot;
    };
    const isNoted = note === undefined || note.snapshot !== undefined;
    const asker = { isAbandoned: this.#isAbandoned, noteSnapshot: isNoted ? undefined : noteSnapshot };
    return this.#shared.trips.query(this.#orgId, statement, asker);
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

  async transaction<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    await this.#noteFirst();
    return this.#placed('write', (place) =>
      this.#shared.database.transaction((transaction) => run(watched(transaction, place))),
    );
  }

  async dryRun<T>(run: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    await this.#noteFirst();
    return this.#placed('write', (place) =>
      this.#shared.database.dryRun((transaction) => run(watched(transaction, place))),
    );
  }

  get lane(): Reads {
    const { database, lane, places } = this.#shared;
    return {
      query: async <Row extends object>(statement: Statement) => {
        await this.#noteFirst();
        const rows = await lane.run(this.#orgId, {
          name: statement.identity,
          run: (isAbandoned) => {
            const read = () => (places.isAlone(this.#orgId) ? widely : narrowly)(database).query(statement);
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

  /** A place that waits for rows out of reach would be missed by the orgs whose rows are there. */
  #refuseAway(): void {
    if (this.#shared.database.isAway(this.#orgId)) throw unavailable();
  }

  async #placed<T>(purpose: Purpose, run: (place: Place) => Promise<T>, isAbandoned = this.#isAbandoned): Promise<T> {
    const { places } = this.#shared;
    this.#refuseAway();
    const entered = places.enter(this.#orgId, purpose);
    const place = entered instanceof Promise ? await entered : entered;
    try {
      if (entered !== place) this.#refuseAway();
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
