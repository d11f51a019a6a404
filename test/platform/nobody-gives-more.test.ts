// Nobody gives more than they have (platform 3): random callers write keys, roles and members at random, and use every key
// that they get hold of. None of these keys can do what the first one could not, as far as the service itself shows it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grant, parseGrant } from '../../src/access/grant.ts';
import type { Client } from '../support/client.ts';
import { administeredOrg, makeKey, makeMember, roleNamed } from '../support/platform/administrator.ts';
import { excessOf, type Powers, powersOf } from '../support/platform/powers.ts';
import { Random } from '../support/random.ts';
import { pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

const callers = 12;
const writesPerCaller = 50;
const types = ['*', 'platform', 'svc_contact', 'svc_deal', 'svc_access_key', 'svc_role', 'svc_member', 'svc_view'];
const operations = ['read', 'create', 'update', 'delete', 'associate'];
const hidden = ['svc_phone_number', 'svc_summary', 'svc_name'];

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const giving = ['svc_access_key', 'svc_role', 'svc_member'];

/** Most of them about the records with which power is given: other grants are rarely covered, and lead nowhere. */
function randomGrant(random: Random): string {
  const named = random.some(random.chance(0.7) ? giving : types, random.between(1, 2)).join(',');
  const allowed = random.some(operations, random.between(1, 5)).join(',');
  const more = random.chance(0.2) ? `;${random.pick(['hide', 'lock'])}=${random.pick(hidden)}` : '';
  return `${named}:${allowed}${more}`;
}

/** Grants of callers always reach the records with which power is given. */
function callerGrants(random: Random): readonly string[] {
  const giving = random.pick(['platform', 'svc_access_key,svc_role,svc_member']);
  return [
    `${giving}:${operations.join(',')}`,
    ...random.some([0, 1, 2], random.between(0, 2)).map(() => randomGrant(random)),
  ];
}

interface World {
  readonly admin: Client;
  readonly member: RecordData;
  readonly caller: Client;
  readonly first: Powers;
}

async function newWorld(random: Random): Promise<World | undefined> {
  const { orgId, admin } = await administeredOrg(service);
  const administrator = await roleNamed(admin, 'Administrator');
  await makeMember(admin, { svc_name: 'Boss' }, administrator.id);
  const member = await makeMember(admin, { svc_name: 'Caller' });
  await makeKey(admin, { grants: [`*:${operations.join(',')}`, `platform:${operations.join(',')}`] });
  const grants = callerGrants(random)
    .map(parseGrant)
    .filter((grant): grant is Grant => 'objectTypes' in grant);
  const request = {
    grants,
    reach: random.pick(['user', 'org'] as const),
    userId: member.id,
    ...(random.chance(0.5) ? { expiresAt: new Date(Date.now() + random.between(1, 10) * 3_600_000) } : {}),
  };
  const issued = await service.createKey(orgId, request).catch(() => undefined);
  if (issued === undefined) return undefined;
  const caller = service.client(issued.key);
  const first = await powersOf(caller);
  return first && { admin, member, caller, first };
}

/** One write at random, by one of the keys that the caller has; returns the secret that it makes. */
async function writeOnce(
  random: Random,
  { admin, member }: World,
  held: readonly Client[],
): Promise<string | undefined> {
  const client = random.pick(held);
  const type = random.pick([...giving, 'svc_access_key', 'svc_access_key']);
  const existing = (await admin.get(recordsPath(type))).body.data as readonly RecordData[];
  const roles = (await admin.get(recordsPath('svc_role'))).body.data as readonly RecordData[];
  const values = valuesFor(random, type);
  if (random.chance(0.45) || existing.length === 0) {
    const target =
      type === 'svc_access_key'
        ? { association_type: 'svc_access_key_to_member', target_id: member.id }
        : { association_type: 'svc_member_to_role', target_id: random.pick(roles).id };
    const associations = type !== 'svc_role' && random.chance(0.7) ? [target] : [];
    const answer = await client.post(recordsPath(type), { properties: values, associations });
    return answer.body?.data?.properties?.svc_key as string | undefined;
  }
  const record = random.pick(existing);
  if (type === 'svc_member' && random.chance(0.5)) {
    await client.put(`${pathOfRecord(record)}associations/svc_member_to_role/${random.pick(roles).id}/`, undefined);
    return undefined;
  }
  if (random.chance(0.1)) {
    await client.delete(pathOfRecord(record));
    return undefined;
  }
  const changes = type === 'svc_access_key' && random.chance(0.4) ? { svc_rotation: 'now' } : values;
  const answer = await client.patch(pathOfRecord(record), { properties: changes });
  return answer.body?.data?.properties?.svc_key as string | undefined;
}

function valuesFor(random: Random, type: string): object {
  const svc_name = `n${random.between(0, 1_000_000)}`;
  if (type === 'svc_member') return { svc_name, svc_active: random.chance(0.8) };
  const svc_grants = [randomGrant(random), ...(random.chance(0.4) ? [randomGrant(random)] : [])];
  const svc_expires_at = new Date(Date.now() + random.between(0, 12) * 3_600_000).toISOString();
  return {
    svc_name,
    svc_grants,
    svc_reach: random.pick(['user', 'org']),
    ...(type === 'svc_access_key' && random.chance(0.7) ? { svc_expires_at } : {}),
  };
}

let keysMade = 0;

describe.each(Array.from({ length: callers }, (_, index) => index + 1))('with seed %i', (seed) => {
  test('no chain of writes leads to more', async () => {
    const random = new Random(seed);
    let world: World | undefined;
    while (world === undefined) world = await newWorld(random);
    const before = await exceeding(world);
    const held = [world.caller];
    let made = 0;
    for (let write = 0; write < writesPerCaller; write++) {
      const key = await writeOnce(random, world, held);
      if (key === undefined) continue;
      const client = service.client(key);
      const powers = await powersOf(client);
      if (powers === undefined) continue;
      made++;
      expect(excessOf(powers, world.first)).toEqual([]);
      held.push(client);
    }
    // What exceeds the caller is as it was: nobody has changed, revoked or taken it.
    expect(await exceeding(world)).toEqual(before);
    keysMade += made;
  });
});

test('the chains have led to many keys', () => {
  expect(keysMade).toBeGreaterThan(25);
});

/** Roles and keys that can do what the caller cannot, as they are. */
async function exceeding({ admin, first }: World): Promise<readonly RecordData[]> {
  const records = [
    ...((await admin.get(recordsPath('svc_role'))).body.data as readonly RecordData[]),
    ...((await admin.get(recordsPath('svc_access_key'))).body.data as readonly RecordData[]),
  ];
  const excess: RecordData[] = [];
  for (const record of records) {
    const grants = record.properties['svc_grants'] as readonly string[];
    const probe = await makeKey(admin, { grants });
    const powers = await powersOf(service.client(probe.key));
    await admin.delete(pathOfRecord(probe));
    const reach = record.properties['svc_reach'] === 'org';
    if (powers === undefined || excessOf({ ...powers, wholeOrg: reach, endsMs: 0 }, first).length === 0) continue;
    const { svc_last_used_at: _, ...properties } = record.properties;
    excess.push({ ...record, properties });
  }
  return excess;
}
