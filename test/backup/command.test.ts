// Backup and restore as a person runs them: results, files, standard output, and kills in the middle of both.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { sql } from '../../src/base/sql.ts';
import { readConfig } from '../../src/config.ts';
import { createOrg } from '../../src/engine/admin/orgs.ts';
import { verifyBackup } from '../../src/store/backup/read.ts';
import type { Database } from '../../src/store/database.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { listOrgs } from '../../src/store/org/orgs.ts';
import { type BackupFolder, createBackupFolder, sumsOf } from '../support/backup/backups.ts';
import {
  createStorage,
  ended,
  orreryJson,
  runOrrery,
  type Storage,
  spawnOrrery,
  withoutProgress,
} from '../support/cli.ts';
import { until } from '../support/eventually.ts';
import { root } from '../support/repository.ts';

interface Saved {
  readonly file: string;
  readonly bytes: number;
  readonly seconds: number;
  readonly tables: Readonly<Record<string, number>>;
  readonly sha256: string;
}

let storage: Storage;
let folder: BackupFolder;
let database: Database;
let first: string;
beforeAll(async () => {
  storage = await createStorage();
  folder = await createBackupFolder();
  await orreryJson(['org', 'create', 'First', ...storage.args]);
  const [flag = '', value = ''] = storage.args;
  // Held open, so that the embedded server is started once for all commands.
  database = await openUnmigrated(readConfig({ [flag === '--data-dir' ? 'dataDir' : 'databaseUrl']: value }, {}).place);
  await database.script(`insert into orrery.record
    select 1, 1, gen_random_uuid(), 1, now(), true, jsonb_build_object('svc_summary', repeat(md5(g::text), 40))
    from generate_series(1, 10000) as g`);
  first = folder.path('first.backup');
});
afterAll(async () => {
  await database.close();
  await storage.remove();
  await folder.remove();
});

test('a backup reports its content, size and digest, and the file has them', async () => {
  const saved = await orreryJson<Saved>(['db', 'backup', first, ...storage.args]);
  expect(Object.keys(saved)).toEqual(['file', 'bytes', 'seconds', 'tables', 'sha256']);
  expect(saved).toMatchObject({ file: first, tables: { org: 1, record: 10_023 } });
  const content = await readFile(first);
  expect(createHash('sha256').update(content).digest('hex')).toBe(saved.sha256);
  expect(content.length).toBe(saved.bytes);
  const again = await runOrrery(['db', 'backup', first, ...storage.args]);
  expect([again.status, again.stdout]).toEqual([11, '']);
  expect(again.stderr).toMatch(
    /^orrery: The file .* already exists\. Choose another name, or move that file away\.\n$/,
  );
});

test('a backup can go to standard output, and a file can be checked without a database', async () => {
  const child = spawnOrrery(['db', 'backup', '-', ...storage.args]);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { status, stderr } = await ended(child);
  expect([status, stderr]).toEqual([
    0,
    // With the first backup in the audit, and the second as a job that is under way.
    expect.stringContaining('Saved 1 org, 10,025 records, 9 links and 35 changes to standard output'),
  ]);
  await writeFile(folder.path('piped.backup'), Buffer.concat(chunks));
  const checked = await orreryJson<Saved>(['db', 'restore', folder.path('piped.backup'), '--check']);
  expect(checked.tables).toMatchObject({ record: 10_025 });
  const both = await runOrrery(['db', 'backup', '-', '--json', ...storage.args]);
  expect([both.status, both.stdout]).toEqual([2, '']);
});

test('a standard output that cannot be written is named with its error', async () => {
  const unwritable = await open(join(root, 'package.json'), 'r');
  const child = spawn(process.execPath, [join(root, 'bin/orrery'), 'db', 'backup', '-', ...storage.args], {
    stdio: ['ignore', unwritable.fd, 'pipe'],
  });
  const { status, stderr } = await ended(child);
  await unwritable.close();
  expect(status).toBe(11);
  expect(withoutProgress(stderr)).toMatch(
    /^orrery: Standard output cannot be written \(EBADF\), so the backup is incomplete\. /,
  );
});

test('a backup that is killed leaves no file of its name, and one that is stopped leaves nothing', async () => {
  const file = folder.path('killed.backup');
  const parts = async () => (await readdir(folder.path(''))).filter((name) => name.startsWith('killed'));
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const child = spawnOrrery(['db', 'backup', file, ...storage.args]);
    const end = ended(child);
    await until(async () => (await parts()).length > 0);
    child.kill(signal);
    expect((await end).status).toBe(null);
    expect(await parts()).toEqual(
      signal === 'SIGTERM' ? [] : [expect.stringMatching(/^killed\.backup\.partial-\d+-\w+$/)],
    );
  }
  // The next one succeeds, and removes what was left.
  expect((await runOrrery(['db', 'backup', file, ...storage.args])).status).toBe(0);
  expect(await parts()).toEqual(['killed.backup']);
});

/** A restore is a job of each org, which is written before it begins: only that may be new. */
async function sumsBesideJobs() {
  const {
    record,
    fact,
    search,
    change,
    storage: sum,
    index_time: index,
    running_job: jobs,
    ...rest
  } = await sumsOf(database);
  expect([record, fact, search, change, sum, index, jobs]).not.toContain(undefined);
  const others = await database.query(sql`
    select r.org_id, r.type_id, r.id, r.version, r.properties from orrery.record as r
    where r.type_id <> 39 and r.type_id <> 1 order by r.org_id, r.type_id, r.id`);
  const [count] = await database.query(sql`select count(*) as n from orrery.record where type_id = 1`);
  return { ...rest, others, count };
}

test('a restore that is killed at any moment has changed nothing, and the next one works', async () => {
  await createOrg(database, {
    name: 'Second',
    currency: 'USD',
    rateQuota: 6_000,
    rateWindowSeconds: 60,
    storageQuota: null,
  });
  const before = await sumsBesideJobs();
  const saving = async () => (await readdir(folder.path(''))).find((name) => /^before-restore.*\.partial-/.test(name));
  for (const isDue of [
    async () => true,
    // The old content is saved last, when the new tables are ready to replace it.
    async () => (await stat(folder.path((await saving()) ?? 'none')).catch(() => ({ size: 0 }))).size > 0,
  ]) {
    const child = spawnOrrery(['db', 'restore', first, ...storage.args]);
    const end = ended(child);
    await until(async () => (await saving()) !== undefined);
    await sleep(400);
    await until(isDue);
    child.kill('SIGKILL');
    await end;
    const part = await saving();
    expect(part).toBeDefined();
    await rm(folder.path(part ?? ''), { force: true });
    // The server may notice a little later that the killed command is gone.
    let after: Awaited<ReturnType<typeof sumsBesideJobs>> | undefined;
    await until(async () => {
      after = await sumsBesideJobs().catch((error: Error) => {
        if (error.message !== 'A restore is running.') throw error;
        return undefined;
      });
      return after !== undefined;
    });
    expect(after).toEqual(before);
  }
  const restored = await orreryJson<{ saved_as: string }>(['db', 'restore', first, ...storage.args]);
  expect((await listOrgs(database)).map(({ name }) => name)).toEqual(['First']);
  expect((await verifyBackup(restored.saved_as)).trailer.tables['org']?.rows).toBe(2);
  expect((await stat(restored.saved_as)).mode & 0o777).toBe(0o600);
});

test('a restore creates the database if there is none, and says what it did', async () => {
  const fresh = await createStorage();
  try {
    const { status, stdout, stderr } = await runOrrery(['db', 'restore', first, ...fresh.args]);
    expect([status, withoutProgress(stderr)]).toEqual([0, '']);
    expect(stdout).toMatch(/^Restored 1 org, 10,023 records, 9 links and 32 changes from .*first\.backup, made /);
    const { status: healthy } = await runOrrery(['doctor', '--port', '0', ...fresh.args]);
    expect(healthy).toBe(0);
  } finally {
    await fresh.remove();
  }
});
