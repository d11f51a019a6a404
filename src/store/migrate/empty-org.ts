// Makes room for an org that is brought in: removes what a new org begins with, and finds out whether anything else is there.
import { bounds } from '../../base/limits.ts';
import { orInSteps, raw, sql } from '../../base/sql.ts';
import { definitionTypeIds } from '../../schema/roles/platform.ts';
import type { Database, OwnConnection, Reads } from '../database.ts';
import { lockTime } from '../lock-time.ts';
import { ids, numbers, rowSource } from '../row-parameters.ts';

/** Whether what a transaction did stays. */
const endings = { for_good: 'commit', dry_run: 'rollback' } as const;
export type Ending = keyof typeof endings;

/** Runs everything in one transaction without a limit of time. If `run` throws, nothing of it stays. */
export async function inOneTransaction<T>(
  database: Pick<Database, 'connect'>,
  ending: Ending,
  run: (connection: OwnConnection) => Promise<T>,
): Promise<T> {
  const connection = await database.connect();
  try {
    // Words are indexed in large portions.
    await connection.script(`set gin_pending_list_limit = ${bounds.store.importedWordsKilobytes}; begin`);
    await connection.query(lockTime(bounds.store.importLockMs));
    const result = await run(connection);
    await connection.script(endings[ending]);
    return result;
  } finally {
    // Without a commit this rolls everything back.
    await connection.close();
  }
}

/**
 * Tells PostgreSQL that the org has rows now. It would take the org for empty until it looks by itself, and read all rows of the
 * org for each record. Another transaction that does the same is not waited for. Distributed tables have other orgs on other servers,
 * and are left to each server.
 */
export async function learnSizes(
  connection: OwnConnection,
  tables: readonly ('association' | 'record')[],
): Promise<void> {
  for (const table of tables) {
    await connection.query(orInSteps(raw(`analyze (skip_locked) orrery.${table}`), () => []));
  }
}

/** A record that every new org has. */
interface DefaultRecord {
  readonly typeId: number;
  readonly name: string;
}

const defaultSource = rowSource<DefaultRecord>(
  ['type_id', 'integer', ({ typeId }) => typeId],
  ['name', 'text', ({ name }) => name],
);

/** Removes the definitions of the built-in schema and the default records that nobody has changed, with all their rows. */
export async function removeDefaults(
  connection: Reads,
  orgId: number,
  defaults: readonly DefaultRecord[],
): Promise<void> {
  const gone = await connection.query<{ id: string }>(sql`
    delete from orrery.record as r
    where r.org_id = ${orgId} and (r.type_id = any (${numbers(definitionTypeIds)}::integer[])
      or r.version = 1 and r.org_visible and exists (
        select from ${defaultSource(defaults)} where k.type_id = r.type_id and k.name = r.properties ->> 'svc_name'))
    returning r.id`);
  const goneIds = sql`any (${ids(gone.map(({ id }) => id))}::uuid[])`;
  for (const table of ['unique_value', 'index_text', 'index_number', 'index_time', 'search', 'record_user', 'change']) {
    await connection.query(sql`
      delete from ${raw(`orrery.${table}`)} as i where i.org_id = ${orgId} and i.record_id = ${goneIds}`);
  }
  await connection.query(sql`delete from orrery.fact as f where f.org_id = ${orgId} and f.id = ${goneIds}`);
  await connection.query(
    sql`delete from orrery.association as a where a.org_id = ${orgId} and a.source_id = ${goneIds}`,
  );
}

/** What is still there, but for records of the given types: the number of a type, or the name of a table; undefined if nothing. */
export async function findRemains(
  connection: Reads,
  orgId: number,
  keptTypeIds: readonly number[],
): Promise<{ readonly typeId: number | null } | undefined> {
  const others = sql`<> all (${numbers(keptTypeIds)}::integer[])`;
  const [found] = await connection.query<{ typeId: number | null }>(sql`
    select f."typeId" from (
      (select r.type_id as "typeId" from orrery.record as r where r.org_id = ${orgId} and r.type_id ${others} limit 1)
      union all
      (select t.type_id from orrery.trash as t where t.org_id = ${orgId} and t.type_id ${others} limit 1)
      union all
      (select a.source_type_id from orrery.association as a
        where a.org_id = ${orgId} and a.source_type_id ${others} limit 1)
      union all
      (select e.type_id from orrery.external_id as e where e.org_id = ${orgId} limit 1)) as f limit 1`);
  return found;
}

/** What the org is called, and its currency, as they were. */
export async function renameOrg(
  connection: Reads,
  orgId: number,
  { name, currency }: { readonly name: string; readonly currency: string },
): Promise<void> {
  await connection.query(sql`
    update orrery.org set name = ${name}, currency = ${currency} where org_id = ${orgId}`);
}

/**
 * The feed of the org begins after this transaction: a reader from before it is told to load everything again, which is what
 * a copy of an org that was replaced must do. Entries for millions of records that came at once would tell nobody more.
 */
export async function beginFeed(connection: Reads, orgId: number): Promise<void> {
  await connection.query(sql`
    insert into orrery.change_start (org_id, purged_seq, purged_xid)
    values (${orgId}, nextval('orrery.change_seq'), pg_current_xact_id())
    on conflict (org_id) do update set purged_seq = greatest(change_start.purged_seq, excluded.purged_seq),
      purged_xid = greatest(change_start.purged_xid, excluded.purged_xid)`);
}
