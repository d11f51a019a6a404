// Stops a request in the middle of its transaction: a transaction of the test holds a row that the request will write.
import pg from 'pg';
import { sleep } from '../../../src/base/clock.ts';
import { newId } from '../../../src/base/id.ts';
import { rawQuery } from '../database.ts';

interface Held {
  /** Resolves when this many transactions wait for a lock in this database, or when `unless` is settled. */
  waitedFor(count: number, unless?: Promise<unknown>): Promise<void>;
  /** Lets all requests continue, as if nothing had been held. */
  release(): Promise<void>;
}

const contactTypeId = 1;
const emailPropertyId = 5;

/** Holds an email address of contacts: a request that writes it waits. */
export function holdUniqueValue(url: string, orgId: number, email: string): Promise<Held> {
  return hold(
    url,
    `insert into orrery.unique_value (org_id, type_id, property_id, value, record_id) values ($1, $2, $3, $4, $5)`,
    [orgId, contactTypeId, emailPropertyId, email.toLowerCase(), newId()],
  );
}

/** Holds the row of a record: a request that changes it waits. */
export function holdRecord(url: string, orgId: number, id: string): Promise<Held> {
  return hold(url, 'select id from orrery.record where org_id = $1 and id = $2 for update', [orgId, id]);
}

async function hold(url: string, text: string, values: readonly unknown[]): Promise<Held> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(text, [...values]);
  return {
    waitedFor: async (count, unless) => {
      let over = false;
      const end = () => {
        over = true;
      };
      unless?.then(end, end);
      const endsAtMs = performance.now() + 120_000;
      while (!over && (await waitingForLocks(url)).length < count) {
        if (performance.now() > endsAtMs) throw new Error(`Fewer than ${count} transactions came to wait.`);
        await sleep(5);
      }
    },
    release: async () => {
      await client.query('rollback');
      await client.end();
    },
  };
}

/** The backends of this database that wait for a lock. */
export async function waitingForLocks(url: string): Promise<readonly number[]> {
  const { rows } = await rawQuery(
    url,
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'orrery' and wait_event_type = 'Lock'`,
  );
  return rows.map((row: { pid: number }) => row.pid);
}

/** Ends the backends that wait, as an operator or a failing server would. */
export async function endWaiters(url: string): Promise<void> {
  for (const pid of await waitingForLocks(url)) await rawQuery(url, 'select pg_terminate_backend($1)', [pid]);
}
