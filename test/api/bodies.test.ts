// The bodies that operations accept, on every operation that takes one (contract 2, 8 and 9): JSON in UTF-8, bounded in
// size with any framing, refused as a problem and never as an error of the service.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/operations/all.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { type Example, exampleOf } from '../support/operation-examples.ts';
import { openConnection, sendOnce } from '../support/raw-connection.ts';
import { contacts, faultsOf, listedIds } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
});
afterAll(() => service.stop());

const taking = operations.flatMap((operation) =>
  operation.body === undefined ? [] : ([[operation.id, operation]] as const),
);
const mebibyte = 1_048_576;
const json = 'Content-Type: application/json';
const secret = 'body-of-a-secret';

/** The head of a request and the bytes after it, as they are. */
function textOf({ method, path }: Pick<Example, 'method' | 'path'>, headers: readonly string[], bytes: Buffer): string {
  const key = `Authorization: Bearer ${client.key}`;
  const lines = [`${method} /rest/v1${path} HTTP/1.1`, `Host: 127.0.0.1:${service.port}`, key, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`;
}

/** One checked exchange over a bare socket; a length is sent unless the headers say how the body is framed. */
async function send(example: Example, headers: readonly string[], body = example.body ?? ''): Promise<Answer> {
  return sendBytes(example, headers, Buffer.from(body));
}

async function sendBytes(example: Example, headers: readonly string[], bytes: Buffer): Promise<Answer> {
  const framed = headers.some((header) => /^(content-length|transfer-encoding)/i.test(header));
  const text = textOf(example, [...headers, ...(framed ? [] : [`Content-Length: ${bytes.length}`])], bytes);
  return client.verify(example.method, example.path, await sendOnce(service.port, text));
}

const chunked = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const mediaTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON;charset=UTF-8',
  'application/json ; charset="utf-8"',
];

const unsupported: readonly (readonly string[])[] = [
  [],
  ['Content-Type: text/plain'],
  ['Content-Type: application/x-www-form-urlencoded'],
  ['Content-Type: multipart/form-data; boundary=x'],
  ['Content-Type: application/merge-patch+json'],
  ['Content-Type: application/vnd.api+json'],
  ['Content-Type: application/json; charset=utf-16'],
  ['Content-Type: application/json, text/plain'],
  [json, 'Content-Encoding: gzip'],
  [json, 'Content-Encoding: identity, gzip'],
];

/** Each holds the secret somewhere, which no answer may repeat. */
const malformed: Readonly<Record<string, string | Buffer>> = {
  'white space alone': '  \n',
  'an object that does not end': `{"properties":{"a":"${secret}"`,
  'a comma too many': `{"properties":{},"${secret}":1,}`,
  'single quotes': `{'${secret}':1}`,
  'a word that is not JSON': secret,
  'not a number': `{"${secret}":NaN}`,
  'a number with a zero in front': `{"${secret}":01}`,
  'two documents': `{"${secret}":1}{"properties":{}}`,
  'a comment': `{"properties":{}} // ${secret}`,
  'a bare line feed in a text': `{"${secret}":"a\nb"}`,
  'a broken escape': `{"${secret}":"\\u12"}`,
  'a byte that UTF-8 never has': Buffer.from(`{"${secret}":"\xff"}`, 'latin1'),
  'half a character': Buffer.from(`{"${secret}":"\xc3"}`, 'latin1'),
  'an overlong slash': Buffer.from(`{"${secret}":"\xc0\xaf"}`, 'latin1'),
  'a surrogate as bytes': Buffer.from(`{"${secret}":"\xed\xa0\x80"}`, 'latin1'),
  'UTF-16 with a mark': Buffer.from(`\ufeff{"${secret}":1}`, 'utf16le'),
  'two byte order marks': '\ufeff\ufeff{"properties":{}}',
};

describe.each(taking)('%s', (_, operation) => {
  const { status } = operation.answer;
  const bytesMax = operation.id === 'batch' ? 8 * mebibyte : mebibyte;
  const example = () => exampleOf(operation, client);

  test('takes JSON with a length or in chunks, with white space around it, and with a byte order mark', async () => {
    const spaced = await example();
    expect((await send(spaced, [json], ` \r\n\t${spaced.body}\n `)).status).toBe(status);
    // RFC 8259 lets a parser pass over it, and clients on Windows send it.
    const marked = await example();
    expect((await send(marked, [json], `\ufeff${marked.body}`)).status).toBe(status);
    const parted = await example();
    const answer = await send(parted, [json, 'Transfer-Encoding: chunked'], chunked(parted.body ?? ''));
    expect(answer.status, answer.text).toBe(status);
  });

  test('takes the media type of JSON in any spelling, and no other media type or encoding', async () => {
    for (const type of mediaTypes) {
      expect((await send(await example(), [`Content-Type: ${type}`])).status, type).toBe(status);
    }
    const refused = await example();
    for (const headers of unsupported) {
      const answer = await send(refused, headers);
      expect(answer.status, headers.join()).toBe(415);
      await expectProblem(answer, 'unsupported_media_type');
    }
    const packed = await sendBytes(refused, [json, 'Content-Encoding: gzip'], gzipSync(refused.body ?? ''));
    await expectProblem(packed, 'unsupported_media_type');
  });

  test('refuses a missing or empty body, with a length or in chunks', async () => {
    const bare = { ...(await example()), body: undefined };
    for (const [headers, body] of [
      [[json, 'Content-Length: 0'], ''],
      [['Content-Length: 0'], ''],
      [[json, 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ] as const) {
      const answer = await send(bare, headers, body);
      await expectProblem(answer, 'invalid_request', 'body_required');
      expect(faultsOf(answer)).toEqual([{ pointer: '', reason: 'body_required' }]);
    }
    const fetched = await client.call(bare.method, bare.path);
    await expectProblem(fetched, 'invalid_request', 'body_required');
  });

  test('refuses anything but JSON in UTF-8 as malformed, and does not repeat it', async () => {
    const refused = await example();
    for (const [what, body] of Object.entries(malformed)) {
      const answer = await sendBytes(refused, [json], Buffer.from(body));
      expect(answer.body.reason, what).toBe('malformed_json');
      await expectProblem(answer, 'invalid_request', 'malformed_json');
      expect(faultsOf(answer)).toEqual([{ pointer: '', reason: 'malformed_json' }]);
      expect(answer.text, what).not.toContain(secret);
    }
  });

  test('refuses JSON that is not an object', async () => {
    const refused = await example();
    for (const body of ['[]', 'null', '1', '"text"', 'true', `[${refused.body}]`]) {
      const answer = await send(refused, [json], body);
      await expectProblem(answer, 'invalid_request', 'invalid_member');
      expect(faultsOf(answer), body).toEqual([{ pointer: '', reason: 'invalid_member' }]);
    }
  });

  test('refuses members that every object inherits, if they are sent', async () => {
    const refused = await example();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const answer = await send(refused, [json], `{"${name}":1,${refused.body?.slice(1)}`);
      await expectProblem(answer, 'invalid_request', 'unknown_member');
      expect(faultsOf(answer)).toMatchObject([{ pointer: `/${name}` }]);
    }
  });

  test('takes as many bytes as the limit allows, and not one more, with a length or in chunks', async () => {
    const [exact, over] = [await example(), await example()];
    await expectProblem(
      await send(exact, [json], exact.body?.padEnd(bytesMax)),
      'payload_too_large',
      'too_many_blanks',
    );
    // Blanks are the only thing that every body can have more of.
    const usual = lowerBounds({ shares: { bodyRunBytes: 2 * bytesMax } });
    const taken = await send(exact, [json], exact.body?.padEnd(bytesMax));
    expect(taken.status, taken.text.slice(0, 200)).toBe(status);
    const long = over.body?.padEnd(bytesMax + 1) ?? '';
    for (const answer of [
      await send(over, [json], long),
      await send(over, [json, 'Transfer-Encoding: chunked'], chunked(long)),
    ]) {
      await expectProblem(answer, 'payload_too_large', 'body_too_large');
      expect(answer.body.detail).toContain(String(bytesMax));
    }
    usual();
  });

  test.each([
    ['half a million brackets', 500_000],
    ['1,001 brackets', 1_001],
  ])('refuses %s, and objects in objects, in every place that takes them', async (_name, depth) => {
    const closed = '['.repeat(depth) + ']'.repeat(depth);
    const levels = Math.min(depth, 150_000);
    const objects = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    const inItem = (member: string) => `{"operations":[{"operation":"delete","object_type":"svc_contact",${member}}]}`;
    const places =
      operation.id === 'batch'
        ? [`{"operations":[${closed}]}`, inItem(`"id":${closed}`), inItem(`"id":{"ref":${objects}}`)]
        : [
            `{"properties":{"svc_first_name":${closed}}}`,
            `{"properties":{"svc_email":[${objects}]}}`,
            `{"properties":{},"associations":[${objects}]}`,
          ];
    const refused = await example();
    for (const sent of ['['.repeat(depth), closed, ...places, `{"more":${objects}}`]) {
      await expectProblem(await send(refused, [json], sent), 'invalid_request', 'too_deep');
    }
  });

  test('refuses a body with more unknown members than it reports', async () => {
    const many = Array.from({ length: 600 }, (_each, index) => `"z${index}":1`).join(',');
    const { body, ...rest } = await example();
    const answer = await send({ ...rest, body }, [json], `{${many},${(body ?? '{}').slice(1)}`);
    expect([answer.status, answer.body.reason]).toEqual([400, 'unknown_member']);
  });

  test('answers an object full of unknown names soon, with a bounded list', async () => {
    const values = `{${Array.from({ length: 2_000 }, (_each, index) => `"svc_frist_nam${index}":1`).join(',')}}`;
    const item = `{"operation":"create","object_type":"svc_contact","properties":${values}}`;
    const body =
      operation.id === 'batch' ? `{"operations":[${Array(100).fill(item).join()}]}` : `{"properties":${values}}`;
    const refused = await example();
    let answer: Answer | undefined;
    const tookMs = await cpuMsOf(async () => {
      answer = await send(refused, [json], body);
    });
    expect(tookMs).toBeLessThan(5_000);
    expect([400, 422, 207]).toContain(answer?.status);
    expect(answer?.text.length).toBeLessThan(500_000);
    const more = await send(refused, [json], body.replaceAll('{"svc_frist_nam0"', '{"one_more":1,"svc_frist_nam0"'));
    await expectProblem(more, 'payload_too_large', 'too_many_members');
  });

  test('refuses more members and elements than it takes, whatever they are', async () => {
    const valuesMax = operation.id === 'batch' ? 500_000 : 160_000;
    const refused = await example();
    for (const [each, values] of [
      ['1', 1],
      ['{}', 2],
      ['[1]', 2],
      ['{"a":{}}', 3],
    ] as const) {
      const body = `{"operations":[${Array(Math.ceil(valuesMax / values))
        .fill(each)
        .join()}]}`;
      const answer = await send(refused, [json], body);
      await expectProblem(answer, 'payload_too_large', 'body_values');
      expect(answer.body.detail).toContain(String(valuesMax));
    }
  });

  test('takes a body in 3,000 chunks, or in 2,000 of one byte, but neither 20,000 nor 3,000 of one byte', async () => {
    const sendChunks = async (chunks: number, bytes: number, body?: string) => {
      const sent = await example();
      const text = Buffer.from((body ?? sent.body ?? '').padEnd(chunks * bytes));
      const framed: string[] = [];
      for (let from = 0; from < text.length; from += bytes) {
        const chunk = text.subarray(from, from + bytes);
        framed.push(`${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`);
      }
      return sendBytes(
        sent,
        [json, 'Transfer-Encoding: chunked'],
        Buffer.from(`${framed.join('')}0\r\n\r\n`, 'latin1'),
      );
    };
    expect((await sendChunks(3_000, 20)).status).toBe(status);
    expect((await sendChunks(2_000, 1)).status).toBe(status);
    const long = await sendChunks(20_000, 16, `{"text":"${'x'.repeat(300_000)}"}`);
    await expectProblem(long, 'payload_too_large', 'too_many_chunks');
    await expectProblem(await sendChunks(3_000, 1), 'payload_too_large', 'too_many_chunks');
  });
});

test.each([
  ['two media types', [json, 'Content-Type: text/plain']],
  ['two media types in the other order', ['Content-Type: text/plain', json]],
  ['two idempotency keys', [json, 'Idempotency-Key: a', 'Idempotency-Key: b']],
  ['a dry run that is and is not', [json, 'Svc-Dry-Run: true', 'Svc-Dry-Run: false']],
  ['a dry run twice', [json, 'Svc-Dry-Run: true', 'Svc-Dry-Run: true']],
])('%s in one request are refused, because one of them would be ignored', async (_, headers) => {
  const before = await listedIds(client, 'svc_contact');
  const answer = await send({ method: 'POST', path: contacts, body: '{"properties":{}}' }, headers);
  expect([400, 415], answer.text).toContain(answer.status);
  expect(await listedIds(client, 'svc_contact')).toEqual(before);
});

test.each([
  ['of two values', ['Content-Length: 2', 'Content-Length: 3']],
  ['of one value', ['Content-Length: 2', 'Content-Length: 2']],
  ['beside chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
])('two lengths %s are refused as malformed, and the connection closes', async (_, headers) => {
  const answer = await sendOnce(
    service.port,
    textOf({ method: 'POST', path: contacts }, [json, ...headers], Buffer.from('{}')),
  );
  await expectProblem(answer, 'invalid_request', 'malformed_http');
  expect(answer.closes).toBe(true);
});

test('after a refused body, the connection serves the next request', async () => {
  const connection = await openConnection(service.port);
  const request = (body: string) =>
    textOf({ method: 'POST', path: contacts }, [json, `Content-Length: ${body.length}`], Buffer.from(body));
  try {
    for (const [body, status] of [
      ['{', 400],
      ['{"properties":{}}', 201],
      ['{"properties":{"nope":1}}', 422],
      ['{"properties":{}}', 201],
    ] as const) {
      connection.send(request(body));
      expect((await client.verify('POST', contacts, await connection.answer())).status).toBe(status);
    }
  } finally {
    connection.destroy();
  }
});

describe('Expect: 100-continue', () => {
  const body = '{"properties":{"svc_first_name":"Ada"}}';
  const waiting = (headers: readonly string[], path = contacts) =>
    textOf({ method: 'POST', path }, [...headers, 'Expect: 100-continue'], Buffer.alloc(0));

  test('gets 100 Continue before the body is sent, and then its answer', async () => {
    const connection = await openConnection(service.port);
    try {
      for (const expected of ['100-continue', '100-Continue']) {
        connection.send(waiting([json, `Content-Length: ${body.length}`]).replace('100-continue', expected));
        expect((await connection.answer()).status).toBe(100);
        connection.send(body);
        const answer = await client.verify('POST', contacts, await connection.answer());
        expect(answer.status).toBe(201);
      }
    } finally {
      connection.destroy();
    }
  });

  test('gets its refusal at once, without sending', async () => {
    // Each connection waits for a second, in case the body is sent anyway: all of them at the same time.
    const refusals = (
      [
        [[json, 'Content-Length: 1048577'], contacts, 413],
        [['Content-Type: text/plain', 'Content-Length: 10'], contacts, 415],
        [[json, 'Content-Length: 10'], '/nope/', 404],
        [[json, 'Content-Length: 10'], '/self/', 405],
      ] as const
    ).map(async ([headers, path, status]) => {
      const answer = await sendOnce(service.port, waiting(headers, path));
      expect(answer.status, path).toBe(status);
      expect(answer.closes, path).toBe(true);
      await client.verify('POST', path, answer);
    });
    await Promise.all(refusals);
  });

  test('cannot expect anything else', async () => {
    const text = waiting([json, `Content-Length: ${body.length}`]).replace('100-continue', '200-ok');
    await expectProblem(await sendOnce(service.port, text), 'invalid_request', 'invalid_header');
  });
});

test('a member that is repeated in one object is refused by its name, because its meaning is not clear', async () => {
  const bodies = [
    ['{"properties":{"svc_first_name":"a","svc_first_name":"b"}}', 'svc_first_name'],
    ['{"properties":{},"properties":{}}', 'properties'],
    ['{"properties":{"svc_phone_number":[{"country_code":"GB","country_code":"FR"}]}}', 'country_code'],
  ] as const;
  for (const [body, name] of bodies) {
    const answer = await client.post('/objects/svc_contact/records/', body);
    await expectProblem(answer, 'invalid_request', 'malformed_json');
    expect(answer.body.detail).toContain(`"${name}"`);
  }
  expect((await client.post('/objects/svc_contact/records/', '{"properties":{"svc_first_name":"a: a"}}')).status).toBe(
    201,
  );
});
