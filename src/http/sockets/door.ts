// The door of the service: it accepts connections and hands them to the HTTP server. One address has a share of them. Of
// many that it opens together, all but a few wait for their turn before anything is read from them, so that a connection
// of somebody else does not wait until all of them have been served.
import { readFile } from 'node:fs/promises';
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { untilQuiet } from '../../base/turns.ts';
import { openCrowd } from '../../engine/shares/crowd.ts';
import { networkOf } from '../../engine/shares/network.ts';

export interface Door {
  /** It listens, not the HTTP server. */
  readonly server: Server;
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves when every connection that the operating system has made for us is accepted, or at its bound. */
  acceptArrived(boundMs: number): Promise<void>;
  /** Closes the connections that have sent nothing for a while, as the last look found as well. */
  closeSilent(): void;
}

export async function openDoor(http: HttpServer, clock: Clock): Promise<Door> {
  // The same as for an HTTP server that listens, except for the pause.
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
  server.maxConnections = await connectionsMax();
  // With this event the HTTP server begins to watch how long its connections take.
  http.emit('listening');
  const sockets = new Set<Socket>();
  const ofNetwork = new Map<string, number>();
  // Half of all, even where the process may open few files: others must get in.
  const ofAddressMax = () =>
    Math.max(1, Math.min(bounds.shares.connectionsOfAddress, Math.floor(server.maxConnections / 2)));
  const arrivals = openArrivals(http, clock);
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted++;
    const network = networkOf(socket.remoteAddress ?? '');
    const count = (ofNetwork.get(network) ?? 0) + 1;
    if (count > ofAddressMax()) {
      socket.destroy();
      return;
    }
    ofNetwork.set(network, count);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (ofNetwork.get(network) ?? 1) - 1;
      if (left === 0) ofNetwork.delete(network);
      else ofNetwork.set(network, left);
    });
    arrivals.add(socket, network);
  });
  return {
    server,
    sockets,
    acceptArrived: (boundMs) => untilQuiet(() => accepted, boundMs),
    closeSilent: () => arrivals.closeSilent(),
  };
}

/** A connection that has not sent a request yet. */
interface Arrival {
  readonly network: string;
  /** When its turn came; undefined before that. */
  readSinceMs: number | undefined;
  /** Whether it was silent for too long when somebody last looked. */
  isSuspected: boolean;
}

interface Arrivals extends Pick<Door, 'closeSilent'> {
  add(socket: Socket, network: string): void;
}

/** Gives the connections their turns to be read, and knows those that have not sent a request yet. */
function openArrivals(http: HttpServer, clock: Clock): Arrivals {
  const crowd = openCrowd(clock, { atOnce: () => bounds.shares.requestsAtOnce, isCompany: () => true });
  const all = new Map<Socket, Arrival>();
  const arrived = (socket: Socket): void => {
    const arrival = all.get(socket);
    if (arrival !== undefined && all.delete(socket)) crowd.leave(arrival.network);
  };
  http.on('request', ({ socket }: IncomingMessage) => arrived(socket));
  return {
    add: (socket, network) => {
      const arrival: Arrival = { network, readSinceMs: undefined, isSuspected: false };
      all.set(socket, arrival);
      socket.once('close', () => arrived(socket));
      const serve = (): void => {
        if (socket.destroyed) return;
        arrival.readSinceMs = clock.monotonicMs();
        http.emit('connection', socket);
        socket.resume();
      };
      const turn = crowd.enter(network);
      if (turn === undefined) serve();
      else void turn.then(serve);
    },
    closeSilent: () => {
      const beforeMs = clock.monotonicMs() - bounds.http.silentMs;
      for (const [socket, arrival] of all) {
        const { readSinceMs = Number.POSITIVE_INFINITY } = arrival;
        const isSilent = socket.bytesRead === 0 && readSinceMs <= beforeMs;
        // After a pause of this process, what has come meanwhile is read before the next look.
        if (isSilent && arrival.isSuspected) socket.destroy();
        arrival.isSuspected = isSilent;
      }
    },
  };
}

/** As many as the bound says, or as the open files of this process allow: past that nothing could be opened any more. */
async function connectionsMax(): Promise<number> {
  const files = await openFilesMax();
  return Math.max(1, Math.min(bounds.http.connections, files - bounds.http.spareFiles));
}

/** How many files and sockets this process may open. Only Linux tells. */
async function openFilesMax(): Promise<number> {
  try {
    const [, soft] = /^Max open files\s+([0-9]+)/m.exec(await readFile('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
