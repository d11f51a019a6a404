// orrery serve: migrates the database, then serves until it is stopped.
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { type Config, serveFlags } from '../../config.ts';
import { checkAddress } from '../../http/address.ts';
import type { Database } from '../../store/database.ts';
import { explained, openMigrated } from '../../store/driver/open.ts';
import type { Command } from '../command.ts';
import { createLog, serveInOneProcess, stopSignal } from './one-process.ts';
import { runWorker, serveInWorkers } from './workers.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve until SIGTERM or SIGINT, which lets requests finish and exits 0',
  options: serveFlags,
  example: 'orrery serve --port 8080 --workers 2',
  run: ({ config }) => serveUntilStopped(config),
};

/** The moments at which `demo` does something besides serving. */
interface Moments {
  /** The database is open, and no request is served yet. */
  opened(database: Database): Promise<void>;
  /** The service answers. */
  ready(database: Database, url: string): Promise<void>;
}

const noMoments: Moments = { opened: async () => {}, ready: async () => {} };

export async function serveUntilStopped(config: Config, moments: Moments = noMoments): Promise<void> {
  if (cluster.isWorker) return runWorker(config);
  const stop = stopSignal();
  const log = createLog(config.logLevel);
  // Checked before the database is opened, which takes much longer.
  await checkAddress(config.host, config.port);
  const database = await openMigrated(config.place);
  try {
    await moments.opened(database);
    const running = await (config.workers > 1 ? serveInWorkers(config, log) : serveInOneProcess(config, database, log));
    log.info({ url: running.url, workers: config.workers, ...database.facts }, 'serving');
    // Programs that start the service wait for this line.
    log.flush();
    await moments.ready(database, running.url);
    await stopWhen(stop, log);
    await running.drain();
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
