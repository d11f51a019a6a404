// Counts what an org stores, from its rows, at one moment: a slice of a table at a time, so that no statement runs long.
// This corrects what was added up while writing: a crash loses the last second, and purges know other sizes than writes.
// Writes of the last second that are not in the org's number yet are counted twice, until the next count.
import { sleep, systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { join, raw, type Sql, sql } from '../../base/sql.ts';
import type { Database, OwnConnection, Transaction } from '../database.ts';
import { beginSnapshot } from '../driver/own-connection.ts';
import { type AdvisoryLock, keepLock, tryKeepLock } from '../locks.ts';
import { liveFactor, rowBytes } from '../row-bytes.ts';

/** A table whose rows are counted: its key after org_id, with the types of the columns, and what a row `t` takes. */
interface CountedTable {
  readonly table: Sql;
  readonly key: readonly (readonly [column: string, type: string])[];
  readonly bytes: Sql;
}

const tables: readonly CountedTable[] = [
  {
    table: raw('orrery.record'),
    key: [
      ['type_id', 'integer'],
      ['id', 'uuid'],
    ],
    // Values are stored uncompressed, so PostgreSQL knows their size without reading them.
    bytes: sql`${rowBytes.record}::integer + ${liveFactor}::integer * pg_column_size(t.properties)`,
  },
  {
    table: raw('orrery.trash'),
    key: [
      ['type_id', 'integer'],
      ['id', 'uuid'],
    ],
    bytes: sql`${rowBytes.trash}::integer + pg_column_size(t.properties)`,
  },
  {
    table: raw('orrery.change'),
    key: [['seq', 'bigint']],
    bytes: sql`${rowBytes.entry}::integer + coalesce(octet_length(t.changed), 0)`,
  },
  {
    table: raw('orrery.former_value'),
    key: [
      ['record_id', 'uuid'],
      ['property', 'text collate "C"'],
      ['version', 'bigint'],
    ],
    bytes: sql`${rowBytes.formerValue}::integer + octet_length(t.value)`,
  },
  {
    table: raw('orrery.idempotency'),
    key: [
      ['credential_id', 'text collate "C"'],
      ['target', 'bytea'],
      ['key', 'text collate "C"'],
    ],
    bytes: sql`${rowBytes.answer}::integer + octet_length(t.answer)`,
  },
  {
    table: raw('orrery.association'),
    key: [
      ['source_id', 'uuid'],
      ['association_type_id', 'integer'],
      ['target_id', 'uuid'],
    ],
    bytes: sql`${rowBytes.link}::integer`,
  },
  {
    table: raw('orrery.record_user'),
    key: [
      ['user_id', 'uuid'],
      ['type_id', 'integer'],
      ['record_id', 'uuid'],
    ],
    bytes: sql`${rowBytes.user}::integer`,
  },
  {
    table: raw('orrery.external_id'),
    key: [
      ['type_id', 'integer'],
      ['source', 'text collate "C"'],
      ['external_id', 'text collate "C"'],
    ],
    bytes: sql`${rowBytes.externalId}::integer`,
  },
];

/** The orgs that were counted longest ago, or never, if that is long enough ago. */
export async function findUncounted(
  transaction: Transaction,
  everySeconds: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await transaction.query<{ orgId: number }>(sql`
    select org_id as "orgId" from orrery.storage
    where counted_at is null or counted_at < now() - make_interval(secs => ${everySeconds})
    order by counted_at nulls first, org_id limit ${limit}`);
  return rows.map(({ orgId }) => orgId);
}

/**
 * Counts the rows of the org and corrects its number. What was written meanwhile stays added. Waits for another process
 * that counts the org.
 */
export async function countStorage(database: CountDatabase, orgId: number): Promise<void> {
  await countLocked(database, orgId, async (connection, lock) => {
    await keepLock(connection, lock);
    return true;
  });
}

/** The same, but does nothing if another process counts the org, or if `isClosed` becomes true. */
export async function countStorageUnlessCounting(
  database: CountDatabase,
  orgId: number,
  isClosed: () => boolean,
): Promise<void> {
  await countLocked(database, orgId, tryKeepLock, isClosed);
}

type CountDatabase = Transaction & Pick<Database, 'connect'>;

/** The lock comes before the snapshot, which must see the number that the last count has corrected. */
async function countLocked(
  database: CountDatabase,
  orgId: number,
  take: (connection: Transaction, lock: AdvisoryLock) => Promise<boolean>,
  isClosed: () => boolean = () => false,
): Promise<void> {
  const connection = await database.connect();
  try {
    // The lock ends with the connection.
    if (!(await take(connection, { use: 'storageCount', key: orgId }))) return;
    await beginSnapshot(connection);
    const [found] = await connection.query<{ bytes: string }>(sql`
      select s.bytes from orrery.storage as s where s.org_id = ${orgId}`);
    if (found === undefined) return;
    let bytes = 0;
    for (const table of tables) {
      const counted = await countTable(connection, orgId, table, isClosed);
      if (counted === undefined) return;
      bytes += counted;
    }
    await database.query(sql`
      update orrery.storage set bytes = greatest(0, bytes + ${bytes - Number(found.bytes)}::bigint), counted_at = now()
      where org_id = ${orgId}`);
  } finally {
    await connection.close();
  }
}

async function countTable(
  connection: OwnConnection,
  orgId: number,
  table: CountedTable,
  isClosed: () => boolean,
): Promise<number | undefined> {
  let total = 0;
  // Ends, because each slice begins after the last.
  for (let after: readonly unknown[] | null = []; after !== null; ) {
    if (isClosed()) return undefined;
    const begunMs = systemClock.monotonicMs();
    const slice: Slice = await countSlice(connection, orgId, table, after);
    total += Number(slice.bytes);
    after = slice.last;
    // As long as the slice took: the database has other work.
    if (after !== null) await sleep(systemClock.monotonicMs() - begunMs);
  }
  return total;
}

interface Slice {
  readonly bytes: string;
  /** The key of the last row, if there may be more. */
  readonly last: readonly unknown[] | null;
}

async function countSlice(
  connection: OwnConnection,
  orgId: number,
  { table, key, bytes }: CountedTable,
  after: readonly unknown[],
): Promise<Slice> {
  const columns = raw(key.map(([column]) => `t.${column}`).join(', '));
  const values = key.map(([, type], index) => sql`${after[index]}::${raw(type)}`);
  const rest = after.length === 0 ? sql`` : sql` and (${columns}) > (${join(values, ', ')})`;
  const [slice] = await connection.query<Slice>(sql`
    select coalesce(sum(s.bytes), 0) as bytes, (array_agg(s.key) filter (where s.key is not null))[1] as last from (
      select ${bytes} as bytes,
        case when row_number() over (order by ${columns}) = ${bounds.shares.storageCountedAtOnce} then json_build_array(${columns})
          end as key
      from ${table} as t where t.org_id = ${orgId}${rest}
      order by ${columns} limit ${bounds.shares.storageCountedAtOnce}) as s`);
  if (slice === undefined) throw new TypeError('A sum is one row.');
  return slice;
}
