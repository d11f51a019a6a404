// orrery trash list, restore and purge as a person or a script runs them: what they print, and what they refuse.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commands } from '../../src/cli/all.ts';
import { Options } from '../../src/cli/command.ts';
import { readConfig } from '../../src/config.ts';
import { runOrrery } from '../support/cli.ts';
import type { Client } from '../support/client.ts';
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

interface Printed {
  readonly value: unknown;
  readonly text: string;
}

/** Runs the command in this process, with the options as commander hands them on. */
async function run(name: string, argument = '', options: Readonly<Record<string, unknown>> = {}): Promise<Printed> {
  const command = commands.find((each) => each.name === name);
  const printed: Printed[] = [];
  await command?.run({
    config: readConfig({ databaseUrl: service.databaseUrl }, {}),
    argument,
    options: new Options({ org, ...options }),
    print: (value, text) => {
      printed.push({ value, text });
    },
  });
  const [only] = printed;
  if (only === undefined || printed.length > 1) throw new Error(`It printed ${printed.length} results.`);
  return only;
}

test('list shows what is there and until when, and nothing of it reaches into the terminal', async () => {
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
  const told = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  expect((await run('trash list', '', { type: 'svc_note', limit: '1' })).value).toMatchObject([{ id: note.id }]);
  expect(told).not.toHaveBeenCalled();
  expect((await run('trash list', '', { limit: '1' })).value).toMatchObject([{ id: contact.id }]);
  expect(told.mock.calls).toEqual([['There are more than 1: see them with --limit.\n']]);
  told.mockRestore();
  for (const limit of ['0', '10001', '1.5', 'all']) {
    await expect(run('trash list', '', { limit })).rejects.toThrow('--limit must be a number from 1 to 10000');
  }
});

test('restore brings a record back, and says so; asked again, that it is live', async () => {
  expect(await run('trash restore', note.id)).toEqual({
    value: { id: note.id, object_type: 'svc_note', version: '3', restored: true },
    text: `Record ${note.id} of svc_note is back.`,
  });
  expect((await read(client, note)).version).toBe('3');
  expect(await run('trash restore', note.id, { type: 'svc_note' })).toEqual({
    value: { id: note.id, object_type: 'svc_note', version: '3', restored: false },
    text: `Record ${note.id} of svc_note was not in the trash: it is live.`,
  });
});

test('purge wants to be told what; then it goes for good', async () => {
  await expect(run('trash purge')).rejects.toThrow('Nothing says which records are to go for good.');
  for (const more of [{ type: 'svc_note' }, { olderThan: '7d' }]) {
    await expect(run('trash purge', '', { all: true, ...more })).rejects.toThrow('--all takes no other selection');
  }
  await expect(run('trash purge', contact.id, { all: true })).rejects.toThrow('--all takes no other selection');
  expect((await run('trash purge', contact.id, { olderThan: '1d' })).value).toEqual({ org_id: Number(org), purged: 0 });
  expect(await run('trash purge', contact.id)).toEqual({
    value: { org_id: Number(org), purged: 1 },
    text: 'One record is gone for good.',
  });
  expect((await run('trash purge', '', { all: true })).text).toBe('0 records are gone for good.');
  expect((await run('trash list')).value).toEqual([]);
});

test('the flags are those that the help names', async () => {
  const words = ['trash', 'purge', '--org', org, '--type', 'svc_note', '--older-than', 'soon', '--database-url'];
  expect(await runOrrery([...words, service.databaseUrl])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'orrery: --older-than must be a time such as 90d, 24h, 15m or 30s; got "soon". For example: --older-than 24h.\n',
  });
});
