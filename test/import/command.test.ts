// orrery import as a person runs it, beside a running service: what it prints, what it tells, how it ends, and that those
// who wait for changes hear of them.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createFolder,
  createStorage,
  type Ended,
  orreryJson,
  runOrrery,
  type ServeProcess,
  type Storage,
  startServe,
} from '../support/cli.ts';
import { Client } from '../support/client.ts';

let storage: Storage;
let service: ServeProcess;
let folder: string;
let org: string;
let client: Client;
beforeAll(async () => {
  storage = await createStorage();
  folder = await createFolder();
  service = await startServe(storage.args);
  const { org_id } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme', ...storage.args]);
  org = String(org_id);
  const { key } = await orreryJson<{ key: string }>(['key', 'create', '--org', org, ...storage.args]);
  client = new Client(service.url, key);
});
afterAll(async () => {
  await service.stop();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

function importFile(path: string, ...more: readonly string[]): Promise<Ended> {
  return runOrrery(['import', '--org', org, '--type', 'svc_company', path, ...more, ...storage.args]);
}

async function fileOf(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

test('the plan and the refused rows are told, the result is printed, and those who wait are woken', async () => {
  const path = await fileOf(
    'companies.csv',
    'Company,Website domain,Mood',
    'Acme,acme.example,good',
    'Bad,no domain,x',
  );
  const next = (await client.get('/changes/')).body.pagination?.next_cursor;
  const waiting = client.get(`/changes/?cursor=${next}&wait=20`);
  const { status, stdout, stderr } = await importFile(path);
  expect({ status, stdout }).toEqual({
    status: 3,
    stdout: `svc_company of org ${org}: 1 created, 0 updated, 0 unchanged, 1 refused.\n`,
  });
  const errors = join(folder, 'companies.errors.csv');
  expect(stderr.split('\n')).toEqual([
    `${path}: 3 columns, commas between them, utf-8.`,
    '  "Company" is svc_name.',
    '  "Website domain" is svc_domain.',
    '  "Mood" is left out: no property of svc_company is meant by it.',
    expect.stringMatching(/^line 3: svc_domain: Expected .*\(wrong_shape\)$/),
    `orrery: One row was refused; all others are in. It is in ${errors} with the reasons: mend it there and import that file.`,
    '',
  ]);
  expect((await readFile(errors, 'utf8')).split('\r\n')[0]).toBe('_import_errors,Company,Website domain,Mood');
  expect((await stat(errors)).mode & 0o777).toBe(0o600);
  const { data } = (await waiting).body;
  expect(data).toMatchObject([{ type: 'record.created', object_type: 'svc_company', principal_id: 'svc_system' }]);
});

test('with --json there is one value on standard output, for a dry run too', async () => {
  const path = await fileOf('more.csv', 'Name;Employees', 'Umbrella;1200', 'Globex;3');
  const map = await fileOf('map.json', '{"Employees": null}');
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
    errors_file: null,
    resumed_at: null,
    seconds: expect.any(Number),
    columns: [
      { header: 'Name', property: 'svc_name' },
      { header: 'Employees', property: null },
    ],
  };
  expect([dry.status, JSON.parse(dry.stdout)]).toEqual([0, { ...expected, dry_run: true }]);
  expect([done.status, JSON.parse(done.stdout)]).toEqual([0, { ...expected, dry_run: false }]);
  expect((await client.get('/objects/svc_company/records/')).body.data).toHaveLength(3);
});
