// A PostgreSQL server with TLS, or without: a proxy that answers the request for TLS itself and passes on the rest.
import { connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { proxied, targetOf } from '../database-proxy.ts';
import type { Certificate } from './certificate.ts';

export interface TlsProxy {
  readonly url: string;
  /** How each connection began: with a request for TLS, or with anything else. */
  readonly beginnings: readonly ('tls wanted' | 'plain')[];
  close(): Promise<void>;
}

/** `refuses`: it has no TLS. `breaks`: it says that it has, and closes the connection. */
export async function startTlsProxy(databaseUrl: string, offer: Certificate | 'refuses' | 'breaks'): Promise<TlsProxy> {
  const beginnings: ('tls wanted' | 'plain')[] = [];
  const sockets = new Set<Socket>();
  const pass = (client: Socket) => {
    const server = connect(targetOf(databaseUrl));
    for (const [from, to] of [[client, server] as const, [server, client] as const]) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  };
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      // The request for TLS has the length 8 and the version 1234.5679.
      const wanted = bytes.toString('hex') === '0000000804d2162f';
      beginnings.push(wanted ? 'tls wanted' : 'plain');
      if (!wanted) {
        socket.unshift(bytes);
        pass(socket);
      } else if (offer === 'refuses') {
        socket.write('N');
        pass(socket);
      } else {
        socket.write('S');
        if (offer === 'breaks') socket.end();
        else pass(new TLSSocket(socket, { isServer: true, ...offer }));
      }
    });
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const { port } = listener.address() as { port: number };
  return {
    url: proxied(databaseUrl, port),
    beginnings,
    close: async () => {
      const closed = new Promise((resolve) => {
        listener.close(resolve);
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
