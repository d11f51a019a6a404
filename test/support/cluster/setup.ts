// One Citus cluster for the tests of `test/cluster`, from the PostgreSQL that CITUS_PG_CONFIG names.
import type { TestProject } from 'vitest/node';
import { startCluster } from '../../../deploy/citus/cluster.mjs';

interface ServerPlace {
  readonly url: string;
  /** The file with all its statements. */
  readonly log: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The coordinator first, then the workers. */
    cluster: readonly ServerPlace[];
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const pgConfig = process.env['CITUS_PG_CONFIG'] ?? '';
  const cluster = await startCluster({ pgConfig, keepsDisk: false, logs: true });
  const servers = [cluster.coordinator, ...cluster.workers];
  project.provide(
    'cluster',
    servers.map((server) => ({ url: server.url(), log: server.log })),
  );
  return () => cluster.stop();
}
