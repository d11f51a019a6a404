// orrery ingest as a person or a script runs it: files and pipes, its result and its exit status.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, type RunOptions, runOrrery } from '../support/cli.ts';
import { type ServedOrg, serveOrg } from '../support/served-org.ts';

let served: ServedOrg;
beforeAll(async () => {
  served = await serveOrg();
});
afterAll(() => served.stop());

function ingest(type: string, file: string, more: readonly string[] = [], options: RunOptions = {}): Promise<Ended> {
  const { org, args } = served;
  return runOrrery(['ingest', '--org', org, '--type', type, file, ...more, ...args], options);
}

interface Counts {
  readonly created: number;
  readonly unchanged: number;
}

test('two commands with one file create each record once; a third one changes nothing', async () => {
  const lines = Array.from({ length: 600 }, (_, index) => {
    return JSON.stringify({ external_id: `cal-${index}`, properties: { svc_subject: 'Kick-off' } });
  });
  const { org, client } = served;
  const path = await served.write('good.ndjson', lines);
  const runs = await Promise.all([1, 2].map(() => ingest('svc_meeting', path, ['--json'])));
  for (const run of runs) expect(run).toMatchObject({ status: 0, stderr: '' });
  const counts = runs.map((run) => JSON.parse(run.stdout) as Counts);
  const [first = 0, second = 0] = counts.map((each) => each.created);
  const named = { org_id: Number(org), object_type: 'svc_meeting', updated: 0, refused: 0 };
  expect(counts).toEqual([
    { ...named, created: first, unchanged: 600 - first },
    { ...named, created: second, unchanged: 600 - second },
  ]);
  expect(first + second).toBe(600);
  const page = () => client.get('/objects/svc_meeting/records/?limit=500');
  const { data } = (await page()).body;
  expect(data[0].properties.svc_subject).toBe('Kick-off');
  expect(await ingest('svc_meeting', path)).toEqual({
    status: 0,
    stdout: `svc_meeting of org ${org}: 0 created, 0 updated, 600 unchanged, 0 refused.\n`,
    stderr: '',
  });
  expect((await page()).body.data).toEqual(data);
  const counted = { aggregations: [{ function: 'count' }] };
  const { body } = await client.post('/objects/svc_meeting/records/aggregate/', counted);
  expect(body.data[0].values).toEqual({ count: '600' });
});

test('bad lines are reported by number and reason, the others are ingested, and the status says so', async () => {
  const long = `{"external_id": "${'x'.repeat(1_048_576)}", "properties": {}}`;
  const lines = [
    JSON.stringify({ external_id: 'in-1', properties: {} }),
    '{"external_id": ',
    '',
    long,
    JSON.stringify({ external_id: 'r', properties: { svc_titel: 'a', ['a\n\u001b[31m']: 1 } }),
    '{"external_id": "r", "properties": {"svc_title": "\xff"}}',
    JSON.stringify({ external_id: 'in-2', properties: {} }),
  ];
  const { status, stdout, stderr } = await ingest('svc_risk', '-', [], {
    input: Buffer.from(lines.join('\r\n'), 'latin1'),
  });
  expect({ status, stdout }).toEqual({
    status: 3,
    stdout: `svc_risk of org ${served.org}: 2 created, 0 updated, 0 unchanged, 4 refused.\n`,
  });
  const told = stderr.split('\n');
  expect(told.map((line) => line.split(':')[0])).toEqual(['line 2', 'line 4', 'line 5', 'line 6', 'orrery', '']);
  expect(told[0]).toMatch(/not JSON.*\(malformed_json\)$/);
  expect(told[1]).toMatch(/at most 1,048,576 bytes\. \(body_too_large\)$/);
  expect(told[2]).toMatch(/svc_titel: .*Did you mean "svc_title"\?.*\(unknown_property\)$/);
  expect(told[3]).toMatch(/not UTF-8\. \(malformed_json\)$/);
  expect(told[4]).toContain('4 lines were refused; all others were ingested.');
  expect(stderr).not.toContain('\u001b');
});

test('of very many bad lines the first are reported, and how many there were', async () => {
  const path = await served.write('bad.ndjson', Array(620).fill('{}'));
  const { status, stdout, stderr } = await ingest('svc_meeting', path, ['--json']);
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ created: 0, refused: 620 });
  const told = stderr.trimEnd().split('\n');
  expect(told).toHaveLength(101);
  expect(told[100]).toContain('620 lines were refused (the first 100 are listed above)');
});

test('input that cannot be ingested at all is refused in one sentence, with its own status', async () => {
  const cases = [
    ['svc_meetng', 'x', 12, /Org [0-9]+ has no object type "svc_meetng"\. Did you mean "svc_meeting"\?/],
    ['svc_contact', 'x', 2, /Ingest does not take svc_contact\. .*svc_meeting/],
    ['svc_meeting', '/nowhere/a.ndjson', 11, /The file \/nowhere\/a\.ndjson cannot be read\./],
    ['svc_meeting', '/', 11, /The file \/ cannot be read\./],
  ] as const;
  const runs = await Promise.all(cases.map(([type, file]) => ingest(type, file)));
  for (const [index, [, , status, sentence]] of cases.entries()) {
    expect(runs[index]).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(/^orrery: [^\n]+\n$/) });
    expect(runs[index]?.stderr).toMatch(sentence);
  }
});
