// A proxy to the database that breaks at the worst moment: when bytes that a test names are sent, either before they reach
// the server, or after it has acted on them and before its answer comes back. The service cannot tell the two apart.
import { connect, createServer, type Socket } from 'node:net';
import { proxied, targetOf } from '../database-proxy.ts';

export interface LossyProxy {
  /** The database's address by way of the proxy. */
  readonly url: string;
  /** Breaks the next connection on which these bytes are sent; resolves when it has. */
  breakAt(bytes: string, when: 'before' | 'after'): Promise<void>;
  close(): Promise<void>;
}

interface Trap {
  readonly bytes: string;
  readonly when: 'before' | 'after';
  sprung(): void;
}

export async function startLossyProxy(databaseUrl: string): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  let trap: Trap | undefined;
  const listener = createServer((client) => {
    const server = connect(targetOf(databaseUrl));
    let caught: Trap | undefined;
    const destroy = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', destroy);
      socket.on('close', () => {
        sockets.delete(socket);
        destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (trap !== undefined && chunk.includes(trap.bytes)) {
        caught = trap;
        trap = undefined;
        if (caught.when === 'before') {
          destroy();
          caught.sprung();
          return;
        }
      }
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (caught === undefined) {
        client.write(chunk);
        return;
      }
      destroy();
      caught.sprung();
    });
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const { port } = listener.address() as { port: number };
  return {
    url: proxied(databaseUrl, port),
    breakAt: (bytes, when) =>
      new Promise((resolve) => {
        trap = { bytes, when, sprung: resolve };
      }),
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
