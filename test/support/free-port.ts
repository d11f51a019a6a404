// A port of this machine that nobody uses at this moment.
import { type AddressInfo, createServer } from 'node:net';

export async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => {
    listener.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => {
    listener.close(resolve);
  });
  return port;
}
