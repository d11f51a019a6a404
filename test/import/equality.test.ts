// An import leaves the same rows in every table as the API does for the same values: with several batches under way, and
// with values that are taken in the file, before it and while it runs.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toCsvLine } from '../../client/import/files/to-csv-line.ts';
import { sleep } from '../../src/base/clock.ts';
import { sql } from '../../src/base/sql.ts';
import { raiseRevision } from '../../src/store/org/revision.ts';
import { beginIndex } from '../../src/store/query/property-indexes.ts';
import type { Client } from '../support/client.ts';
import { holdRow } from '../support/database.ts';
import { ImportFolder } from '../support/import/driver.ts';
import { differenceOf, stateOf } from '../support/import/state.ts';
import { findingsIn } from '../support/integrity.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

/** Rows in a batch. */
const atOnce = 200;

let service: TestService;
let folder: ImportFolder;
let restoreBounds: () => void;
beforeAll(async () => {
  restoreBounds = lowerBounds({ engine: { importedAtOnce: atOnce } });
  service = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  restoreBounds();
  await service.stop();
  await folder.remove();
});

let orgId: number;
let client: Client;
beforeEach(async () => {
  orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  client = service.client((await service.createKey(orgId)).key);
});

const contact = 1;

interface Person {
  readonly svc_last_name?: string;
  readonly svc_email?: readonly string[];
  readonly svc_summary?: string;
  readonly svc_job_start_date?: string;
}

const hostile = [
  '\\',
  '\\N',
  '\\.',
  'a\tb',
  'a\nb',
  'a\r\nb',
  '"',
  "'=1",
  'ÄÖÜ ẞ İ',
  '😀 Σς',
  'x'.repeat(900),
  '\\\\t',
];

/** Some rows share an address with a row just before, and some with a row far before. */
function people(count: number): readonly Person[] {
  return Array.from({ length: count }, (_, index) => {
    const twin = index % 100 === 99 ? index - 1 : index % 140 === 139 ? Math.max(0, index - 220) : index;
    const email = [`Person${twin}@Example.com`, ...(index % 3 === 0 ? [`second${index}@x.example`] : [])];
    return {
      svc_last_name: `${hostile[index % hostile.length]}${index % 50}`,
      ...(index % 10 === 5 ? {} : { svc_email: email }),
      svc_summary: `words of ${index % 7} ${hostile[(index * 5) % hostile.length]} ${index}`,
      ...(index % 4 === 0 ? { svc_job_start_date: '2024-02-29' } : {}),
    };
  });
}

const headers = ['svc_last_name', 'svc_email', 'svc_summary', 'svc_job_start_date'] as const;

function csvOf(rows: readonly Person[]): string {
  const cell = (value: string | readonly string[] | undefined) =>
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const guarded = (text: string) => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);
  return [headers, ...rows.map((row) => headers.map((name) => guarded(cell(row[name]))))]
    .map((each) => toCsvLine(each))
    .join('');
}

/** Sends the same through the API, a thousand at a time; returns how many were refused. */
async function createAll(rows: readonly Person[]): Promise<number> {
  let failed = 0;
  for (let at = 0; at < rows.length; at += 1_000) {
    const operations = rows
      .slice(at, at + 1_000)
      .map((properties) => ({ operation: 'create', object_type: 'svc_contact', properties }));
    const { body } = await client.post('/batch/', { operations });
    failed += body.data.failed;
  }
  return failed;
}

async function addIndexes(org: number): Promise<void> {
  for (const propertyId of [10, 13]) {
    await beginIndex(service.database, org, { typeId: contact, propertyId }, null);
  }
  await service.database.transaction((transaction) => raiseRevision(transaction, org));
}

test('every table has the rows that creates through the API would have made', async () => {
  const rows = people(2 * atOnce + 60);
  const other = await service.createOrg();
  for (const org of [orgId, other]) await addIndexes(org);
  // The service learns of the indexes within a second.
  await sleep(1_000);
  const failed = await createAll(rows);
  expect(failed).toBeGreaterThan(5);
  const { result } = await folder.run(service, other, 'svc_contact', csvOf(rows));
  expect(result).toMatchObject({ rows: rows.length, created: rows.length - failed, refused: failed });
  const ours = await stateOf(service.database, other, contact);
  expect(differenceOf(ours, await stateOf(service.database, orgId, contact))).toBeUndefined();
  expect(ours['record']).toHaveLength(rows.length - failed);
  expect(await findingsIn(service.database, other)).toEqual([]);
});

test('values that are taken before or while the import runs refuse their rows and no others', async () => {
  const rows = people(2 * atOnce).map((row, index) => ({
    ...row,
    svc_email: [`p${index}@x.example`],
  }));
  const last = 2 * atOnce - 1;
  for (const index of [5, last]) await make(client, 'svc_contact', { svc_email: [`P${index}@x.example`] });
  // Another transaction is about to take a value of the first batch, and the import waits for it.
  const release = await holdRow(
    service.databaseUrl,
    `insert into orrery.unique_value values (${orgId}, 1, 5, 'p7@x.example', '01890a5d-ac96-774b-bcce-b302099a8057')`,
  );
  const running = folder.run(service, orgId, 'svc_contact', csvOf(rows));
  await sleep(300);
  await release();
  const { result, told } = await running;
  expect(result).toMatchObject({ rows: rows.length, created: rows.length - 2, refused: 2 });
  expect(told.filter((line) => line.startsWith('line ')).map((line) => /\((\w+)\)$/.exec(line)?.[1])).toEqual([
    'unique_value_taken',
    'unique_value_taken',
  ]);
  // In the order of the file, whichever batches had to run again.
  const names = await service.database.query<{ email: string }>(sql`
    select properties -> 'svc_email' ->> 0 as email from orrery.record
    where org_id = ${orgId} and type_id = ${contact} order by id offset 2`);
  const wanted = rows.map((row) => row.svc_email[0]).filter((_, index) => index !== 5 && index !== last);
  expect(names.map(({ email }) => email)).toEqual(wanted);
  expect(await findingsIn(service.database, orgId)).toEqual([]);
});
