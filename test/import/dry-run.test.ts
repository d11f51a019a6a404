// A dry run tells exactly what the import would do. Random files are imported into one org that grows with them, each after
// a dry run: both give the same counts and refuse the same rows for the same reasons, and the dry run stores nothing. The
// batches are small, so that rows depend on rows of earlier batches.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { createMember } from '../../src/engine/admin/members.ts';
import { ImportFolder, type ImportOptions } from '../support/import/driver.ts';
import { lowerBounds } from '../support/lower-bounds.ts';
import { Random, seedFrom } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: ImportFolder;
let orgId: number;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

async function createOrg(): Promise<number> {
  const created = await service.createOrg();
  await createMember(service.database, { orgId: created, name: 'Olga', email: 'olga@team.example' });
  await service.applySchema(created, {
    association_types: [
      { name: 'parent', label: 'Parent', source: 'svc_company', target: 'svc_company', cardinality: 'many_to_one' },
    ],
  });
  return created;
}

const random = new Random(seedFrom('IMPORT_DRY_RUN_SEED'));

/** One column of a file: its cells, and what the map says of it. */
interface Column {
  readonly cell: () => string;
  readonly use?: Readonly<Record<string, unknown>>;
}

interface File {
  readonly type: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly match: string | undefined;
}

const letters = 'abcdefgh'.split('');
/** How many values a file chooses from: with few, most rows meet an earlier one. */
let pool = 8;
const word = () => `${random.pick(letters)}${random.below(pool)}`;
const anyCase = (text: string) => (random.chance(0.3) ? text.toUpperCase() : text);
const sometimes = (share: number, cell: () => string) => () => (random.chance(share) ? cell() : '');
const several = (cell: () => string) => () => random.times(random.between(1, 2), cell).join(';');
const name = () => anyCase(`Firm ${word()}`);
const domain = () => (random.chance(0.03) ? 'not a domain' : anyCase(`${word()}.example`));
const email = () => (random.chance(0.03) ? 'not an address' : anyCase(`${word()}@x.example`));
const id = () => String(random.below(8 * pool));
const long = sometimes(0.05, () => 'x'.repeat(random.pick([10, 10, 5_000])));
const date = () => random.pick(['2001-02-03', '2020-12-31 10:00', '1960-01-01', 'then']);
const missing = () => random.pick(['refuse', 'skip', 'create']);

const hubId = { cell: sometimes(0.8, id), use: { external_id: true, source: 'hub' } };
const since = { cell: sometimes(0.3, date), use: { created_at: true } };

/** A column that names companies. */
function firm(association: string, most: 'one' | 'several'): Column {
  const [by, cell] = random.pick([
    ['title', name],
    ['svc_domain', domain],
    ['external_id', id],
  ] as const);
  const source = by === 'external_id' ? { source: 'hub', missing: random.pick(['refuse', 'skip']) } : {};
  const cells = sometimes(0.7, most === 'one' ? cell : several(cell));
  return { cell: cells, use: { association, by, missing: missing(), ...source } };
}

const files: readonly (() => File)[] = [
  () => ({
    type: 'svc_company',
    columns: {
      Name: { cell: sometimes(0.8, name) },
      Domain: { cell: sometimes(0.7, domain) },
      'Hub id': hubId,
      Summary: { cell: long, use: { property: 'svc_description' } },
      Under: firm('parent', 'one'),
      Since: since,
    },
    match: random.pick([undefined, 'svc_domain', 'external_id']),
  }),
  () => ({
    type: 'svc_contact',
    columns: {
      'First name': { cell: () => random.pick(letters) },
      Email: { cell: sometimes(0.8, several(email)) },
      Summary: { cell: long },
      'Hub id': hubId,
      Firm: firm('svc_contact_to_company', 'several'),
      Phase: {
        cell: sometimes(0.5, () => random.pick(['Awareness', 'Customer', 'None'])),
        use: { association: 'svc_contact_to_lifecycle_stage', by: 'title', missing: random.pick(['refuse', 'skip']) },
      },
      Owner: {
        cell: sometimes(0.3, () => random.pick(['olga@team.example', 'nobody@team.example'])),
        use: { association: 'svc_record_to_user', missing: 'skip' },
      },
    },
    match: random.pick([undefined, 'svc_email', 'external_id']),
  }),
  () => ({
    type: 'svc_note',
    columns: {
      Title: { cell: name },
      Stage: {
        cell: sometimes(0.5, () => random.pick(['To Do', 'Done', 'Later', 'later'])),
        use: { association: 'svc_note_to_note_pipeline_stage', by: 'title', missing: missing() },
      },
      With: {
        cell: sometimes(0.6, several(email)),
        use: { association: 'svc_note_to_contact', by: 'svc_email', missing: missing() },
      },
      'Hub id': hubId,
    },
    match: random.pick([undefined, 'external_id']),
  }),
  () => ({
    type: 'svc_call',
    columns: {
      Subject: { cell: name },
      Started: { cell: sometimes(0.8, () => random.pick(['2026-01-02 10:00', '2026-02-03 11:00'])) },
      With: {
        cell: sometimes(0.6, email),
        use: { association: 'svc_activity_to_contact', by: 'svc_email', missing: missing() },
      },
      'Hub id': hubId,
    },
    match: random.pick([undefined, 'external_id']),
  }),
];

/** Some of the columns; those that the match needs are always there. */
function fileOf({ type, columns, match }: File): { text: string; options: ImportOptions; type: string } {
  const needed = { svc_email: 'Email', svc_domain: 'Domain', external_id: 'Hub id' }[match ?? ''];
  const [first, ...others] = Object.entries(columns);
  const used = [
    ...(first === undefined ? [] : [first]),
    ...others.filter(([header]) => header === needed || random.chance(0.6)),
  ];
  const lines = random.times(random.between(20, 40), () => used.map(([, { cell }]) => cell()).join(','));
  const map = Object.fromEntries(used.flatMap(([header, { use }]) => (use === undefined ? [] : [[header, use]])));
  const badCells = random.pick(['refuse', 'drop']);
  const text = `${[used.map(([header]) => header).join(','), ...lines].join('\n')}\n`;
  return { type, text, options: { map, badCells, ...(match === undefined ? {} : { match }) } };
}

/** Without ids: a record that is created in a dry run is created with another id later. */
async function reportOf({ type, text, options }: ReturnType<typeof fileOf>, more: ImportOptions) {
  const { result, failure, told } = await folder.run(service, orgId, type, text, { ...options, ...more });
  if (result === undefined) throw failure ?? new Error(told.join('\n'));
  const { job_id, errors_file: file, dry_run, seconds, ...counts } = result as typeof result & { seconds: number };
  const errors = file === null ? '' : await readFile(file, 'utf8');
  return { counts, errors: errors.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').split(/\r?\n/) };
}

async function stored(): Promise<unknown> {
  return service.database.query(sql`
    select (select count(*) from orrery.change where org_id = ${orgId}) as changes,
      (select count(*) from orrery.external_id where org_id = ${orgId}) as ids,
      (select sum(version) from orrery.record where org_id = ${orgId}) as versions`);
}

test('a dry run gives the same report as the import', async () => {
  const restore = lowerBounds({ engine: { importedAtOnce: 6, recordBytes: 4_000 } });
  try {
    for (let trial = 0; trial < 8; trial++) {
      if (trial % 4 === 0) orgId = await createOrg();
      pool = random.pick([1, 1, 2, 8]);
      const file = fileOf(random.pick(files)());
      const before = await stored();
      const dry = await reportOf(file, { dryRun: true, errors: `${folder.path}/dry-${trial}.errors.csv` });
      expect(await stored()).toEqual(before);
      const real = await reportOf(file, {});
      expect(dry, `${file.type} ${JSON.stringify(file.options)}\n${file.text}`).toEqual(real);
    }
  } finally {
    restore();
  }
});
