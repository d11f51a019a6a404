// orrery trash list, restore and purge as a person or a script runs them: their results and their refusals.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
import { type CommandEnd, runCommand } from '../support/command.ts';
import { make, pathOfRecord, type RecordData, read } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let org: string;
let client: Client;
let note: RecordData;
let contact: RecordData;
beforeAll(async () => {
  service = await startService();
  const orgId = await service.createOrg();
  org = String(orgId);
  client = service.client((await service.createKey(orgId)).key);
  note = await make(client, 'svc_note', { svc_title: `Call\u001b[31m back, ${'soon '.repeat(20)}` });
  contact = await make(client, 'svc_contact');
  for (const record of [note, contact]) await client.delete(pathOfRecord(record));
});
afterAll(() => service.stop());

/** Runs the command on the org, and throws its failure. */
async function run(name: string, argument = '', options: Readonly<Record<string, unknown>> = {}): Promise<CommandEnd> {
  const end = await runCommand(service.databaseUrl, name, argument, { org, ...options });
  if (end.failure !== undefined) throw end.failure;
  return end;
}

test('list shows deleted records and how long they are kept, and no title can control the terminal', async () => {
  const { value, text } = await run('trash list');
  const date = expect.stringMatching(/^20.*Z$/);
  expect(value).toEqual([
    { id: contact.id, object_type: 'svc_contact', title: null, deleted_at: date, purged_at: date },
    { id: note.id, object_type: 'svc_note', title: note.properties['svc_title'], deleted_at: date, purged_at: date },
  ]);
  const [entry] = value as { deleted_at: string; purged_at: string }[];
  expect(Date.parse(entry?.purged_at ?? '') - Date.parse(entry?.deleted_at ?? '')).toBe(30 * 86_400_000);
  const [header, , row] = text.split('\n');
  expect(header).toMatch(/^RECORD +TYPE +TITLE +DELETED +PURGED$/);
  expect(row).toContain(`${note.id}  svc_note     Call\ufffd[31m back, soon soon soon`);
  expect(text).not.toContain('\u001b');
  expect(await run('trash list', '', { type: 'svc_note', limit: '1' })).toMatchObject({
    value: [{ id: note.id }],
    told: [],
  });
  expect(await run('trash list', '', { limit: '1' })).toMatchObject({
    value: [{ id: contact.id }],
    told: ['There are more records than 1; show more with --limit.'],
  });
  for (const limit of ['0', '10001', '1.5', 'all']) {
    await expect(run('trash list', '', { limit })).rejects.toThrow('--limit must be a number from 1 to 10000');
  }
});

test('restore restores a record and says so; run again, it says that the record is live', async () => {
  expect(await run('trash restore', note.id)).toMatchObject({
    value: { id: note.id, object_type: 'svc_note', version: '3', restored: true },
    text: `Restored record ${note.id} of svc_note.`,
  });
  expect((await read(client, note)).version).toBe('3');
  expect(await run('trash restore', note.id, { type: 'svc_note' })).toMatchObject({
    value: { id: note.id, object_type: 'svc_note', version: '3', restored: false },
    text: `Record ${note.id} of svc_note is not in the trash: it is live.`,
  });
});

test('purge needs a selection, and removes it for good', async () => {
  await expect(run('trash purge')).rejects.toThrow('No records are selected.');
  for (const more of [{ type: 'svc_note' }, { olderThan: '7d' }]) {
    await expect(run('trash purge', '', { all: true, ...more })).rejects.toThrow('--all cannot be combined');
  }
  await expect(run('trash purge', contact.id, { all: true })).rejects.toThrow('--all cannot be combined');
  expect((await run('trash purge', contact.id, { olderThan: '1d' })).value).toEqual({ org_id: Number(org), purged: 0 });
  expect(await run('trash purge', contact.id)).toMatchObject({
    value: { org_id: Number(org), purged: 1 },
    text: 'Purged 1 record.',
  });
  expect((await run('trash purge', '', { all: true })).text).toBe('Purged 0 records.');
  expect((await run('trash list')).value).toEqual([]);
});

test('the flags are those of the help', async () => {
  const words = ['trash', 'purge', '--org', org, '--type', 'svc_note', '--older-than', 'soon', '--database-url'];
  expect(await runOrrery([...words, service.databaseUrl])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'orrery: --older-than must be a time such as 90d, 24h, 15m or 30s; got "soon". For example: --older-than 24h.\n',
  });
});
