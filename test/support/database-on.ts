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

/** On a cluster also on its workers, in the same places. */
export async function createDatabaseOn(
  serverUrl: string,
  template = 'template0',
  copying: Copying = 'wal_log',
  workerUrls: readonly string[] = [],
): Promise<NamedDatabase> {
  const name = `orrery_test_${newId().replaceAll('-', '')}`;
  const servers = [serverUrl, ...workerUrls];
  for (const server of servers) {
    await run(server, `create database ${name} encoding 'UTF8' template ${template} strategy ${copying}`);
  }
  return {
    name,
    url: named(serverUrl, name),
    drop: async () => {
      for (const server of servers) await run(server, `drop database ${name} with (force)`);
    },
  };
}

function named(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** The workers of the server, if it is the first one of a Citus cluster. */
export async function findWorkers(serverUrl: string): Promise<readonly string[]> {
  const [citus] = await run<{ there: boolean }>(serverUrl, `select to_regclass('pg_dist_node') is not null as there`);
  if (citus?.there !== true) return [];
  const nodes = await run<{ host: string }>(
    serverUrl,
    `select nodename || ':' || nodeport as host from pg_dist_node where groupid <> 0 order by 1`,
  );
  return nodes.map(({ host }) => {
    const url = new URL(serverUrl);
    url.host = host;
    return url.href;
  });
}

/** Makes the databases of that name one cluster. */
export async function joinCluster(serverUrl: string, workerUrls: readonly string[], database: string): Promise<void> {
  for (const server of [serverUrl, ...workerUrls]) await run(named(server, database), 'create extension citus');
  const first = named(serverUrl, database);
  await run(first, `select citus_set_coordinator_host('${new URL(first).hostname}', ${new URL(first).port})`);
  for (const worker of workerUrls) {
    await run(first, `select citus_add_node('${new URL(worker).hostname}', ${new URL(worker).port})`);
  }
}

/** Ends what Citus keeps running in the database, so that it can be copied. */
export async function letGo(serverUrl: string, workerUrls: readonly string[], database: string): Promise<void> {
  for (const server of [serverUrl, ...workerUrls]) {
    await run(
      server,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
    );
  }
}

async function run<Row extends object>(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
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
