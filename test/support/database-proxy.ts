// A proxy to the database that a test can cut and restore, as if the server died and came back, or freeze, as if it were
// there and said nothing any more.
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

export interface DatabaseProxy {
  /** The database's address by way of the proxy. */
  readonly url: string;
  /** Ends every connection and accepts no new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** From now on everything is accepted and swallowed, also on new connections. */
  freeze(): void;
  /** New connections work again; those of before stay dead. */
  thaw(): void;
  /** New connections lead to another server from now on, as an address that was moved does. */
  moveTo(databaseUrl: string): void;
}

export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let target = databaseUrl;
  const swallow = (socket: Socket) => {
    socket.unpipe();
    socket.resume();
  };
  const pipe = (client: Socket) => {
    if (isFrozen) {
      sockets.add(client);
      client.on('error', () => {});
      client.on('close', () => sockets.delete(client));
      swallow(client);
      return;
    }
    const server = connect(targetOf(target));
    for (const [from, to] of [[client, server] as const, [server, client] as const]) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  };
  let listener = await listen(pipe, 0);
  const { port } = listener.address() as { port: number };
  return {
    url: proxied(databaseUrl, port),
    cut: async () => {
      const closed = new Promise((resolve) => {
        listener.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    restore: async () => {
      listener = await listen(pipe, port);
    },
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) swallow(socket);
    },
    thaw: () => {
      isFrozen = false;
    },
    moveTo: (url) => {
      target = url;
    },
  };
}

function listen(pipe: (client: Socket) => void, port: number): Promise<Server> {
  const listener = createServer(pipe);
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ host: '127.0.0.1', port }, () => resolve(listener));
  });
}

/** The server's socket file where the address names its folder, else host and port. */
export function targetOf(databaseUrl: string): NetConnectOpts {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  const port = Number(url.port || 5432);
  return folder === null ? { host: url.hostname, port } : { path: `${folder}/.s.PGSQL.${port}` };
}

/** The same database by way of the proxy. */
export function proxied(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}
