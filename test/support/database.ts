// A database for one test, on the server that the whole run shares.
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { createDatabaseOn } from './database-on.ts';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty one, in which whoever opens it makes the tables. */
export function createDatabase(): Promise<TestDatabase> {
  return createDatabaseOn(inject('serverUrl'), 'template0', inject('copying'));
}

/** One that has the tables, and authenticates cursors with a secret of its own. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const workers = inject('workerUrls');
  const made = await createDatabaseOn(inject('serverUrl'), inject('template'), inject('copying'), workers);
  await rawQuery(made.url, 'update orrery.cursor_secret set secret = sha256(gen_random_uuid()::text::bytea)');
  return made;
}

/** Runs SQL directly, without the service. */
export async function rawQuery(url: string, text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  // The attempt reports its own error; without a listener the connection's would fail another test.
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}

/** Opens a transaction that holds the locks of a statement until it is released, or the test ends. */
export async function holdRow(url: string, text: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let isHeld = true;
  const release = async () => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('rollback');
    await client.end();
  };
  // A test that fails would hold up others otherwise: each feed waits for every older transaction of the server.
  onTestFinished(release);
  await client.query('begin');
  await client.query(text);
  return release;
}
