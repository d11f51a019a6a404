// Many requests of one org at once, refused ones included, do not delay a request of another org.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lowerBounds } from '../support/lower-bounds.ts';
import { openConnection } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let restoreBounds: () => void;

beforeAll(async () => {
  restoreBounds = lowerBounds({ shares: { requestsAtOnce: 2, crowdPauseMs: 150, crowdWaiting: 30 } });
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  restoreBounds();
});

test('a request of another org is answered before a crowd, and each of the crowd is answered', async () => {
  const [noisy, quiet] = [await service.newClient(), await service.newClient()];
  await quiet.get('/self/');
  const answered: string[] = [];
  const ask = async (name: string, client: typeof noisy) => {
    const { status } = await client.get('/self/');
    answered.push(name);
    return status;
  };
  const crowd = Array.from({ length: 20 }, () => ask('noisy', noisy));
  const asked = ask('quiet', quiet);
  expect(await Promise.all([...crowd, asked])).toEqual(Array(21).fill(200));
  // Two of the crowd begin at once, and one more may while the other org's request is on its way.
  expect(answered.indexOf('quiet')).toBeLessThan(10);
});

test('refusals wait in the crowd as well, and beyond its bound requests are refused at once', async () => {
  const [noisy, quiet] = [await service.newClient(), await service.newClient()];
  await quiet.get('/self/');
  const connection = await openConnection(service.port);
  const head = `Host: a\r\nAuthorization: Bearer ${noisy.key}\r\n\r\n`;
  connection.send(`GET /rest/v1/self/?nothing=1 HTTP/1.1\r\n${head}`.repeat(40));
  const statuses: number[] = [];
  while (statuses.length < 40) statuses.push((await connection.answer()).status);
  // Two begin at once, thirty wait.
  expect(statuses).toEqual([...Array(32).fill(400), ...Array(8).fill(503)]);
  connection.destroy();
});

test('requests that were refused make no room for others', async () => {
  const [noisy, quiet] = [await service.newClient(), await service.newClient()];
  await quiet.get('/self/');
  const request = `GET /rest/v1/self/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${noisy.key}\r\n\r\n`;
  const [crowd, refused, late] = await Promise.all([1, 2, 3].map(() => openConnection(service.port)));
  crowd?.send(request.repeat(32));
  await crowd?.answer();
  refused?.send(request.repeat(40));
  await refused?.answer();
  late?.send(request);
  const answers = { crowd: 1, late: 0 };
  const counted = async () => {
    for (; answers.crowd < 32; answers.crowd++) await crowd?.answer();
  };
  const [, last] = await Promise.all([
    counted(),
    late?.answer().then(({ status }) => ({ status, after: answers.crowd })),
  ]);
  // It waits behind the crowd, or is refused as well.
  expect(last?.status === 503 || (last?.after ?? 0) > 20, JSON.stringify(last)).toBe(true);
  for (const connection of [crowd, refused, late]) connection?.destroy();
});
