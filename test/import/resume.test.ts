// Imports that are killed while writing and run again: every row is imported or refused once, in the order of the file, and
// every refused row is in the errors file once.
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { bounds } from '../../src/base/limits.ts';
import { sql } from '../../src/base/sql.ts';
import { type Ended, ended, spawnOrrery } from '../support/cli.ts';
import { holdRow } from '../support/database.ts';
import { ImportFolder, type ImportPrinted } from '../support/import/driver.ts';
import { differenceOf, stateOf } from '../support/import/state.ts';
import { findingsIn } from '../support/integrity.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: ImportFolder;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

const contact = 1;

/** Some rows of each batch are refused: for their own values, and for values that others have. */
function fileOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    if (index % 401 === 400) return `no address ${index},Bad`;
    return `p${index % 603 === 602 ? index - 1 : index}@x.example,"Name ${index}, ${'word '.repeat(index % 9)}"`;
  });
  return `Email,Summary\r\n${lines.join('\r\n')}\r\n`;
}

async function rowsDone(orgId: number): Promise<number | undefined> {
  const [row] = await service.database.query<{ rows: string }>(
    sql`select rows from orrery.import where org_id = ${orgId}`,
  );
  return row === undefined ? undefined : Number(row.rows);
}

/**
 * Kills the import as soon as it has made progress, or a moment later. Another transaction holds a value of the row given,
 * so that the import cannot end before.
 */
async function killUnderWay(
  start: () => ReturnType<typeof spawnOrrery>,
  orgId: number,
  heldRow: number,
): Promise<Ended> {
  const before = (await rowsDone(orgId)) ?? 0;
  const release = await holdRow(
    service.databaseUrl,
    `insert into orrery.unique_value values (${orgId}, 1, 5, 'p${heldRow}@x.example', '01890a5d-ac96-774b-bcce-b302099a8057')`,
  );
  const child = start();
  const end = ended(child);
  let over = false;
  void end.then(() => {
    over = true;
  });
  for (;;) {
    const done = await rowsDone(orgId);
    if (over || (done !== undefined && done > before)) break;
    await sleep(5);
  }
  await sleep(Math.random() * 60);
  child.kill('SIGKILL');
  const killed = await end;
  await release();
  return killed;
}

/** Without the ids of the records that hold a value. */
const plain = (text: string) => text.replace(/ It is [0-9a-f-]+\./g, '');

test('an import that is killed again and again has the same result as an undisturbed one', async () => {
  const [killed, whole] = [await service.createOrg(), await service.createOrg()];
  const count = 4 * bounds.engine.importedAtOnce + 123;
  const path = await folder.write(fileOf(count));
  const start = () =>
    spawnOrrery([
      'import',
      '--org',
      String(killed),
      '--type',
      'svc_contact',
      path,
      '--json',
      '--database-url',
      service.databaseUrl,
    ]);
  // Rows of the third and of the fourth batch.
  for (const heldRow of [2.5, 3.5].map((batches) => batches * bounds.engine.importedAtOnce)) {
    const { status, stdout } = await killUnderWay(start, killed, heldRow);
    expect([status, stdout]).toEqual([null, '']);
    // Stands for the rows of a batch that was not committed; they must be cut off.
    await writeFile(path.replace(/\.csv$/, '.errors.csv'), 'half a row that was never commit', { flag: 'a' });
  }
  const { status, stdout, stderr } = await ended(start());
  expect(status).toBe(3);
  const result = JSON.parse(stdout) as ImportPrinted;
  expect(result.resumed_at).toBeGreaterThanOrEqual(bounds.engine.importedAtOnce);
  expect(stderr).toMatch(/Continues after [0-9,]+ rows, where this import was interrupted\./);
  const undisturbed = await folder.run(service, whole, 'svc_contact', fileOf(count));
  const { rows, created, refused } = undisturbed.result as ImportPrinted;
  expect(result).toMatchObject({ rows, created, refused });
  expect(rows).toBe(count);
  const files = [result.errors_file, undisturbed.result?.errors_file];
  const [errors, expected] = await Promise.all(files.map((file) => readFile(file ?? '', 'utf8')));
  expect(plain(errors ?? '')).toBe(plain(expected ?? ''));
  expect(errors?.split('\r\n')).toHaveLength(refused + 2);
  const states = [
    await stateOf(service.database, killed, contact),
    await stateOf(service.database, whole, contact),
  ] as const;
  expect(differenceOf(...states)).toBeUndefined();
  expect(await findingsIn(service.database, killed)).toEqual([]);
  expect(await rowsDone(killed)).toBeUndefined();
  // It is one job, whose id the feed has as that of the request.
  const requests = await service.database.query<{ id: string }>(sql`
    select distinct request_id as id from orrery.change where org_id = ${killed} and type_id = ${contact}`);
  expect(requests).toEqual([{ id: result.job_id }]);
});

/** Every third row finds the contact of an earlier row; firms are in many rows, and some rows are refused. */
function linkedFileOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const person = index % 3 === 2 ? index - 2 : index;
    const firms = index % 301 === 300 ? 'no domain' : `f${index % 700}.example;f${(index * 7) % 900}.EXAMPLE`;
    return `p${person}@x.example,${person},${firms}`;
  });
  return `Email,Hub id,Firm\n${lines.join('\n')}\n`;
}

/** The contacts of an org, each with its id in the other system and the domains of its companies; and all companies. */
async function linkedStateOf(orgId: number): Promise<unknown> {
  const contacts = await service.database.query(sql`
    select r.properties ->> 'svc_email' as email, r.version,
      (select array_agg(e.source || ' ' || e.external_id) from orrery.external_id as e
        where e.org_id = r.org_id and e.record_id = r.id) as ids,
      (select array_agg(c.properties ->> 'svc_domain' order by c.properties ->> 'svc_domain')
        from orrery.association as a join orrery.record as c on c.org_id = a.org_id and c.id = a.target_id
        where a.org_id = r.org_id and a.source_id = r.id) as firms
    from orrery.record as r where r.org_id = ${orgId} and r.type_id = ${contact} order by r.id`);
  const firms = await service.database.query(sql`
    select properties ->> 'svc_domain' as domain, version from orrery.record
    where org_id = ${orgId} and type_id <> ${contact} and properties ? 'svc_domain' order by id`);
  return { contacts, firms };
}

test('links, created companies and external ids are neither lost nor doubled by kills', async () => {
  const [killed, whole] = [await service.createOrg(), await service.createOrg()];
  const content = linkedFileOf(2 * bounds.engine.importedAtOnce + 400);
  const path = await folder.write(content);
  const map = {
    'Hub id': { external_id: true, source: 'hubspot' },
    Firm: { association: 'svc_contact_to_company', by: 'svc_domain', missing: 'create' },
  };
  const mapPath = await folder.write(JSON.stringify(map));
  const form = ['--type', 'svc_contact', '--map', mapPath, '--match', 'svc_email'];
  const rest = ['--json', '--database-url', service.databaseUrl];
  const start = () => spawnOrrery(['import', '--org', String(killed), ...form, path, ...rest]);
  for (const heldRow of [1.2, 2.1].map((batches) => batches * bounds.engine.importedAtOnce)) {
    const { status, stdout } = await killUnderWay(start, killed, heldRow);
    expect([status, stdout]).toEqual([null, '']);
  }
  const { stdout } = await ended(start());
  const undisturbed = await folder.run(service, whole, 'svc_contact', content, { map, match: 'svc_email' });
  const { rows, created, updated, unchanged, refused, linked, targets_created } = undisturbed.result as ImportPrinted;
  expect([created, updated, refused, linked, targets_created].every((count) => count > 0)).toBe(true);
  const result = JSON.parse(stdout) as ImportPrinted;
  expect(result).toMatchObject({ rows, created, updated, unchanged, refused, linked, targets_created });
  expect(result.resumed_at).toBe(2 * bounds.engine.importedAtOnce);
  expect(await linkedStateOf(killed)).toEqual(await linkedStateOf(whole));
  expect(await findingsIn(service.database, killed)).toEqual([]);
});

test('two processes never run the same import at once, and abandoned imports are forgotten', async () => {
  const orgId = await service.createOrg();
  const path = await folder.write(fileOf(50));
  const args = ['--type', 'svc_contact', path, '--json', '--database-url', service.databaseUrl];
  // Another transaction is about to take a value of the file, and the import waits for it.
  const release = await holdRow(
    service.databaseUrl,
    `insert into orrery.unique_value values (${orgId}, 1, 5, 'p7@x.example', '01890a5d-ac96-774b-bcce-b302099a8057')`,
  );
  const first = ended(spawnOrrery(['import', '--org', String(orgId), ...args]));
  await expect.poll(() => rowsDone(orgId), { interval: 20 }).toBe(0);
  const second = await folder.runFile(service.databaseUrl, orgId, 'svc_contact', path);
  expect([second.failure?.exitStatus, second.failure?.message]).toEqual([
    2,
    'This file is being imported in the same way by another process.',
  ]);
  await release();
  expect(await first).toMatchObject({ status: 0 });
  await service.database.query(sql`
    insert into orrery.import (org_id, digest, rows, errors_file)
    select ${orgId}::integer, decode(lpad(to_hex(n), 8, '0'), 'hex'), 1, 'x' from generate_series(1, 150) as n`);
  await service.database.query(sql`
    update orrery.import set changed_at = now() - interval '31 days'
    where org_id = ${orgId} and digest < decode('00000040', 'hex')`);
  // Imports interrupted long ago are forgotten, and so are the oldest of too many.
  await folder.run(service, orgId, 'svc_contact', 'Email\nlast@x.example\n');
  const [left] = await service.database.query<{ n: number }>(
    sql`select count(*)::int as n from orrery.import where org_id = ${orgId}`,
  );
  expect(left?.n).toBe(87);
});
