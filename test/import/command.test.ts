// orrery import as a person runs it, beside a running service: its result, its messages and its exit status, and that it
// wakes readers of the change feed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, runOrrery, withoutProgress } from '../support/cli.ts';
import { root } from '../support/repository.ts';
import { type ServedOrg, serveOrg } from '../support/served-org.ts';

let served: ServedOrg;
beforeAll(async () => {
  served = await serveOrg();
});
afterAll(() => served.stop());

function importFile(path: string, ...more: readonly string[]): Promise<Ended> {
  const { org, args } = served;
  return runOrrery(['import', '--org', org, '--type', 'svc_company', path, ...more, ...args]);
}

test('the plan and the refused rows are messages, the counts are the result, and waiting readers are woken', async () => {
  const { org, client, folder } = served;
  const path = await served.write('companies.csv', [
    'Company,Website domain,Mood',
    'Acme,acme.example,good',
    'Bad,no domain,x',
  ]);
  const next = (await client.get('/changes/')).body.pagination?.next_cursor;
  const waiting = client.get(`/changes/?cursor=${next}&wait=20`);
  const { status, stdout, stderr } = await importFile(path);
  expect({ status, stdout }).toEqual({
    status: 3,
    stdout: `svc_company of org ${org}: 1 created, 0 updated, 0 unchanged, 1 refused.\n`,
  });
  const errors = join(folder, 'companies.errors.csv');
  expect(withoutProgress(stderr).split('\n')).toEqual([
    `${path}: 3 columns, comma-separated, utf-8.`,
    '  "Company": svc_name',
    '  "Website domain": svc_domain',
    '  "Mood": ignored (no matching property)',
    expect.stringMatching(/^line 3: svc_domain: Expected .*\(wrong_shape\)$/),
    `orrery: One row was refused; all others were imported. Fix it in ${errors}, which lists the errors, and import that file.`,
    '',
  ]);
  expect((await readFile(errors, 'utf8')).split('\r\n')[0]).toBe('_import_errors,Company,Website domain,Mood');
  expect((await stat(errors)).mode & 0o777).toBe(0o600);
  const { data } = (await waiting).body;
  expect(data).toMatchObject([{ type: 'record.created', object_type: 'svc_company', principal_id: 'svc_system' }]);
});

test('with --json there is one value on standard output, for a dry run too', async () => {
  const { org, client } = served;
  const path = await served.write('more.csv', ['Name;Employees', 'Umbrella;1200', 'Globex;3']);
  const map = await served.write('map.json', ['{"Employees": null}']);
  const dry = await importFile(path, '--json', '--dry-run', '--map', map);
  const done = await importFile(path, '--map', map, '--json');
  const expected = {
    org_id: Number(org),
    object_type: 'svc_company',
    rows: 2,
    created: 2,
    updated: 0,
    unchanged: 0,
    refused: 0,
    incomplete: 0,
    linked: 0,
    unlinked: 0,
    targets_created: 0,
    job_id: null,
    errors_file: null,
    resumed_at: null,
    seconds: expect.any(Number),
    columns: [
      { header: 'Name', property: 'svc_name' },
      { header: 'Employees', property: null, ignored: 'as the map says' },
    ],
  };
  expect([dry.status, JSON.parse(dry.stdout)]).toEqual([0, { ...expected, dry_run: true }]);
  expect([done.status, JSON.parse(done.stdout)]).toEqual([
    0,
    { ...expected, dry_run: false, job_id: expect.any(String) },
  ]);
  expect((await client.get('/objects/svc_company/records/')).body.data).toHaveLength(3);
});

test('the file can come from standard input, and the map from a pipe', async () => {
  const { org, args, folder, client } = served;
  const map = `{"Firm": "svc_name", "Mood": null}`;
  const command = [join(root, 'bin/orrery'), 'import', '--org', org, '--type', 'svc_company', '-', ...args];
  const script = `${command.map((word) => `'${word}'`).join(' ')} --map <(printf '%s' '${map}')`;
  const shell = spawn('bash', ['-c', script], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  const stdout = text(shell.stdout);
  const stderr = text(shell.stderr);
  shell.stdin.end('Firm,Mood,Employees\nInitech,good,7\nHooli,bad,many\n');
  const [status] = await once(shell, 'close');
  expect([status, await stdout]).toEqual([
    3,
    `svc_company of org ${org}: 1 created, 0 updated, 0 unchanged, 1 refused.\n`,
  ]);
  expect(await stderr).toContain('standard input: 3 columns, comma-separated, utf-8.');
  expect(await readFile(join(folder, 'import.errors.csv'), 'utf8')).toContain('Hooli');
  const { data } = (await client.get('/objects/svc_company/records/?limit=500')).body;
  expect(data.at(-1).properties.svc_name).toBe('Initech');
});
