// Mistakes of a person: each is answered with one clear sentence, the fix and its own exit status, never with a stack trace
// or half a result.
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../src/cli/all.ts';
import {
  createFolder,
  createStorage,
  type Ended,
  ended,
  orreryJson,
  type RunOptions,
  runHere,
  runOrrery,
  type ServeProcess,
  type Storage,
  spawnOrrery,
  startServe,
} from '../support/cli.ts';
import { root } from '../support/repository.ts';

let storage: Storage;
let folder: string;
/** Keeps the database running, so that each command is quicker. */
let service: ServeProcess;
beforeAll(async () => {
  storage = await createStorage();
  folder = await createFolder();
  service = await startServe(storage.args);
});
afterAll(async () => {
  await service.stop();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Refused {
  readonly status: number | null;
  readonly said: string;
}

const failure = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Refused> =>
  refused(await runHere(args, env));

const failureOfProcess = async (args: readonly string[], options: RunOptions = {}): Promise<Refused> =>
  refused(await runOrrery(args, options));

function refused({ status, stdout, stderr }: Ended): Refused {
  expect(stdout, 'nothing on standard output').toBe('');
  expect(stderr, 'no stack trace').not.toMatch(/\n\s+at |Error:|node:internal/);
  expect(stderr).toMatch(/^orrery: .+\n$/s);
  expect(stderr.replaceAll('\n', ''), 'nothing that controls the terminal').not.toMatch(/\p{Cc}/u);
  return { status, said: stderr };
}

test.each([
  ['an unknown command', ['frobnicate'], /unknown command .+ See "orrery --help"\.$/im],
  ['an unknown flag', ['org', 'list', '--colour'], /unknown option '--colour'/i],
  ['a flag that writes to the terminal', ['org', 'list', '--\u001b[2J\u009b31m'], /unknown option '--.\[2J.31m'/i],
  ['a missing argument', ['org', 'create'], /missing required argument/i],
  [
    'too many arguments',
    ['org', 'create', 'A', 'B'],
    /^orrery: Too many arguments .+ got 2\. See "orrery org create --help"\.$/m,
  ],
  ['a missing flag', ['user', 'list'], /--org.+ See "orrery member list --help"\.$/m],
  ['an org that is not a number', ['user', 'list', '--org', 'acme'], /--org must be the number/],
  ['an unknown currency', ['org', 'create', 'A', '--currency', 'XYZ'], /ISO 4217/],
  ['a malformed rate limit', ['org', 'create', 'A', '--rate-limit', 'fast'], /6000\/60/],
  ['a rate limit of zero', ['org', 'create', 'A', '--rate-limit', '0/60'], /6000\/60/],
  ['an empty name', ['org', 'create', ' '], /1 to 200 characters/],
  ['a malformed grant', ['key', 'create', '--org', '1', '--grant', 'svc_contact'], /TYPE\[,TYPE…\]:OP/],
  [
    'a grant of an unknown operation',
    ['key', 'create', '--org', '1', '--grant', '*:write'],
    /"write" is not an operation/,
  ],
  ['an unknown reach', ['key', 'create', '--org', '1', '--reach', 'world'], /--reach must be one of/],
  ['a malformed time', ['key', 'create', '--org', '1', '--expires', 'soon'], /90d/],
  [
    'both databases',
    ['org', 'list', '--data-dir', 'a', '--database-url', 'postgres://b/c'],
    /--data-dir and --database-url exclude each other/,
  ],
])('%s is refused as a usage error', async (_, args, sentence) => {
  const { status, said } = await failure(args);
  expect(said).toMatch(sentence);
  expect(status).toBe(2);
});

test.each([
  ['an unknown variable', { ORRERY_PROT: '1' }, /ORRERY_PROT is unknown. Did you mean ORRERY_PORT\?/],
  ['a port that is not a number', { ORRERY_PORT: 'http' }, /ORRERY_PORT must be a number/],
  ['an address that is not one of PostgreSQL', { DATABASE_URL: 'mysql://a/b' }, /DATABASE_URL must be an address/],
  ['a sunset without a deprecation', { ORRERY_SUNSET: '2027-01-01T00:00:00Z' }, /must be set together/],
])('%s is refused as invalid configuration', async (_, env, sentence) => {
  const { status, said } = await failure(['org', 'list'], env);
  expect(said).toMatch(sentence);
  expect(status).toBe(4);
});

test('a key with reach "user" without a user, an unknown user, org, key or granted type is refused', async () => {
  const on = storage.args;
  const { org_id } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme', ...on]);
  const org = String(org_id);
  const create = ['key', 'create', '--org', org, ...on];
  expect(await failure([...create, '--reach', 'user'])).toMatchObject({ status: 2 });
  const nobody = '01890a5d-ac96-774b-bcce-b302099a8057';
  expect(await failure([...create, '--user', nobody])).toMatchObject({ status: 12 });
  expect(await failure(['key', 'create', '--org', '999', ...on])).toMatchObject({ status: 12 });
  expect(await failure(['schema', 'show', '--org', '999', ...on])).toMatchObject({ status: 12 });
  expect(await failure(['key', 'revoke', '000000000000', ...on])).toMatchObject({ status: 12 });
  expect(await failure(['key', 'rotate', 'no-key', ...on])).toMatchObject({ status: 12 });
  expect(await failure(['key', 'explain', 'no-key', ...on])).toMatchObject({ status: 12 });
  const unknown = await failure([...create, '--grant', 'svc_contcat:read']);
  expect(unknown).toMatchObject({ status: 12, said: expect.stringContaining('Did you mean "svc_contact"?') });
  expect(await failure([...create, '--grant', 'svc_user:read'])).toMatchObject({ status: 12 });
  const property = await failure([...create, '--grant', 'svc_contact:read;hide=svc_emial']);
  expect(property).toMatchObject({ status: 12, said: expect.stringContaining('Did you mean "svc_email"?') });
  const dated = await failure([...create, '--grant', 'svc_contact:read;hide=svc_created_at']);
  expect(dated).toMatchObject({ status: 2, said: expect.stringContaining('svc_created_at cannot be hidden.') });
  const required = await failure([...create, '--grant', 'svc_view:create;hide=svc_name']);
  expect(required).toMatchObject({ status: 2, said: expect.stringContaining('Leave out "create"') });
  expect(await orreryJson(['key', 'list', '--org', org, ...on])).toEqual([]);
  const { key_id } = await orreryJson<{ key_id: string }>(create);
  await orreryJson(['key', 'revoke', key_id, ...on]);
  const ended = await failure(['key', 'rotate', key_id, ...on]);
  expect(ended).toMatchObject({ status: 12, said: expect.stringContaining('was revoked') });
});

test('a schema file that is missing, not JSON or wrong is refused whole, with every error and its place', async () => {
  const on = storage.args;
  const { org_id } = await orreryJson<{ org_id: number }>(['org', 'create', 'Acme', ...on]);
  const apply = (path: string) => failure(['schema', 'apply', '--org', String(org_id), path, ...on]);
  expect(await apply(join(folder, 'absent.json'))).toMatchObject({ status: 11 });
  const path = join(folder, 'schema.json');
  await writeFile(path, '{"object_types": [');
  expect(await apply(path)).toMatchObject({ status: 11, said: expect.stringContaining('is not JSON') });
  const good = { name: 'pet', label: 'Pet', properties: [] };
  const bad = {
    name: 'svc_pet',
    label: 'Pet',
    properties: [{ name: 'age', label: 'Age', field_type: 'integer' }],
    colour: 1,
  };
  await writeFile(path, JSON.stringify({ object_types: [good, bad] }));
  const { status, said } = await apply(path);
  expect(status).toBe(11);
  for (const place of ['/object_types/1/name', '/object_types/1/colour', '/object_types/1/properties/0/field_type']) {
    expect(said).toContain(place);
  }
  expect(await orreryJson(['schema', 'show', '--org', String(org_id), ...on])).toMatchObject({ object_types: [] });
});

test('a port in use ends the service with its own status, and stops the database', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  const { port } = blocker.address() as { port: number };
  try {
    for (const more of [[], ['--workers', '2']]) {
      const { status, said } = await failureOfProcess([
        'serve',
        '--port',
        String(port),
        '--log-level',
        'silent',
        ...more,
        ...storage.args,
      ]);
      expect(said).toContain(`Port ${port} on 127.0.0.1 is in use`);
      expect(status).toBe(9);
    }
  } finally {
    blocker.close();
  }
});

test('an unreachable server has its own status, and its password is not shown', async () => {
  const { status, said } = await failure(['org', 'list', '--database-url', 'postgres://me:hunter2@127.0.0.1:1/crm']);
  expect(status).toBe(5);
  expect(said).toContain('127.0.0.1:1/crm');
  expect(said).not.toContain('hunter2');
});

test('a data folder that is a file, or that cannot be written, is refused and left unchanged', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, 'x');
  expect(await failure(['org', 'list', '--data-dir', file])).toMatchObject({ status: 7 });
  expect(await failure(['org', 'list', '--data-dir', join(file, 'below')])).toMatchObject({ status: 7 });
  if (process.getuid?.() === 0) return; // Root can write everywhere.
  const locked = join(folder, 'locked');
  await mkdir(locked);
  await chmod(locked, 0o500);
  expect(await failure(['org', 'create', 'A', '--data-dir', locked])).toMatchObject({ status: 7 });
  expect(await failure(['org', 'create', 'A', '--data-dir', join(locked, 'below')])).toMatchObject({ status: 7 });
  expect(await readdir(locked)).toEqual([]);
});

test('a Node that is too old is refused before anything else is loaded', async () => {
  const preload = join(folder, 'old-node.cjs');
  await writeFile(
    preload,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });",
  );
  const { status, said } = await failureOfProcess(['version'], { execArgv: ['--require', preload] });
  expect(status).toBe(13);
  expect(said).toBe('orrery: Orrery needs Node 20.19 or later; this is 18.20.4. Install a newer Node.\n');
});

/** A line of every command that needs a database, other than those with which one begins. */
const needingData = [
  ...['org list', 'org update 1 --name A', 'member create --org 1 --name A', 'member list --org 1'],
  ...['member deactivate --org 1 01890a5d-ac96-774b-bcce-b302099a8057', 'role list --org 1'],
  ...[
    'member link --org 1 a@b',
    'member invite --org 1 a@b',
    'oidc show --org 1',
    'oidc remove --org 1',
    'oidc unbind --org 1 a@b',
  ],
  'oidc set --org 1 --issuer https://a.example --client-id a --client-secret-file a',
  ...['audit list --org 1', 'jobs list --org 1'],
  ...['key create --org 1', 'key list', 'key explain 000000000000'],
  ...['key rotate 000000000000', 'key revoke 000000000000'],
  ...['schema show --org 1', 'schema apply --org 1 package.json', 'types --org 1'],
  ...['index list --org 1', 'index drop --org 1 --type svc_deal svc_name'],
  ...['ingest --org 1 --type svc_meeting package.json', 'import --org 1 --type svc_contact package.json'],
  'migrate --org 1 --from folder test',
  ...['export --org 1 --type svc_contact', 'db migrate', 'db distribute', 'db status'],
  'revert --org 1 --request 01890a5d-ac96-774b-bcce-b302099a8057',
  'erase --org 1 --type svc_contact 01890a5d-ac96-774b-bcce-b302099a8057',
  ...['trash list --org 1', 'trash restore --org 1 01890a5d-ac96-774b-bcce-b302099a8057', 'trash purge --org 1 --all'],
];

test('a misspelt data folder is named as it was given, and no command but those that begin one makes a database', async () => {
  const beginning = ['serve', 'demo', 'org create', 'db restore'];
  const withoutDatabase = ['doctor', 'config', 'version'];
  const tried = [...needingData.map(nameOf), 'db backup', ...beginning, ...withoutDatabase];
  expect(tried.sort()).toEqual(commands.map(({ name }) => name).sort());
  const dataDir = relative(root, join(folder, 'nothing-here'));
  const backup = `db backup ${join(folder, 'nothing.backup')}`;
  for (const line of [...needingData, backup]) {
    const { status, said } = await failure([...line.split(' '), '--data-dir', dataDir]);
    expect([line, status]).toEqual([line, 12]);
    expect(said).toContain(
      `There is no Orrery data in ${dataDir}. Check --data-dir or --database-url. To begin there, run "orrery serve" or`,
    );
  }
  expect((await readdir(folder)).filter((name) => name.startsWith('nothing'))).toEqual([]);
});

function nameOf(line: string): string {
  return commands.find(({ name }) => `${line} `.startsWith(`${name} `))?.name ?? line;
}

test('the embedded database is not distributed, and is not even started for that', async () => {
  const dataDir = join(folder, 'embedded');
  await mkdir(join(dataDir, 'postgres'), { recursive: true });
  const { status, said } = await failure(['db', 'distribute', '--data-dir', dataDir]);
  expect([status, said]).toEqual([
    2,
    expect.stringContaining(
      'The embedded PostgreSQL is a single server. Name the first server of a Citus cluster with --database-url.',
    ),
  ]);
  expect(await readdir(join(dataDir, 'postgres'))).toEqual([]);
});

test('the doctor does not create a database', async () => {
  const empty = join(folder, 'nothing-here');
  const { status, stdout } = await runHere(['doctor', '--data-dir', empty, '--json']);
  expect(status).toBe(0);
  expect(stdout).toContain('the first start creates it');
  expect((await readdir(folder)).includes('nothing-here')).toBe(false);
});

test('an incomplete command shows its help, with an example, as a usage error', async () => {
  for (const words of [[], ['org'], ['key']]) {
    const { status, stdout, stderr } = await runHere(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: orrery.*Example:\n {2}orrery [a-z]+ [^\n]+\n$/s);
  }
});

test('a reader that stops reading ends the command without a trace', async () => {
  const child = spawnOrrery(['config']);
  child.stdout?.destroy();
  const { stderr } = await ended(child);
  expect(stderr).toBe('');
});
