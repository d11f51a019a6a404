// Starts a small Citus cluster on this machine and prints its address; Ctrl-C ends it and removes its folder. See README.md.
import { startCluster } from './cluster.mjs';

const pgConfig = process.env.CITUS_PG_CONFIG;
if (pgConfig === undefined) {
  console.error('Set CITUS_PG_CONFIG to the pg_config of a PostgreSQL that has Citus: see deploy/citus/README.md.');
  process.exit(2);
}
const workers = Number(process.argv[2] ?? 2);
if (!Number.isInteger(workers) || workers < 1 || workers > 16) {
  console.error('The number of workers is between 1 and 16.');
  process.exit(2);
}
const cluster = await startCluster({ pgConfig, workers });
console.log(cluster.coordinator.url());
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    void cluster.stop().then(() => process.exit(0));
  });
}
// The servers are children of this process, which waits for them.
setInterval(() => {}, 60_000);
