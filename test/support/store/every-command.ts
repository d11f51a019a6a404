// Runs every command that opens a database once, on a service that is running, with something for it to work on.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands } from '../../../src/cli/all.ts';
import { runCommand } from '../command.ts';
import { rawQuery } from '../database.ts';
import { contacts } from '../records.ts';
import type { TestService } from '../service.ts';

/** Those that serve, those that open no database, and the one that needs a cluster. */
const others = ['serve', 'demo', 'config', 'version', 'db distribute'];

export const databaseCommands: readonly string[] = commands
  .map(({ name }) => name)
  .filter((name) => !others.includes(name));

type Run = (name: string, argument?: string, options?: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** The names of those that were run; the first one that fails throws. */
export async function runEveryCommand(
  service: TestService,
  folder: string,
  except: readonly string[],
): Promise<readonly string[]> {
  const ran = new Set<string>();
  let org = '';
  const run: Run = async (name, argument = '', options = {}) => {
    if (except.includes(name)) return undefined;
    const { value, failure } = await runCommand(service.databaseUrl, name, argument, { org, ...options });
    // What doctor finds wrong on the machine of the test is no matter here.
    if (failure !== undefined && failure.kind !== 'unhealthy') throw failure;
    ran.add(name);
    return value;
  };
  const write = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  await run('db migrate');
  org = String(((await run('org create', 'Acme')) as { org_id: number }).org_id);
  await onOrg(run, org);
  await onPeople(run, write);
  await onRecords(run, write, service, Number(org));
  await run('export', '', { all: join(folder, 'all') });
  const copy = String(((await run('org create', 'Copy')) as { org_id: number }).org_id);
  await run('migrate', join(folder, 'all'), { org: copy, from: 'folder' });
  await run('db status');
  await run('db backup', join(folder, 'all.backup'));
  await run('doctor');
  await run('db restore', join(folder, 'all.backup'), { discard: true });
  return [...ran];
}

type WriteFile = (name: string, text: string) => Promise<string>;

async function onOrg(run: Run, org: string): Promise<void> {
  await run('org list');
  await run('org update', org, { name: 'Acme Ltd' });
  await run('schema show');
  await run('types');
  const { key_id: id } = (await run('key create')) as { readonly key_id: string };
  for (const name of ['key explain', 'key list', 'key rotate', 'key revoke'])
    await run(name, name === 'key list' ? '' : id);
  for (const name of ['jobs list', 'audit list', 'role list', 'index list', 'trash list']) await run(name);
}

async function onPeople(run: Run, write: WriteFile): Promise<void> {
  const email = 'ada@example.com';
  const member = { name: 'Ada', email, role: 'Administrator' };
  const { member_id: id } = (await run('member create', '', member)) as { readonly member_id: string };
  await run('member list');
  await run('member invite', email);
  await run('member link', email);
  const clientSecretFile = await write('secret', 'secret');
  await run('oidc set', '', { issuer: 'https://id.example.com', clientId: 'orrery', clientSecretFile });
  await run('oidc show');
  await run('oidc unbind', email);
  await run('oidc remove');
  await run('member create', '', { ...member, name: 'Bob', email: 'bob@example.com' });
  await run('member deactivate', id);
}

async function onRecords(run: Run, write: WriteFile, service: TestService, orgId: number): Promise<void> {
  const type = 'svc_contact';
  const properties = [{ name: 'name', label: 'Name', field_type: 'text' }];
  const boats = { name: 'boat', label: 'Boat', plural_label: 'Boats', title_property: 'name', properties };
  const schema = { object_types: [boats] };
  await run('schema apply', await write('schema.json', JSON.stringify(schema)));
  const csv = await write('contacts.csv', 'First name,Email\nAda,ada@example.com\nBob,bob@example.com\n');
  const mapped = { type, map: await write('map.json', '{"First name": "svc_first_name", "Email": "svc_email"}') };
  await run('import', csv, { ...mapped, dryRun: true });
  const { job_id: job } = (await run('import', csv, mapped)) as { readonly job_id: string };
  await run('revert', '', { job });
  const thread = { external_id: '1', properties: { svc_subject: 'Hello' } };
  await run('ingest', await write('threads.ndjson', `${JSON.stringify(thread)}\n`), { type: 'svc_email_thread' });
  const client = service.client((await service.createKey(orgId)).key);
  const deleted: string[] = [];
  for (const name of ['Cy', 'Di', 'Ed']) {
    const { id } = (await client.post(contacts, { properties: { svc_first_name: name } })).body.data as { id: string };
    await client.delete(`${contacts}${id}/`);
    deleted.push(id);
  }
  const [restored = '', purged = ''] = deleted;
  await run('trash restore', restored);
  await run('trash purge', purged);
  await run('erase', restored, { type });
  await rawQuery(
    service.databaseUrl,
    `insert into orrery.property_index (org_id, type_id, property_id, state) values (${orgId}, 1, 3, 'ready')`,
  );
  const [index] = (await run('index list')) as readonly { readonly property: string }[];
  await run('index drop', index?.property, { type });
}
