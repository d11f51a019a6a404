// orrery serve: migrates, then serves until it is told to stop.
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../store/database.ts';
import { openMigrated } from '../store/open.ts';
import type { Command } from './command.ts';
import { serveFlags } from './serve-flags.ts';
import { createLog, startServing, stopSignal } from './serving.ts';
import { runWorker, startWorkers } from './workers.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve until SIGTERM or SIGINT, which lets requests finish and exits 0',
  options: serveFlags,
  example: 'orrery serve --port 8080 --workers 2',
  run: ({ config }) => serveUntilStopped(config, async () => {}),
};

/** `onReady` runs once the service answers: `demo` prints its first screen then. */
export async function serveUntilStopped(
  config: Config,
  onReady: (database: Database, url: string) => Promise<void>,
): Promise<void> {
  if (cluster.isWorker) return runWorker(config);
  const stop = stopSignal();
  const log = createLog(config.logLevel);
  const database = await openMigrated(config.place);
  try {
    const serving = await (config.workers > 1 ? startWorkers(config, log) : startServing(config, database, log));
    log.info({ url: serving.url, workers: config.workers, ...database.facts }, 'serving');
    // Whoever started the service waits for this line.
    log.flush();
    await onReady(database, serving.url);
    await stopWhen(stop, log);
    await serving.drain();
  } finally {
    await database.close();
  }
  log.info('stopped');
}

async function stopWhen(stop: Promise<NodeJS.Signals>, log: Logger): Promise<void> {
  const signal = await stop;
  log.info({ signal }, 'draining');
}
