// Requests made from the served document (valid, nearly valid and hostile, for every operation, parameter, header and
// body), and each answer compared with it: declared, of its shape, and without a trace of the service's inside.
// GENERATED_SEED repeats a run. `npm run soak` does the same with 200,000 requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { Contract } from '../support/contract.ts';
import { answerFindings } from '../support/openapi/answer-findings.ts';
import type { GeneratedRequest } from '../support/openapi/generated-requests.ts';
import { runGenerated } from '../support/openapi/generated-run.ts';
import { seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

const seed = seedFrom('GENERATED_SEED');
const wanted = Number(process.env['GENERATED_REQUESTS'] ?? 1_200);

let service: TestService;
const clients: { readonly full: string; readonly narrow: string }[] = [];
beforeAll(async () => {
  service = await startService();
  for (let count = 0; count < 3; count++) {
    const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
    const { key: full } = await service.createKey(orgId);
    const grants = [{ objectTypes: ['svc_contact', 'svc_company'], operations: ['read', 'create'] as const }];
    const { key: narrow } = await service.createKey(orgId, { grants });
    clients.push({ full, narrow });
  }
});
afterAll(() => service.stop());

test('every answer to a generated request is as the document says', async () => {
  const report = await runGenerated({ port: service.port, clients, count: wanted, seed });
  expect(report.findings).toEqual([]);
  expect(report.requests).toBeGreaterThanOrEqual(wanted);
  expect(Object.keys(report.operations)).toHaveLength(20);
  // Enough of them succeed, and enough are refused, for the run to prove something.
  for (const status of ['200', '201', '207', '400', '404']) {
    expect(report.statuses[status] ?? 0, JSON.stringify(report.statuses)).toBeGreaterThan(wanted / 300);
  }
  expect(service.logLines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
});

describe('the check of an answer finds', () => {
  const request: GeneratedRequest = {
    operation: 'listObjectTypes',
    kind: 'valid',
    caller: 'full',
    method: 'GET',
    path: '/objects/?x=from%20the%20request%20at%20a%20(file.ts:1:2)',
    headers: {},
    body: undefined,
  };
  let client: Client;
  let contract: Contract;
  beforeAll(async () => {
    client = service.client(clients[0]?.full);
    contract = new Contract((await client.raw('GET', '/rest/v1/openapi.json')).text, 'every answer');
  });

  const findingsOf = async (change: (answer: Answer) => Partial<Answer>) => {
    const answer = await client.raw('GET', '/rest/v1/objects/');
    return answerFindings(contract, request, { ...answer, ...change(answer) }, client.key);
  };
  const detail = (text: string) => (answer: Answer) => ({
    text: answer.text.replace('"label":"', `"label":"${text} `),
  });

  test('nothing in an answer as it was served', async () => {
    expect(await findingsOf(() => ({}))).toEqual([]);
  });

  test.each<[what: string, change: (answer: Answer) => Partial<Answer>]>([
    ['an error of the service', () => ({ status: 500 })],
    ['a status that is not declared', () => ({ status: 206 })],
    [
      'a missing header',
      ({ headers }) => ({ headers: new Headers([...headers].filter(([name]) => name !== 'ratelimit')) }),
    ],
    ['another media type', ({ headers }) => ({ headers: new Headers([...headers, ['content-type', 'text/html']]) })],
    ['a body of another shape', ({ body }) => ({ body: { ...body, data: {} } })],
    ['a member too many', ({ body }) => ({ body: { ...body, stack: [] } as unknown as Answer['body'] })],
    ['a stack', detail('TypeError: x\\n    at run (file:///srv/dist/main.js:10:20)')],
    ['a path', detail('no such file /tmp/orrery/data')],
    ['a source', detail('in src/store/open.ts')],
    ['a statement', detail('select id from orrery.record where org_id = $1')],
    ['an error of the database', detail('duplicate key value violates unique constraint')],
    ['an object that was printed', detail('[object Object]')],
    ['a key', (answer) => ({ text: answer.text.replace('"label":"', `"label":"${client.key}`) })],
  ])('%s', async (_, change) => {
    expect((await findingsOf(change)).length).toBeGreaterThan(0);
  });

  test('nothing in a text that the request itself had', async () => {
    expect(await findingsOf(detail('at a (file.ts:1:2)'))).toEqual([]);
  });
});
