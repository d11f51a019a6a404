// Short reads of one org that are asked for at about the same time travel together: they take one place, one connection and
// one write, and PostgreSQL answers them in one piece; equal ones are read once. A snapshot is taken
// before them if somebody asks for it. Reads of different orgs never travel together, so that nobody waits behind a statement of
// somebody else.
import { bounds } from '../../base/limits.ts';
import type { BriefDatabase, Statement } from '../../store/database.ts';
import { type NotedSnapshot, snapshotIn, snapshotStatement } from '../../store/feed/position.ts';
import { isTimedOut } from '../../store/pg-error.ts';
import type { Bytes } from './bytes.ts';
import { abandoned, admitLate } from './late.ts';
import type { Place } from './line.ts';
import type { Places } from './places.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** The rows; or that the statement takes long, or that it must run alone. */
export type Outcome = readonly object[] | 'long' | 'alone';

/** Who asks for a read. */
interface Asker {
  readonly isAbandoned: () => boolean;
  /** Gets a snapshot that is not newer than what the statement reads. */
  readonly noteSnapshot?: ((snapshot: NotedSnapshot) => void) | undefined;
}

interface Passenger extends Asker {
  readonly statement: Statement;
  arrived(outcome: Outcome): void;
  failed(error: unknown): void;
}

interface Stop {
  readonly waiting: Passenger[];
  /** How many trips wait for their place. */
  leaving: number;
  isCalled: boolean;
}

interface TripOptions {
  readonly brief: Brief;
  readonly places: Pick<Places, 'enter'>;
  readonly room: WaitingRoom;
  readonly bytes: Pick<Bytes, 'admit'>;
}

type Brief = Pick<BriefDatabase, 'query' | 'queryTogether'>;

export class Trips {
  readonly #options: TripOptions;
  readonly #stops = new Map<number, Stop>();

  constructor(options: TripOptions) {
    this.#options = options;
  }

  /** Reads that have waited for their turn do not begin if they are abandoned. */
  query(orgId: number, statement: Statement, asker: Asker): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#options.room.enter(orgId);
      const stop = this.#stops.get(orgId) ?? { waiting: [], leaving: 0, isCalled: false };
      this.#stops.set(orgId, stop);
      stop.waiting.push({ ...asker, statement, arrived: resolve, failed: reject });
      if (stop.isCalled) return;
      stop.isCalled = true;
      // All requests that arrive in this turn of the event loop are there by then.
      setImmediate(() => this.#call(orgId, stop));
    });
  }

  #call(orgId: number, stop: Stop): void {
    stop.isCalled = false;
    while (stop.waiting.length > stop.leaving * bounds.shares.tripStatements) {
      stop.leaving++;
      void this.#travel(orgId, stop);
    }
    this.#forget(orgId, stop);
  }

  #forget(orgId: number, stop: Stop): void {
    if (stop.waiting.length === 0 && stop.leaving === 0 && !stop.isCalled) this.#stops.delete(orgId);
  }

  /** It cannot fail: errors go to the passengers. */
  async #travel(orgId: number, stop: Stop): Promise<void> {
    let place: Place | undefined;
    let passengers: readonly Passenger[] = [];
    try {
      const entered = this.#options.places.enter(orgId, 'read');
      place = entered instanceof Promise ? await entered : entered;
      passengers = this.#board(orgId, stop);
      if (entered !== place) passengers = await this.#admitLate(orgId, passengers);
      await this.#carry(passengers);
    } catch (error) {
      if (place === undefined) passengers = this.#board(orgId, stop);
      for (const passenger of passengers) passenger.failed(error);
    } finally {
      place?.end();
    }
  }

  #board(orgId: number, stop: Stop): readonly Passenger[] {
    stop.leaving--;
    const passengers = stop.waiting.splice(0, bounds.shares.tripStatements);
    for (let left = passengers.length; left > 0; left--) this.#options.room.leave(orgId);
    this.#forget(orgId, stop);
    return passengers;
  }

  /** Those whose clients are still there. */
  async #admitLate(orgId: number, passengers: readonly Passenger[]): Promise<readonly Passenger[]> {
    await admitLate(this.#options.bytes, orgId, () => false);
    const gone = passengers.filter(({ isAbandoned }) => isAbandoned());
    for (const passenger of gone) passenger.failed(abandoned());
    return passengers.filter((passenger) => !gone.includes(passenger));
  }

  async #carry(passengers: readonly Passenger[]): Promise<void> {
    const parties = [...equalOnes(passengers).values()];
    const outcomes = await this.#read(
      passengers,
      parties.flatMap(([first]) => first?.statement ?? []),
    );
    for (const [index, party] of parties.entries()) {
      for (const passenger of party) passenger.arrived(outcomes[index] ?? 'alone');
    }
  }

  async #read(
    passengers: readonly Passenger[],
    statements: readonly Statement[],
  ): Promise<readonly (Outcome | undefined)[]> {
    const { brief } = this.#options;
    const [only, second] = statements;
    const isNoted = passengers.some(({ noteSnapshot }) => noteSnapshot !== undefined);
    if (only === undefined) return [];
    if (second === undefined && !isNoted) return [await runBriefly(brief, only)];
    const bytesEach = Math.floor(bounds.shares.tripBytes / statements.length);
    if (!isNoted) return brief.queryTogether(statements, bytesEach);
    const [before, ...outcomes] = await brief.queryTogether([snapshotStatement, ...statements], bytesEach);
    // Without a snapshot none of the others was read.
    if (before === undefined) return [];
    const snapshot = snapshotIn(before);
    for (const { noteSnapshot } of passengers) noteSnapshot?.(snapshot);
    return outcomes;
  }
}

/** The passengers by what they read. */
function equalOnes(passengers: readonly Passenger[]): ReadonlyMap<string, readonly Passenger[]> {
  const parties = new Map<string, Passenger[]>();
  for (const passenger of passengers) {
    const { identity } = passenger.statement;
    const party = parties.get(identity);
    if (party === undefined) parties.set(identity, [passenger]);
    else party.push(passenger);
  }
  return parties;
}

/** PostgreSQL ends a statement that does not end soon. */
export async function runBriefly<Row extends object>(
  brief: Pick<Brief, 'query'>,
  statement: Statement,
): Promise<readonly Row[] | 'long'> {
  try {
    return await brief.query<Row>(statement);
  } catch (error) {
    if (isTimedOut(error)) return 'long';
    throw error;
  }
}
