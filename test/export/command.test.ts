// orrery export as a person or a script runs it: its forms, its refusals, and its end when a reader or the database goes
// away.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { type Ended, ended, runOrrery, spawnOrrery } from '../support/cli.ts';
import { root } from '../support/repository.ts';
import { startService, type TestService } from '../support/service.ts';

/** More pages than a pipe and a page ahead of it can hold. */
const count = 3_500;
let service: TestService;
let org: string;
beforeAll(async () => {
  service = await startService();
  const orgId = await service.createOrg();
  org = String(orgId);
  await service.database.query(sql`
    insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties)
    select ${orgId}, 4, ('01a00000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, now(), true,
      jsonb_build_object('svc_title', 'Note ' || n, 'svc_body', repeat('=1', 500))
    from generate_series(1, ${count}) as n`);
});
afterAll(() => service.stop());

function args(...more: readonly string[]): readonly string[] {
  return ['export', '--org', org, '--type', 'svc_note', '--database-url', service.databaseUrl, ...more];
}

test('it writes CSV, or one JSON array, and nothing else', async () => {
  const [csv, json] = await Promise.all([runOrrery(args()), runOrrery(args('--json'))]);
  const [first, ...others] = parse(csv.stdout, { columns: true }) as Record<string, string>[];
  expect([first?.['svc_title'], first?.['svc_body']?.slice(0, 4), others.length]).toEqual([
    'Note 1',
    "'=1=",
    count - 1,
  ]);
  const records = JSON.parse(json.stdout) as { object_type: string }[];
  expect([records.length, records[0]?.object_type]).toEqual([count, 'svc_note']);
  for (const { status, stderr } of [csv, json]) expect([status, stderr]).toEqual([0, '']);
});

test('an export that is not possible is refused in one sentence, with its own status', async () => {
  const cases = [
    [args('--format', 'xlsx'), 2, '--format must be csv or ndjson; got "xlsx". Omit it for csv.'],
    [args('--format', 'csv', '--json'), 2, '--json and --format exclude each other. Omit one of them.'],
    [args('--type', 'svc_nte'), 12, `Org ${org} has no object type "svc_nte". Did you mean "svc_note"?`],
  ] as const;
  const runs = await Promise.all(cases.map(([words]) => runOrrery(words)));
  for (const [index, [, status, sentence]] of cases.entries()) {
    expect(runs[index]).toEqual({ status, stdout: '', stderr: `orrery: ${sentence}\n` });
  }
});

test('a reader that goes away ends it quietly', async () => {
  const child = spawnOrrery(args());
  const end = ended(child);
  await once(child.stdout ?? child, 'data');
  child.stdout?.destroy();
  expect(await end).toMatchObject({ status: 1, stderr: '' });
});

test('an output that cannot be written is reported, and so is a database that goes away in the middle', async () => {
  const unwritable = await open(join(root, 'package.json'), 'r');
  const child = spawn(process.execPath, [join(root, 'bin/orrery'), ...args()], {
    stdio: ['ignore', unwritable.fd, 'pipe'],
  });
  const [full, cut] = await Promise.all([ended(child), cutInTheMiddle()]);
  await unwritable.close();
  expect(full.status).toBe(11);
  expect(full.stderr).toMatch(
    /^orrery: Standard output cannot be written \(EBADF\): the export stopped after 0 records\./,
  );
  expect(cut.status).toBe(5);
  const sentence = /^orrery: .*The export stopped after ([0-9,]+) records, so the output is incomplete\. /;
  const written = Number(sentence.exec(cut.stderr)?.[1]?.replace(',', ''));
  // As many lines as it says, after the header.
  expect(parse(cut.stdout)).toHaveLength(1 + written);
  expect(written).toBeLessThan(count);
  expect(cut.stderr.split('\n')).toHaveLength(2);
});

async function cutInTheMiddle(): Promise<Ended> {
  const child = spawnOrrery(args());
  const end = once(child, 'close');
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  await once(child.stdout ?? child, 'readable');
  // Nobody reads for now: the export waits with its transaction open.
  const waiting = async () =>
    (
      await service.database.query(sql`
      select pg_terminate_backend(pid) as ended from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'
        and query like '%pg_column_size%' and state_change < now() - interval '0.2 seconds'`)
    ).length;
  await expect.poll(waiting).toBe(1);
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  const [status] = (await end) as [number | null];
  return { status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
