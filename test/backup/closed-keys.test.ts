// A restore opens nothing that was closed since the backup was made: revoked keys and secrets that were rotated away stay
// closed, across several restores and in every org, unless the operator wants the keys of the backup.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { raw, sql } from '../../src/base/sql.ts';
import { type IssuedKey, revokeKey, rotateKey } from '../../src/engine/admin/keys.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { applyMigrations, readMigrations } from '../../src/store/migrate.ts';
import { type BackupFolder, backUpTo, createBackupFolder, restoreFrom } from '../support/backup/backups.ts';
import { orreryJson, runOrrery, withoutProgress } from '../support/cli.ts';
import { createDatabase, rawQuery } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: BackupFolder;
beforeAll(async () => {
  folder = await createBackupFolder();
});
beforeEach(async () => {
  service = await startService();
  return () => service.stop();
});
afterAll(() => folder.remove());

let files = 0;
const newFile = () => folder.path(`${++files}.backup`);

async function backedUp(): Promise<string> {
  const file = newFile();
  await backUpTo(service.database, file);
  return file;
}

/** What keys are answered with by a process that has cached nothing: 200, or the reason. */
async function answersTo(...keys: readonly Pick<IssuedKey, 'key'>[]): Promise<readonly unknown[]> {
  const fresh = await startService({ databaseUrl: service.databaseUrl });
  try {
    const answers = await Promise.all(keys.map(({ key }) => fresh.client(key).get('/self/')));
    return answers.map(({ status, body }) => body.reason ?? status);
  } finally {
    await fresh.stop();
  }
}

const kept = ({ credentialId }: IssuedKey, orgId: number, reason: string) => ({ orgId, credentialId, reason });

test('revoked keys and old secrets stay closed in every org, and the new secret goes on working', async () => {
  const orgs = [await service.createOrg(), await service.createOrg()];
  const keys: { revoked: IssuedKey; old: IssuedKey; untouched: IssuedKey }[] = [];
  for (const orgId of orgs) {
    keys.push({
      revoked: await service.createKey(orgId),
      old: await service.createKey(orgId),
      untouched: await service.createKey(orgId),
    });
  }
  const file = await backedUp();
  const closed: ReturnType<typeof kept>[] = [];
  const fresh: IssuedKey[] = [];
  for (const [index, orgId] of orgs.entries()) {
    const { revoked, old } = keys[index] as (typeof keys)[number];
    await revokeKey(service.database, revoked.credentialId);
    fresh.push(await rotateKey(service.database, old.credentialId, 0));
    closed.push(
      ...[kept(revoked, orgId, 'revoked'), kept(old, orgId, 'rotated')].toSorted((left, right) =>
        left.credentialId < right.credentialId ? -1 : 1,
      ),
    );
  }
  const { keptClosed } = await restoreFrom(service.database, file);
  expect(keptClosed).toEqual(closed);
  for (const [index, { revoked, old, untouched }] of keys.entries()) {
    const answers = await answersTo(revoked, old, fresh[index] as IssuedKey, untouched);
    expect(answers).toEqual(['key_revoked', 'key_expired', 200, 200]);
  }
});

test('the operator can have the keys as they were in the backup', async () => {
  const orgId = await service.createOrg();
  const [revoked, old] = [await service.createKey(orgId), await service.createKey(orgId)];
  const file = await backedUp();
  await revokeKey(service.database, revoked.credentialId);
  const fresh = await rotateKey(service.database, old.credentialId, 0);
  expect((await restoreFrom(service.database, file, undefined, 'come_back')).keptClosed).toEqual([]);
  expect(await answersTo(revoked, old, fresh)).toEqual([200, 200, 'key_unknown']);
  // That was their last word: the next restore does not close them.
  expect((await restoreFrom(service.database, file)).keptClosed).toEqual([]);
  expect(await answersTo(revoked, old)).toEqual([200, 200]);
});

test('what was closed is remembered through a restore to before the key was made, and by backups', async () => {
  const orgId = await service.createOrg();
  const before = await backedUp();
  const [revoked, old] = [await service.createKey(orgId), await service.createKey(orgId)];
  const open = await backedUp();
  await revokeKey(service.database, revoked.credentialId);
  await rotateKey(service.database, old.credentialId, 0);
  expect((await restoreFrom(service.database, before)).keptClosed).toEqual([]);
  const knowing = await backedUp();
  for (const oldKeys of ['stay_closed', 'come_back'] as const) {
    await restoreFrom(service.database, before, undefined, oldKeys);
    const { keptClosed } = await restoreFrom(service.database, open);
    expect(keptClosed.map(({ credentialId, reason }) => `${credentialId} ${reason}`).toSorted()).toEqual(
      [`${revoked.credentialId} revoked`, `${old.credentialId} rotated`].toSorted(),
    );
    expect(await answersTo(revoked, old)).toEqual(['key_revoked', 'key_expired']);
  }
  // In another database too, if a backup made afterwards comes before the older one.
  const other = await createDatabase();
  const database = await openUnmigrated({ engine: 'server', url: other.url });
  try {
    await restoreFrom(database, knowing);
    expect((await restoreFrom(database, open)).keptClosed).toHaveLength(2);
  } finally {
    await database.close();
    await other.drop();
  }
});

test('an empty database gets the keys of the backup, and a later backup keeps its own secrets', async () => {
  const orgId = await service.createOrg();
  const [key, revoked] = [await service.createKey(orgId), await service.createKey(orgId)];
  const earlier = await backedUp();
  const fresh = await rotateKey(service.database, key.credentialId, 0);
  await revokeKey(service.database, revoked.credentialId);
  const later = await backedUp();
  const other = await createDatabase();
  const database = await openUnmigrated({ engine: 'server', url: other.url });
  const copy = await startService({ databaseUrl: other.url });
  try {
    expect((await restoreFrom(database, earlier)).keptClosed).toEqual([]);
    const state = async () =>
      (
        await rawQuery(
          other.url,
          `select coalesce(s.valid_until <= now(), false) as ended, r.id is null as revoked
            from orrery.secret as s left join orrery.record as r on r.org_id = s.org_id and r.id = s.record_id
            order by s.record_id, s.created_at`,
        )
      ).rows;
    const open = { ended: false, revoked: false };
    expect(await state()).toEqual([open, open]);
    expect((await restoreFrom(database, later)).keptClosed).toEqual([]);
    expect(await state()).toEqual([{ ...open, ended: true }, open, { ...open, revoked: true }]);
    expect((await copy.client(fresh.key).get('/self/')).status).toBe(200);
  } finally {
    await copy.stop();
    await database.close();
    await other.drop();
  }
});

test('a grace period goes on, and a secret that was deleted since does not come back', async () => {
  const orgId = await service.createOrg();
  const key = await service.createKey(orgId);
  const file = await backedUp();
  const second = await rotateKey(service.database, key.credentialId, 3_600);
  const { keptClosed } = await restoreFrom(service.database, file);
  expect(keptClosed).toEqual([kept(key, orgId, 'rotated')]);
  expect(await answersTo(key, second)).toEqual([200, 200]);
  // A database of a release that remembered nothing of a secret that had ended a month ago.
  await rawQuery(service.databaseUrl, 'truncate orrery.closed_key');
  await service.database.query(sql`delete from orrery.secret where org_id = ${orgId} and valid_until is not null`);
  expect((await restoreFrom(service.database, file)).keptClosed).toEqual([kept(key, orgId, 'rotated')]);
  expect(await answersTo(key, second)).toEqual(['key_expired', 200]);
});

test('the migration finds what was closed before, and a database without it is replaced all the same', async () => {
  const own = await createDatabase();
  const database = await openUnmigrated({ engine: 'server', url: own.url });
  try {
    const migrations = await readMigrations();
    const at = migrations.findIndex(({ name }) => name.endsWith('-closed-keys.sql'));
    await database.transaction((transaction) => applyMigrations(transaction, migrations.slice(0, at)));
    const insert = (revoked: string, until: string) => `
      insert into orrery.org (org_id, name, currency, rate_quota, rate_window_seconds, changed_in)
        values (1, 'Old', 'USD', 6000, 60, 0) on conflict do nothing;
      insert into orrery.credential (org_id, credential_id, name, reach, revoked_at) values (1, 'a', '', 'org', ${revoked});
      insert into orrery.secret (org_id, credential_id, digest, valid_until) values (1, 'a', 'x', ${until})`;
    await database.script(insert('null', 'null'));
    const file = newFile();
    await backUpTo(database, file);
    await database.script(`update orrery.credential set revoked_at = '2026-01-01';
      update orrery.secret set valid_until = '2026-01-02'`);
    expect((await restoreFrom(database, file)).keptClosed).toEqual([
      { orgId: 1, credentialId: 'a', reason: 'revoked' },
    ]);
    const closed = `select credential_id as key, length(digest) as digest, to_char(closed_at, 'DD') as day
      from orrery.closed_key order by digest`;
    const expected = [
      { key: 'a', digest: 0, day: '01' },
      { key: 'a', digest: 1, day: '02' },
    ];
    expect(await database.query(sql`${raw(closed)}`)).toEqual(expected);
    await database.script('drop schema orrery cascade');
    await database.transaction((transaction) => applyMigrations(transaction, migrations.slice(0, at)));
    await database.script(insert("'2026-01-01'", "'2026-01-02'"));
    await database.transaction((transaction) => applyMigrations(transaction, migrations));
    expect(await database.query(sql`${raw(closed)}`)).toEqual(expected);
  } finally {
    await database.close();
    await own.drop();
  }
});

test('the command names the keys that stay closed, as text and as JSON', async () => {
  const orgId = await service.createOrg();
  const keys: IssuedKey[] = [];
  for (let count = 0; count < 12; count++) keys.push(await service.createKey(orgId));
  const file = await backedUp();
  for (const { credentialId } of keys) await revokeKey(service.database, credentialId);
  const restoring = ['db', 'restore', file, '--discard', '--database-url', service.databaseUrl];
  const { status, stdout, stderr } = await runOrrery(restoring);
  expect([status, withoutProgress(stderr)]).toEqual([0, '']);
  expect(stdout).toMatch(
    /\nClosed since .* still closed: (\w+ \(revoked\), ){10}2 more keys\. --with-old-keys would .*\n$/,
  );
  const { kept_closed } = await orreryJson<{ kept_closed: unknown[] }>(restoring);
  expect(kept_closed).toEqual(
    keys
      .map(({ credentialId }) => ({ org_id: orgId, key_id: credentialId, reason: 'revoked' }))
      .toSorted((left, right) => (left.key_id < right.key_id ? -1 : 1)),
  );
  expect((await orreryJson<{ kept_closed: unknown[] }>([...restoring, '--with-old-keys'])).kept_closed).toEqual([]);
  expect(await answersTo(...keys.slice(0, 1))).toEqual([200]);
});
