// What signing in leaves behind is bounded: ended sessions, unused links and old failures go, and nobody keeps thousands of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '../../src/base/limits.ts';
import { keepHouse } from '../../src/engine/admin/housekeeping.ts';
import type { Client } from '../support/client.ts';
import { rawQuery } from '../support/database.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, signedIn, tokenFor } from '../support/sign-in/person.ts';

let service: TestService;
let orgId: number;
let admin: Client;
beforeAll(async () => {
  service = await startService();
  ({ orgId, admin } = await administeredOrg(service));
});
afterAll(() => service.stop());

const ask = async (text: string) => (await rawQuery(service.databaseUrl, text)).rows;
const count = async (table: string) => Number((await ask(`select count(*) from orrery.${table}`))[0]?.count);

test('a session keeps as many bearers as tabs need, and the newest work', async () => {
  const person = await signedIn(service, orgId, await memberWith(admin, 'Viewer'));
  for (let tab = 0; tab < bounds.signIn.bearersPerSession + 5; tab++) await person.refresh();
  expect(await count('bearer')).toBe(bounds.signIn.bearersPerSession);
  expect((await service.client(person.bearer).get('/self/')).status).toBe(200);
});

test('a member has a bounded number of links and sessions', async () => {
  const member = await memberWith(admin, 'Viewer');
  const { linksPerMember, sessionsPerMember } = bounds.signIn;
  for (let link = 0; link < linksPerMember + 3; link++) await tokenFor(service, orgId, member.email);
  expect(await count(`sign_in_link where member_id = '${member.id}'`)).toBe(linksPerMember);
  const first = await signedIn(service, orgId, member);
  await ask(`update orrery.session set used_at = now() - interval '1 hour' where member_id = '${member.id}'`);
  for (let session = 0; session < sessionsPerMember; session++) await signedIn(service, orgId, member);
  expect(await count(`session where member_id = '${member.id}' and ended_at is null`)).toBe(sessionsPerMember);
  expect((await first.refresh()).body.data).toBeNull();
});

test('what is over goes after a day, and what goes on stays', async () => {
  const member = await memberWith(admin, 'Viewer');
  const [over, open] = [await signedIn(service, orgId, member), await signedIn(service, orgId, member)];
  await over.post('sign-out');
  await tokenFor(service, orgId, member.email);
  await ask(`update orrery.session set ended_at = ended_at - interval '25 hours'`);
  await ask('update orrery.sign_in_link set expires_at = now()');
  await ask(
    `insert into orrery.sign_in_try select ${orgId}, 'a', 3, t, t, t from (select now() - interval '16 minutes' as t) as t`,
  );
  const day = 86_400;
  await keepHouse(service.database, { trashSeconds: day, changesSeconds: day });
  expect(await count('session where ended_at is not null')).toBe(0);
  expect(await count('sign_in_link')).toBe(0);
  expect(await count('sign_in_try')).toBe(0);
  expect(
    await count('bearer as b where not exists (select from orrery.session as s where s.session_id = b.session_id)'),
  ).toBe(0);
  expect((await open.refresh()).body.data).not.toBeNull();
});
