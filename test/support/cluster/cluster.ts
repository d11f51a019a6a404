// Databases of a cluster for one test, distributed or not yet, and what the servers did meanwhile.
import { readFile, stat } from 'node:fs/promises';
import { inject, onTestFinished } from 'vitest';
import { distribute } from '../../../src/store/cluster/distribute.ts';
import { openAlone, openMigrated } from '../../../src/store/driver/open.ts';
import { createDatabaseOn, joinCluster } from '../database-on.ts';

interface ClusterDatabase {
  readonly name: string;
  readonly url: string;
}

/** One on all servers, which know each other, without tables. It goes with the test. */
export async function createJoined(): Promise<ClusterDatabase> {
  const made = await createUnjoined();
  const [first = '', ...workers] = inject('cluster').map(({ url }) => url);
  await joinCluster(first, workers, made.name);
  return made;
}

export async function createUnjoined(): Promise<ClusterDatabase> {
  const [first = '', ...workers] = inject('cluster').map(({ url }) => url);
  const made = await createDatabaseOn(first, 'template0', 'wal_log', workers);
  onTestFinished(() => made.drop());
  return made;
}

/** One with distributed tables. */
export async function createDistributed(): Promise<ClusterDatabase> {
  const made = await createJoined();
  await (await openMigrated({ engine: 'server', url: made.url })).close();
  await distributeTables(made.url);
  return made;
}

export async function distributeTables(url: string) {
  const connection = await openAlone(url);
  try {
    return await distribute(connection, 8);
  } finally {
    await connection.close();
  }
}

/** What all servers log from now on. */
export async function watchLogs(): Promise<() => Promise<string>> {
  const files = inject('cluster').map(({ log }) => log);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return async () => {
    const texts = await Promise.all(files.map((file) => readFile(file)));
    return texts.map((text, index) => text.toString('utf8', sizes[index])).join('');
  };
}
