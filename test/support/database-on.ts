// Creates databases on a server, empty or as copies of another.
import pg from 'pg';
import { newId } from '../../src/base/id.ts';

interface NamedDatabase {
  readonly name: string;
  readonly url: string;
  drop(): Promise<void>;
}

/** Files are copied in half the time, but a server that waits for the disk then waits for all of it. */
export type Copying = 'wal_log' | 'file_copy';

export async function createDatabaseOn(
  serverUrl: string,
  template = 'template0',
  copying: Copying = 'wal_log',
): Promise<NamedDatabase> {
  const name = `orrery_test_${newId().replaceAll('-', '')}`;
  await run(serverUrl, `create database ${name} encoding 'UTF8' template ${template} strategy ${copying}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => run(serverUrl, `drop database ${name} with (force)`) };
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Waits until the sessions of the last tests have left, for ten seconds at most. */
export async function untilAlone(url: string): Promise<void> {
  await run(
    url,
    `do $$ begin
      for tries in 1..100 loop
        perform pg_stat_clear_snapshot();
        exit when not exists (select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid());
        perform pg_sleep(0.1);
      end loop;
    end $$`,
  );
}
