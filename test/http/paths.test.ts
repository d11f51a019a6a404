// Other spellings of a path: each has one fixed answer, none bypasses the rate limit, and none leaves a trace.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem, expectStandardHeaders, openConnection, sendOnce } from '../support/raw-connection.ts';
import { startService, type TestService } from '../support/service.ts';
import { snapshotOf } from '../support/stored-rows.ts';

let service: TestService;
let authorization: string;
beforeAll(async () => {
  service = await startService();
  const { key } = await service.createKey(await service.createOrg());
  authorization = `Authorization: Bearer ${key}`;
});
afterAll(() => service.stop());

const get = (target: string, ...headers: readonly string[]) =>
  [`GET ${target} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');

/** Below /rest/v1: answered by the API, which counts them. */
const unknownPaths = [
  '/rest/v1//',
  '/rest/v1//self/',
  '/rest/v1/self//',
  '/rest/v1/./self/',
  '/rest/v1/self/./',
  '/rest/v1/self/..',
  '/rest/v1/objects/../self/',
  '/rest/v1/../v1/self/',
  '/rest/v1/../../healthz',
  '/rest/v1/%2e/self/',
  '/rest/v1/%2e%2e/v1/self/',
  '/rest/v1/self%2f',
  '/rest/v1/%2fself/',
  '/rest/v1/self/%00',
  '/rest/v1/self%00/',
  '/rest/v1/%zz/',
  '/rest/v1/%',
  '/rest/v1/%e4/',
  '/rest/v1/%c0%af/',
  '/rest/v1/SELF/',
  '/rest/v1/Self/',
  '/rest/v1/self;x',
  '/rest/v1/self/;x=1',
  '/rest/v1/self;/',
  '/rest/v1/self%3f',
  '/rest/v1/self/%23',
  '/rest/v1/self/#fragment',
  '/rest/v1/self\\',
  '/rest/v1/self%20/',
  '/rest/v1/self%0d%0aX-Injected:%201/',
  '/rest/v1/self/index.html',
  '/rest/v1/*',
  '/rest/v1/:object_type/',
  '/rest/v1/__proto__/',
  `/rest/v1/${'a'.repeat(4_000)}/`,
  '/rest/v1/s%C3%A9lf/',
  '/rest/v1/%F0%9F%9A%80/',
];

test.each(unknownPaths.map((path) => [path.slice(0, 60), path]))('%s is an unknown path', async (_, path) => {
  const answer = await sendOnce(service.port, get(path, authorization));
  expectProblem(answer, 404, 'not_found', 'route_unknown');
  expect(answer.headers.has('location')).toBe(false);
  expect(answer.headers.has('x-injected')).toBe(false);
  expect(answer.headers.get('ratelimit-policy')).toMatch(/^"org"/);
});

test.each([
  ['%2e%2e', '..'],
  ['%2E', '.'],
  ['a%2fb', 'a/b'],
  ['%2fself', '/self'],
  ['%00', '\0'],
  ['svc_contact%00', 'svc_contact\0'],
  ['SVC_CONTACT', 'SVC_CONTACT'],
  ['svc_contact;x', 'svc_contact;x'],
  ['svc%5fcontact%20', 'svc_contact '],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['%F0%9F%9A%80', '🚀'],
  ['%C3%A9', 'é'],
  ['x'.repeat(4_000), 'x'.repeat(4_000)],
  ['%27%20or%201=1--', "' or 1=1--"],
])('the object type %s is as unknown as any other', async (segment, name) => {
  const answer = await sendOnce(service.port, get(`/rest/v1/objects/${segment}/`, authorization));
  expectProblem(answer, 404, 'not_found', 'object_type_unknown');
  // The name may be shortened, but never changed.
  expect(answer.body.detail).toContain(JSON.stringify(name.slice(0, 40)).slice(1, -1));
});

/** Outside /rest/v1, whatever they look like: not a page, and not redirected to a similar path. */
test.each([
  '//',
  '///',
  '//rest/v1/self/',
  '/rest//v1/self/',
  '/rest/./v1/self/',
  '/./rest/v1/self/',
  '/x/../rest/v1/self/',
  '/rest/%76%31/self/',
  '/rest%2fv1%2fself',
  '/%72est/v1/self/',
  '/REST/V1/SELF/',
  '/rest/v1;x/self/',
  '/rest/v10/self/',
  '/healthz//',
  '//healthz',
  '/HEALTHZ',
  '/docs/../healthz',
  '/docs/errors/index.html',
  '/metrics%00',
  '/.env',
  '/rest/v2/self/',
])('%s is not found', async (path) => {
  const answer = await sendOnce(service.port, get(path, authorization));
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', reason: 'route_unknown' } });
  expect(answer.headers.has('location')).toBe(false);
  expect(answer.headers.get('svc-request-id')).toBe(answer.body.request_id);
});

test('a path with and without its slash, or with letters escaped, is served the same', async () => {
  for (const path of ['/rest/v1/self/', '/rest/v1/self', '/rest/v1/%73elf/', '/rest/v1', '/rest/v1/']) {
    const answer = await sendOnce(service.port, get(path, authorization));
    expect(answer.status, path).toBe(200);
    expectStandardHeaders(answer);
  }
});

test('every spelling counts against the same bucket, and leaves nothing in the database but the count', async () => {
  const orgId = await service.createOrg({ quota: 1_000, windowSeconds: 60 });
  const { key } = await service.createKey(orgId);
  const connection = await openConnection(service.port);
  const before = await snapshotOf(service);
  let expected = 1_000;
  for (const path of unknownPaths) {
    connection.send(get(path, `Authorization: Bearer ${key}`, 'X-Forwarded-For: 10.0.0.1'));
    const { headers } = await connection.answer();
    expect(headers.get('ratelimit'), path).toMatch(new RegExp(`^"org";r=${--expected};t=`));
  }
  connection.destroy();
  expect(await snapshotOf(service)).toEqual(before);
});
