// A balancer in front of several poolers: each new connection goes to the next of them.
import { connect, createServer, type Socket } from 'node:net';

interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const listener = createServer((client) => {
    const target = new URL(urls[turn++ % urls.length] ?? '');
    const server = connect({ host: target.hostname, port: Number(target.port) });
    for (const [from, to] of [[client, server] as const, [server, client] as const]) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    listener.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const { port } = listener.address() as { port: number };
  const url = new URL(urls[0] ?? '');
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        listener.close(resolve);
      });
    },
  };
}
