// A restore signs everybody out, brings no used link, changed password and deleted member back, and keeps the others and providers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emailDigest } from '../../src/access/secret-text.ts';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { setProvider } from '../../src/engine/sign-in/for-operator.ts';
import { wasMember } from '../../src/store/sign-in/members.ts';
import { findSubject } from '../../src/store/sign-in/providers.ts';
import { type BackupFolder, backUpTo, createBackupFolder, restoreFrom } from '../support/backup/backups.ts';
import { rawQuery } from '../support/database.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { pathOfRecord } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, Person, signedIn, tokenFor, withPassword } from '../support/sign-in/person.ts';

let service: TestService;
let folder: BackupFolder;
beforeAll(async () => {
  service = await startService();
  folder = await createBackupFolder();
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

test('after a restore of an older backup', async () => {
  const { orgId, admin } = await administeredOrg(service);
  const [changed, unchanged] = [await memberWith(admin, 'Viewer'), await memberWith(admin, 'Viewer')];
  const deleted = await memberWith(admin, 'Viewer');
  await withPassword(service, orgId, deleted, 'the password of a leaver');
  const [old, kept, fresh] = ['the leaked password', 'the same password', 'the fresh password'];
  const person = await withPassword(service, orgId, changed, old);
  await withPassword(service, orgId, unchanged, kept);
  const used = await tokenFor(service, orgId, unchanged.email);
  const facts = { issuer: 'https://id.example.com', clientId: 'orrery', clientSecret: 'secret' };
  const named = { ...facts, provisionRole: null, emailDomains: [] };
  await withCommandEngine(service.database, (engine) => setProvider(engine, orgId, named));
  const file = folder.path('sign-in.backup');
  await backUpTo(service.database, file);

  expect((await new Person(service.url).open(used)).status).toBe(200);
  await person.post('password/change', { current_password: old, password: fresh });
  const later = await signedIn(service, orgId, changed);
  await admin.delete(pathOfRecord({ object_type: 'svc_member', id: deleted.id }));
  // Came and left since the backup was made, which knows nothing of them.
  const passing = await memberWith(admin, 'Viewer');
  await rawQuery(
    service.databaseUrl,
    `insert into orrery.oidc_subject (org_id, issuer, subject, member_id)
     values (${orgId}, 'https://id.example.com', 'passing', '${passing.id}')`,
  );
  await admin.delete(pathOfRecord({ object_type: 'svc_member', id: passing.id }));
  await restoreFrom(service.database, file);

  const again = await startService({ databaseUrl: service.databaseUrl });
  try {
    for (const one of [person, later]) {
      expect((await again.client(one.bearer).get('/self/')).body.reason).toBe('key_unknown');
      const visitor = new Person(again.url);
      for (const [name, value] of one.cookies) visitor.cookies.set(name, value);
      expect((await visitor.refresh()).body.data).toBeNull();
    }
    expect((await new Person(again.url).open(used)).status).toBe(401);
    const typing = async (email: string, password: string) =>
      (await new Person(again.url).post('password', { org_id: orgId, email, password })).status;
    expect(await typing(changed.email, old)).toBe(401);
    expect(await typing(changed.email, fresh)).toBe(200);
    expect(await typing(unchanged.email, kept)).toBe(200);
    expect(await typing(deleted.email, 'the password of a leaver')).toBe(401);
    const [known, subjects] = [
      await wasMember(service.database, orgId, emailDigest(passing.email)),
      await findSubject(service.database, orgId, { issuer: 'https://id.example.com', subject: 'passing' }),
    ];
    expect({ known, subjects }).toEqual({ known: true, subjects: passing.id });
    expect((await new Person(again.url).post('ways', { org_id: orgId })).body.data.oidc).toBe('id.example.com');
  } finally {
    await again.stop();
  }
});
