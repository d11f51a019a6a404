// Turns users and keys into records, org by org, as part of the migration that removes their tables.
import { isoText } from '../base/clock.ts';
import { IdSequence, idTimeMs, newId } from '../base/id.ts';
import type { Json } from '../base/json.ts';
import { sql } from '../base/sql.ts';
import { builtinCatalog } from '../schema/custom/build-catalog.ts';
import { factValues } from '../schema/indexing/fact-slots.ts';
import { foldedValues } from '../schema/indexing/folded-values.ts';
import { indexKeys, uniqueKeys } from '../schema/indexing/record-keys.ts';
import { searchWords } from '../schema/indexing/search-words.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { defaultRoles } from '../schema/roles/default-roles.ts';
import { platformLinks, platformTypes } from '../schema/roles/platform.ts';
import type { Transaction } from './database.ts';
import type { FeedEntry, Origin } from './feed/entries.ts';
import type { NewLink } from './records/associations.ts';
import { type WriteSet, writeStatements } from './records/write-records.ts';

export async function moveAccounts(transaction: Transaction): Promise<void> {
  const orgs = await transaction.query<{ orgId: number; nowMs: number }>(sql`
    select org_id as "orgId", (extract(epoch from now()) * 1000)::float8 as "nowMs" from orrery.org order by org_id`);
  for (const { orgId, nowMs } of orgs) {
    const atMs = Math.floor(nowMs);
    const origin = { atMs, principalId: 'svc_system', requestId: newId() };
    const moving = { transaction, orgId, origin };
    await moveRoles(moving);
    await moveUsers(moving);
    await moveKeys(moving);
  }
  await transaction.script(`
    alter table orrery.secret alter column record_id set not null;
    drop table orrery.grant, orrery.credential, orrery.user;`);
}

/** The org whose accounts are moved, and what the feed says of who moved them. */
interface Moving {
  readonly transaction: Transaction;
  readonly orgId: number;
  readonly origin: Origin;
}

async function moveRoles(moving: Moving): Promise<void> {
  const ids = sequenceAt(() => moving.origin.atMs);
  await write(
    moving,
    defaultRoles.map((role) => newRecord('svc_role', ids.next(), { ...role })),
  );
}

interface UserRow {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
}

async function moveUsers(moving: Moving): Promise<void> {
  const { transaction, orgId } = moving;
  const users = await transaction.query<UserRow>(sql`
    select u.user_id as "userId", u.name, u.email from orrery.user as u
    where u.org_id = ${orgId} order by u.created_at, u.user_id`);
  const taken = new Set<string>();
  const shared: UserRow[] = [];
  const records = users.map((user) => {
    const values = { svc_name: user.name, svc_active: true, ...(user.email === null ? {} : { svc_email: user.email }) };
    const record = newRecord('svc_member', user.userId, values);
    const keys = uniqueKeys(record.type, record.properties).map(({ value }) => value);
    if (!keys.some((key) => taken.has(key))) {
      for (const key of keys) taken.add(key);
      return record;
    }
    shared.push(user);
    return newRecord('svc_member', user.userId, { svc_name: user.name, svc_active: true });
  });
  await write(moving, records);
  for (const { userId, email } of shared) {
    await transaction.query(sql`
      insert into orrery.shared_email (org_id, member_id, email) values (${orgId}, ${userId}, ${email})`);
  }
}

interface KeyRow {
  readonly credentialId: string;
  readonly name: string;
  readonly userId: string | null;
  readonly reach: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly grants: readonly string[];
}

/** A type that an org has called "platform" has the name of what nobody was granted: all platform types. */
async function moveKeys(moving: Moving): Promise<void> {
  const { transaction, orgId } = moving;
  const keys = await transaction.query<KeyRow>(sql`
    select c.credential_id as "credentialId", c.name, c.user_id as "userId", c.reach, c.expires_at as "expiresAt",
      c.revoked_at as "revokedAt", c.last_used_at as "lastUsedAt", c.created_at as "createdAt",
      array(select array_to_string(array_remove(g.object_types, 'platform'), ',') || ':'
          || array_to_string(g.operations, ',')
        from orrery.grant as g where g.org_id = c.org_id and g.credential_id = c.credential_id
          and array_remove(g.object_types, 'platform') <> '{}' and g.operations <> '{}'
        order by g.position) as grants
    from orrery.credential as c where c.org_id = ${orgId} order by c.created_at, c.credential_id`);
  let atMs = 0;
  const ids = sequenceAt(() => atMs);
  const records = keys.map((key) => {
    atMs = key.createdAt.getTime();
    return { ...newRecord('svc_access_key', ids.next(), keyValues(key)), orgVisible: false, ...placeOf(key) };
  });
  await write(moving, records);
  for (const [index, { credentialId }] of keys.entries()) {
    await transaction.query(sql`
      update orrery.secret set record_id = ${records[index]?.id} where org_id = ${orgId} and credential_id = ${credentialId}`);
  }
}

function keyValues({ credentialId, name, reach, grants, expiresAt, lastUsedAt }: KeyRow): Values {
  return {
    svc_name: name,
    svc_reach: reach,
    svc_grants: grants,
    svc_key_id: credentialId,
    svc_made_by: 'svc_system',
    ...(expiresAt === null ? {} : { svc_expires_at: expiresAt.toISOString() }),
    ...(lastUsedAt === null ? {} : { svc_last_used_at: lastUsedAt.toISOString() }),
  };
}

function placeOf({ userId, revokedAt }: KeyRow): Pick<MovedRecord, 'member' | 'deletedAt'> {
  return {
    ...(userId === null ? {} : { member: userId }),
    ...(revokedAt === null ? {} : { deletedAt: revokedAt }),
  };
}

type Values = Readonly<Record<string, Json>>;

interface MovedRecord {
  readonly type: ObjectType;
  readonly id: string;
  readonly atMs: number;
  readonly properties: Values;
  readonly orgVisible: boolean;
  /** The member of a key. */
  readonly member?: string;
  /** When it was moved to the trash. */
  readonly deletedAt?: Date;
}

/** A record is dated by its id, as all records are. */
function newRecord(typeName: string, id: string, values: Values): MovedRecord {
  const type = builtinCatalog.objectTypes.get(typeName);
  if (type === undefined) throw new TypeError(`There is no built-in type ${typeName}.`);
  const atMs = idTimeMs(id);
  const dates = { svc_created_at: isoText(atMs), svc_updated_at: isoText(atMs) };
  return { type, id, atMs, properties: { ...values, ...dates }, orgVisible: true };
}

function sequenceAt(nowMs: () => number): IdSequence {
  return new IdSequence({ nowMs, monotonicMs: nowMs });
}

const recordsAtOnce = 1_000;

async function write({ transaction, orgId, origin }: Moving, records: readonly MovedRecord[]): Promise<void> {
  for (let first = 0; first < records.length; first += recordsAtOnce) {
    const some = records.slice(first, first + recordsAtOnce);
    for (const statement of writeStatements(orgId, writeSetOf(some, origin), origin.atMs)) {
      await transaction.query(statement);
    }
    for (const { type, id, deletedAt } of some) {
      if (deletedAt === undefined) continue;
      await transaction.query(sql`
        update orrery.trash set deleted_at = ${deletedAt} where org_id = ${orgId} and type_id = ${type.id} and id = ${id}`);
    }
  }
}

const nothing = { records: [], trashed: [], index: [], unique: [], search: [], links: [], users: [], externalIds: [] };

function writeSetOf(records: readonly MovedRecord[], origin: Origin): WriteSet {
  const live = records.filter(({ deletedAt }) => deletedAt === undefined);
  const rowOf = ({ type, id, atMs, properties, orgVisible, deletedAt }: MovedRecord, folded: string) => ({
    typeId: type.id,
    id,
    version: deletedAt === undefined ? 1 : 2,
    updatedAtMs: atMs,
    orgVisible,
    properties: JSON.stringify(properties),
    folded,
  });
  const foldedText = ({ type, properties }: MovedRecord) => {
    const folded = foldedValues(type, properties);
    return folded === undefined ? '' : JSON.stringify(folded);
  };
  return {
    removed: nothing,
    written: {
      inserted: live.map((record) => rowOf(record, foldedText(record))),
      updated: [],
      trashed: records.filter(({ deletedAt }) => deletedAt !== undefined).map((record) => rowOf(record, '')),
      facts: live.map(({ type, id, orgVisible, properties, member }) => ({
        typeId: type.id,
        id,
        orgVisible,
        columns: type.slots.columns,
        values: factValues(type.slots, properties),
        links: linkFacts(type, member),
      })),
      factsAgain: [],
      relinked: [],
      index: live.flatMap(({ type, id, properties }) =>
        indexKeys(type, properties).map((key) => ({ ...key, typeId: type.id, recordId: id })),
      ),
      unique: live.flatMap(({ type, id, properties }) =>
        uniqueKeys(type, properties).map(({ propertyId, value }) => ({
          typeId: type.id,
          propertyId,
          value,
          recordId: id,
        })),
      ),
      search: live.flatMap(({ type, id, properties }) => {
        const words = searchWords(type, properties).join(' ');
        return words === '' ? [] : [{ typeId: type.id, id, words }];
      }),
      searchAgain: [],
      links: records.flatMap(memberLink),
      users: records.flatMap(({ type, id, member }) =>
        member === undefined ? [] : [{ typeId: type.id, id, userId: member }],
      ),
      externalIds: [],
      entries: records.flatMap((record) => entriesOf(record, origin)),
      former: [],
    },
  };
}

function entriesOf({ type, id, properties, member, deletedAt }: MovedRecord, origin: Origin): readonly FeedEntry[] {
  const entry = { origin, typeId: type.id, id };
  const created = { ...entry, kind: 'record.created', version: 1, changed: JSON.stringify(properties) } as const;
  const users = JSON.stringify(member === undefined ? [] : [member]);
  const deleted = { ...entry, kind: 'record.deleted', version: 2, changed: users } as const;
  const linked = { ...entry, kind: 'association.created', version: 1, changed: null } as const;
  const links = member === undefined ? [] : [{ ...linked, link: { ...memberEnd, targetId: member } }];
  return [created, ...links, ...(deletedAt === undefined ? [] : [deleted])];
}

const memberEnd = { associationTypeId: platformLinks.keyToMember, targetTypeId: platformTypes.member };

function linkFacts({ slots }: ObjectType, member: string | undefined) {
  const column = slots.links.get(platformLinks.keyToMember);
  return column === undefined || member === undefined ? {} : { [column]: member };
}

function memberLink({ type, id, atMs, member }: MovedRecord): readonly NewLink[] {
  if (member === undefined) return [];
  return [{ ...memberEnd, sourceId: id, sourceTypeId: type.id, targetId: member, atMs }];
}
