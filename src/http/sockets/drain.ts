// The end of a server: what has come is answered, then nothing more is accepted, and no client can delay the end for longer
// than the bound. A listener that closes resets the connections that nobody has accepted yet, so it accepts them first.
import type { Server as HttpServer } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import type { Door } from './door.ts';

interface Ending {
  announce(): void;
  isAnnounced(): boolean;
  /** Whether a request that begins now might be cut off. */
  isNear(): boolean;
}

export function openEnding(clock: Clock, timeoutMs: number): Ending {
  let announcedAtMs: number | undefined;
  return {
    announce: () => {
      announcedAtMs ??= clock.monotonicMs();
    },
    isAnnounced: () => announcedAtMs !== undefined,
    // The other half of the time suffices for the longest statement.
    isNear: () => announcedAtMs !== undefined && clock.monotonicMs() - announcedAtMs > timeoutMs / 2,
  };
}

export async function drain(door: Door, http: HttpServer, timeoutMs: number): Promise<void> {
  const { server, sockets } = door;
  const cut = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, timeoutMs);
  await door.acceptArrived(Math.min(bounds.http.acceptArrivedMs, timeoutMs / 2));
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const sweep = (): void => {
    door.closeSilent();
    // Node counts a connection as idle from the end of its answer, of which the last bytes may not have left yet.
    const isSending = [...sockets].some((socket) => socket.writableLength > 0);
    if (!isSending) http.closeIdleConnections();
  };
  sweep();
  const sweeping = setInterval(sweep, bounds.http.drainSweepMs);
  await closed;
  clearInterval(sweeping);
  clearTimeout(cut);
  // Now it stops watching how long its connections take.
  http.close();
}
