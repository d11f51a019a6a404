// Clients that are gone before their long bodies were read to the end: what their orgs had in flight is given back.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('no byte of a body stays in flight when its client has gone, whenever it went', async () => {
  const { key } = await service.createKey(await service.createOrg({ quota: 1_000_000, windowSeconds: 60 }));
  const body = `{"filter":{"or":[${Array(18_000).fill('{"property":"no_such_name","operator":"eq","value":"x"}').join()}]}}`;
  const head = [
    'POST /rest/v1/objects/svc_contact/records/query/ HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  // Beside another org, long bodies are read with pauses.
  const other = await service.newClient();
  const leave = async (afterMs: number): Promise<void> => {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    await new Promise<void>((resolve) => {
      socket.write(`${head}\r\n\r\n${body}`, () => resolve());
    });
    await new Promise((resolve) => {
      setTimeout(resolve, afterMs);
    });
    socket.destroy();
  };
  for (let round = 0; round < 3; round++) {
    await other.get('/self/');
    await Promise.all(Array.from({ length: 20 }, (_, index) => leave(4 * index)));
  }
  const inFlight = async () => {
    const { text } = await service.client().raw('GET', '/metrics');
    return /^orrery_bytes_in_flight (\S+)$/m.exec(text)?.[1];
  };
  await expect.poll(inFlight, { timeout: 20_000, interval: 1_100 }).toBe('0');
});
