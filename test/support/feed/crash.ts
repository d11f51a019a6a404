// Crashes of a server from which it recovers by itself: every session ends, and what is not on the disk is lost.
import pg from 'pg';
import type { Database } from '../../../src/store/database.ts';
import { rawQuery } from '../database.ts';
import { until } from '../eventually.ts';
import type { TestServer } from '../store/server-process.ts';

/** Stops the process that brings to the disk what commits nothing. */
export async function stopLogWriter(server: TestServer): Promise<void> {
  process.kill(await logWriter(server), 'SIGSTOP');
}

async function logWriter({ url }: TestServer): Promise<number> {
  const { rows } = await rawQuery(url, "select pid from pg_stat_activity where backend_type = 'walwriter'");
  return Number(rows[0]?.pid);
}

/** Begins a transaction that is under way until the server crashes. */
export async function leaveUnderWay({ url }: TestServer, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // The crash reports its own error.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin');
  await client.query(statement);
}

/** Nothing of ours connects meanwhile. Ends once the server has recovered. */
export async function crash(server: TestServer): Promise<void> {
  const killed = await logWriter(server);
  process.kill(killed, 'SIGKILL');
  // The outage can be shorter than a look: it is over when the process has a successor.
  await until(() =>
    logWriter(server).then(
      (pid) => pid !== killed,
      () => false,
    ),
  );
}

/** Connects after a recovery. Returns the life that the first new session has begun. */
export async function beginAgain(server: TestServer, database: Database): Promise<string | null> {
  await until(() =>
    database.connect().then(
      async (session) => {
        await session.close();
        return true;
      },
      () => false,
    ),
  );
  return (await rawQuery(server.url, 'select life from orrery.change_mark')).rows[0].life;
}
