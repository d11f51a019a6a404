// A file that is not exactly the backup that was made is refused before anything is touched, wherever it was cut, extended
// or changed. A backup's file appears whole or not at all, is readable by its owner alone, and never replaces another.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { openNewFile } from '../../src/cli/db/backup-file.ts';
import { readBackup, verifyBackup } from '../../src/store/backup/read.ts';
import { addSeal } from '../../src/store/backup/seal.ts';
import { type BackupFolder, backUpTo, createBackupFolder, restoreFrom } from '../support/backup/backups.ts';
import { make } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: BackupFolder;
let whole: Buffer;
beforeAll(async () => {
  service = await startService();
  folder = await createBackupFolder();
  const client = await service.newClient();
  for (const name of ['\\.', '\n\\.\n', 'c']) await make(client, 'svc_contact', { svc_last_name: name });
  await backUpTo(service.database, folder.path('whole'));
  whole = await readFile(folder.path('whole'));
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

async function refusalOf(content: Buffer): Promise<string> {
  const file = folder.path('changed');
  await writeFile(file, content);
  return verifyBackup(file).then(
    () => 'accepted',
    (error: Error & { kind?: string }) => `${error.kind}: ${error.message}`,
  );
}

/** The size of the seal at the end of every file. */
const sealBytes = 58;

async function sealed(bytes: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of addSeal(Readable.from([bytes]))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The same backup as releases before the seal made it. */
function asBeforeTheSeal(file: Buffer): Buffer {
  const [header = '', ...rest] = gunzipSync(file).toString('latin1').split('\n');
  const trailer = JSON.parse(rest.at(-2) ?? '');
  const text = `${[header.replace('"sealed":true,', ''), ...rest.slice(0, -2)].join('\n')}\n`;
  const sha256 = createHash('sha256').update(text, 'latin1').digest('hex');
  return gzipSync(Buffer.from(`${text}${JSON.stringify({ ...trailer, sha256 })}\n`, 'latin1'));
}

const isRefused = expect.stringMatching(/^invalid_file: .*(is damaged|is not a backup)/);
/** A changed byte can change the version of the format. */
const isRefusedAnyhow = expect.stringMatching(/^invalid_file: .*(is damaged|is not a backup)|^schema_newer: /);

test('a file with any bit flipped or cut at any place is refused', async () => {
  expect(await refusalOf(whole)).toBe('accepted');
  const step = Math.ceil(whole.length / 150);
  const isEdge = (at: number) => at < 30 || at >= whole.length - sealBytes - 10;
  for (let at = 0; at < whole.length; at += isEdge(at) ? 1 : step) {
    expect(await refusalOf(whole.subarray(0, at)), `cut at ${at}`).toEqual(isRefused);
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    expect(await refusalOf(changed), `changed at ${at}`).toEqual(isRefusedAnyhow);
  }
});

test('a changed file is refused even if it unpacks to the same text', async () => {
  const text = gunzipSync(whole);
  const packed = gzipSync(text, { level: 9 });
  expect(await refusalOf(packed)).toEqual(isRefused);
  // The bits of the operating system in gzip's header change nothing when the file is unpacked.
  const changed = Buffer.from(whole);
  changed[9] = (changed[9] ?? 0) ^ 1;
  expect(gunzipSync(changed)).toEqual(text);
  expect(await refusalOf(changed)).toEqual(isRefused);
  expect(await refusalOf(await sealed(packed))).toBe('accepted');
});

test('a changed text is refused even if it is packed and sealed again', async () => {
  const lines = gunzipSync(whole).toString('latin1').split('\n');
  const packed = (changed: readonly string[]) => sealed(gzipSync(Buffer.from(changed.join('\n'), 'latin1')));
  for (let at = 1; at < lines.length - 1; at += 5) {
    expect(await refusalOf(await packed(lines.toSpliced(at, 1))), `without line ${at}`).toEqual(isRefused);
    expect(await refusalOf(await packed(lines.toSpliced(at, 0, lines[at] ?? ''))), `line ${at} twice`).toEqual(
      isRefused,
    );
  }
  expect(await refusalOf(await packed([...lines, 'more']))).toEqual(isRefused);
  const header = lines[0] ?? '';
  const otherFormat = await packed([header.replace('"format_version":1', '"format_version":2'), ...lines.slice(1)]);
  expect(await refusalOf(otherFormat)).toMatch(/^schema_newer: .*another backup format \(2\)/);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('id,name\n1,Ada\n')],
  ['compressed text', gzipSync('id,name\n1,Ada\n')],
  ['compressed JSON', gzipSync('{"format":"pg_dump"}\n')],
  ['a head without the rest', gzipSync('{"format":"orrery-backup","format_version":1}\n')],
  ['a long line', gzipSync(Buffer.alloc(3_000_000, 97))],
])('a file of %s is refused', async (_, content) => {
  expect(await refusalOf(content)).toEqual(isRefused);
});

test('bytes after a complete backup are noticed', async () => {
  for (const more of [
    Buffer.alloc(1),
    Buffer.alloc(20),
    Buffer.from('x'),
    gzipSync('x'),
    gzipSync(''),
    whole,
    whole.subarray(-sealBytes),
  ]) {
    expect(await refusalOf(Buffer.concat([whole, more]))).toEqual(isRefused);
  }
  await expect(verifyBackup(folder.path('none'))).rejects.toThrow(/cannot be read/);
});

test('values that look like the end of a table come through', async () => {
  const rows: Buffer[] = [];
  await readBackup(folder.path('whole'), async (name, chunks) => {
    if (name !== 'record') return;
    for await (const chunk of chunks) rows.push(chunk);
  });
  const names = [
    ...Buffer.concat(rows)
      .toString()
      .matchAll(/"svc_last_name": ("(?:[^"\\]|\\.)*")/g),
  ].map((match) => JSON.parse((match[1] ?? '').replaceAll('\\\\', '\\')));
  expect(new Set(names)).toEqual(new Set(['\n\\.\n', '\\.', 'c']));
});

test('a backup of a release before the seal is restored, and still checked', async () => {
  const old = asBeforeTheSeal(whole);
  expect(await refusalOf(old)).toBe('accepted');
  expect(await refusalOf(old.subarray(0, -1))).toEqual(isRefused);
  expect(await refusalOf(await sealed(old))).toEqual(isRefused);
  await writeFile(folder.path('old'), old);
  await restoreFrom(service.database, folder.path('old'));
  const [count] = await service.database.query<{ names: number }>(
    sql`select count(*)::integer as names from orrery.record where properties ? 'svc_last_name'`,
  );
  expect(count).toEqual({ names: 3 });
});

async function* content(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

test('a backup is readable by its owner alone, and never takes the place of another file', async () => {
  expect((await stat(folder.path('whole'))).mode & 0o777).toBe(0o600);
  await expect(openNewFile(folder.path('whole'))).rejects.toThrow(/The file .*whole already exists/);
  const late = await openNewFile(folder.path('late'));
  // Two at once conflict only when they are complete.
  await (await openNewFile(folder.path('late'))).discard();
  await writeFile(folder.path('late'), 'somebody was faster');
  await expect(late.write(content('x'))).rejects.toThrow(/The file .*late already exists/);
  expect(await readFile(folder.path('late'), 'utf8')).toBe('somebody was faster');
  await expect(openNewFile(folder.path('none/file'))).rejects.toThrow(/The folder of .* does not exist/);
});

test('a backup that fails or is discarded leaves nothing', async () => {
  await mkdir(folder.path('empty'));
  const broken = await openNewFile(folder.path('empty/broken'));
  const failing = (async function* () {
    yield Buffer.alloc(200_000, 1);
    throw new RangeError('in the middle');
  })();
  await expect(broken.write(failing)).rejects.toThrow('in the middle');
  await (await openNewFile(folder.path('empty/unused'))).discard();
  expect(await readdir(folder.path('empty'))).toEqual([]);
});
