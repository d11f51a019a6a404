// orrery serve: migrates, then serves until it is told to stop.
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { checkAddress } from '../../http/address.ts';
import type { Database } from '../../store/database.ts';
import { explained, openMigrated } from '../../store/driver/open.ts';
import type { Command } from '../command.ts';
import { serveFlags } from './flags.ts';
import { createLog, startServing, stopSignal } from './serve-process.ts';
import { runWorker, startWorkers } from './workers.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve until SIGTERM or SIGINT, which lets requests finish and exits 0',
  options: serveFlags,
  example: 'orrery serve --port 8080 --workers 2',
  run: ({ config }) => serveUntilStopped(config),
};

/** What `demo` does beside serving. */
export interface Occasions {
  /** The database is there, and nobody is served yet. */
  opened(database: Database): Promise<void>;
  /** The service answers. */
  ready(database: Database, url: string): Promise<void>;
}

const noOccasions: Occasions = { opened: async () => {}, ready: async () => {} };

export async function serveUntilStopped(config: Config, occasions: Occasions = noOccasions): Promise<void> {
  if (cluster.isWorker) return runWorker(config);
  const stop = stopSignal();
  const log = createLog(config.logLevel);
  // Before the database, which takes its time: whoever has the port keeps it.
  await checkAddress(config.host, config.port);
  const database = await openMigrated(config.place);
  try {
    await occasions.opened(database);
    const serving = await (config.workers > 1 ? startWorkers(config, log) : startServing(config, database, log));
    log.info({ url: serving.url, workers: config.workers, ...database.facts }, 'serving');
    // Whoever started the service waits for this line.
    log.flush();
    await occasions.ready(database, serving.url);
    await stopWhen(stop, log);
    await serving.drain();
  } catch (error) {
    throw await explained(config.place, error);
  } finally {
    await database.close();
  }
  log.info('stopped');
}

async function stopWhen(stop: Promise<NodeJS.Signals>, log: Logger): Promise<void> {
  const signal = await stop;
  log.info({ signal }, 'draining');
}
