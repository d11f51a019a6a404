// What an attack is, and the loops that most of them are made of: clients that ask again and again, and clients that
// hold on. All are bounded in number and time, and close what they have opened.
import type { Socket } from 'node:net';
import { openSocket, type Place, requestBytes, Wire } from './wire.ts';

/** The org that attacks, and what it has prepared. */
export interface NoisyWorld extends Place {
  readonly orgId: number;
  readonly keys: {
    /** All grants, all records of the org. */
    readonly full: string;
    readonly readOnly: string;
    /** Every operation on members, roles and keys. */
    readonly admin: string;
    /** All grants, but only the records that its user may see. */
    readonly user: string;
  };
  readonly records: {
    readonly contacts: readonly string[];
    readonly companies: readonly string[];
    readonly deal: string;
    readonly stages: readonly string[];
    /** A company with as many contacts, deals and notes as asked for. */
    readonly hub: string;
    /** A company whose contacts are private to another user. */
    readonly privateHub: string;
    /** A record of half a MiB. */
    readonly dossier: string;
  };
  /** Units of the rate limit that one attack may spend. */
  readonly units: number;
  /** Divides numbers of clients and sizes of bodies; 1 for the whole attack. */
  readonly scale: number;
}

/** How often each outcome came: a status, `cut` (closed without an answer) or `unanswered` (at the end). */
export interface Tally {
  readonly outcomes: Record<string, number>;
  /** The times of answers, in milliseconds. */
  readonly times: number[];
}

export interface Attack {
  readonly name: string;
  /** It needs an org with very many records that are private to another user. */
  readonly needsHidden?: true;
  /** Prepares what is sent. The function that it returns attacks until that moment of performance.now(). */
  readonly arm: (world: NoisyWorld) => (until: number) => Promise<Tally>;
}

export function newTally(): Tally {
  return { outcomes: {}, times: [] };
}

export function count(tally: Tally, outcome: string | number, times = 1): void {
  tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + times;
}

/** At least one of them, in a smaller attack. */
export function scaled(world: NoisyWorld, number: number): number {
  return Math.max(1, Math.round(number / world.scale));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Waits until that moment of performance.now(). */
function pauseUntil(moment: number): Promise<void> {
  return pause(Math.max(0, moment - performance.now()));
}

/** A request of the noisy org; the path is below /rest/v1. */
export function ask(key: string, method: string, path: string, body?: unknown, headers?: readonly string[]): Buffer {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return requestBytes(method, `/rest/v1${path}`, {
    key,
    ...(text === undefined ? {} : { body: text }),
    ...(headers === undefined ? {} : { headers }),
  });
}

export interface Siege {
  readonly clients: number;
  /** The address of a client; that of the world by default. */
  readonly from?: (client: number) => string | undefined;
  /** The next request of a client. */
  readonly next: (client: number, turn: number) => Buffer;
  /** Units that a request costs. */
  readonly cost?: number;
  /** Requests of all clients together; as fast as they are answered by default. */
  readonly perSecond?: number;
  readonly units?: number;
  /** After a 429: who stays within the quota waits. */
  readonly onceLimited?: 'wait' | 'go on';
}

/** Clients that each send their next request when the last is answered, until the time or the units are used up. */
export async function besiege(world: NoisyWorld, siege: Siege, until: number): Promise<Tally> {
  const { clients, next, cost = 1, perSecond = Number.POSITIVE_INFINITY, units = world.units } = siege;
  const waits = siege.onceLimited !== 'go on';
  const tally = newTally();
  const began = performance.now();
  const wires = new Set<Wire>();
  let sent = 0;
  let isOver = false;
  const client = async (index: number) => {
    let wire: Wire | undefined;
    for (let turn = 0; !isOver && (sent + 1) * cost <= units; turn++) {
      const due = began + (sent++ * 1_000) / perSecond;
      if (due > performance.now()) await pauseUntil(Math.min(due, until));
      if (isOver || performance.now() >= until) return;
      if (wire === undefined || wire.isClosed) {
        if (wire !== undefined) wires.delete(wire);
        wire = new Wire(siege.from === undefined ? world : { ...world, from: siege.from(index) });
        wires.add(wire);
      }
      const startedMs = performance.now();
      const reply = await wire.ask(next(index, turn));
      if (reply !== undefined) tally.times.push(performance.now() - startedMs);
      count(tally, reply?.status ?? (isOver ? 'unanswered' : 'cut'));
      if (waits && reply?.status === 429) await pauseUntil(Math.min(performance.now() + 1_000, until));
      // A service that refuses connections is not asked again at once.
      if (reply === undefined && !isOver) await pause(50);
    }
  };
  const end = pauseUntil(until).then(() => {
    isOver = true;
    for (const wire of wires) wire.close();
  });
  await Promise.all([...Array.from({ length: clients }, (_, index) => client(index)), end]);
  return tally;
}

interface Holding {
  readonly clients: number;
  /** Gets each socket once it is connected. */
  readonly begin: (socket: Socket, client: number) => void;
  /** How many connections are opened every 50 ms. */
  readonly atOnce?: number;
}

/** Clients that open a connection, do something with it and then hold on to it until the end. */
export async function holdOn(world: NoisyWorld, { clients, begin, atOnce = 50 }: Holding, until: number) {
  const tally = newTally();
  const sockets: Socket[] = [];
  for (let index = 0; index < clients && performance.now() < until; index++) {
    const socket = openSocket(world);
    sockets.push(socket);
    socket.once('connect', () => begin(socket, index));
    socket.once('close', () => count(tally, 'cut'));
    if (index % atOnce === atOnce - 1) await pause(50);
  }
  await pauseUntil(until);
  const held = sockets.filter((socket) => !socket.destroyed);
  count(tally, 'held', held.length);
  for (const socket of held) {
    socket.removeAllListeners('close');
    socket.destroy();
  }
  return tally;
}
