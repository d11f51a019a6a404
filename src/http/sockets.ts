// The open connections: how many there may be, of all clients and of one address.
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { bounds } from '../base/limits.ts';
import { networkOf } from '../engine/shares/network.ts';

/** The sockets of the server, whose `maxConnections` is set. A connection beyond the share of its address is closed at once. */
export function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const ofNetwork = new Map<string, number>();
  // Half of all, even where the process may open few files: others must get in.
  const ofAddressMax = () =>
    Math.max(1, Math.min(bounds.shares.connectionsOfAddress, Math.floor(server.maxConnections / 2)));
  server.on('connection', (socket: Socket) => {
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
  });
  return sockets;
}

/** As many as the bound says, or as the open files of this process allow: past that nothing could be opened any more. */
export async function connectionsMax(): Promise<number> {
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
