// Several serving processes on one port. The first process opens the database, starts the others, replaces one that
// dies, adds up their metrics, and passes on the signal to stop.
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { Failure, type FailureKind } from '../base/failure.ts';
import type { Config } from '../config.ts';
import type { Metrics } from '../http/metrics.ts';
import { openReady } from '../store/open.ts';
import { createLog, type Serving, startServing, stopSignal } from './serving.ts';

/** What processes say to each other. */
type Message =
  | { readonly orrery: 'ready'; readonly url: string }
  | { readonly orrery: 'failed'; readonly kind: FailureKind; readonly sentence: string; readonly fix: string }
  | { readonly orrery: 'metrics_wanted'; readonly id: number }
  | { readonly orrery: 'metrics'; readonly id: number; readonly type: string; readonly text: string };

const restartPauseMs = 1_000;

/** In the first process: starts the workers and resolves once all of them serve. */
export async function startWorkers(config: Config, log: Logger): Promise<Serving> {
  let draining = false;
  const aggregator = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Message) => {
    if (message.orrery !== 'metrics_wanted') return;
    aggregator.clusterMetrics().then(
      (text) => worker.send({ orrery: 'metrics', id: message.id, type: aggregator.contentType, text }),
      (error: unknown) => log.warn({ err: error }, 'metrics failed'),
    );
  });
  const urls = await Promise.all(Array.from({ length: config.workers }, () => firstWord(cluster.fork())));
  cluster.on('exit', (worker, code, signal) => {
    if (draining) return;
    log.error({ pid: worker.process.pid, code, signal }, 'a worker ended; starting another');
    setTimeout(() => {
      if (!draining) cluster.fork();
    }, restartPauseMs);
  });
  return {
    url: urls[0] ?? '',
    drain: async () => {
      draining = true;
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(workers.map(stopped));
    },
  };
}

/** In a worker: serves until it is told to stop. */
export async function runWorker(config: Config): Promise<void> {
  const stop = stopSignal();
  // The first process holds the database open; this one only connects to it.
  const database = await openReady(config.place);
  try {
    const serving = await startServing(config, database, createLog(config.logLevel), withPrimary);
    say({ orrery: 'ready', url: serving.url });
    await stop;
    await serving.drain();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say({ orrery: 'failed', kind: error.kind, sentence: error.message, fix: error.fix });
  } finally {
    await database.close();
  }
  process.disconnect();
}

function firstWord(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    const listener = (message: Message) => {
      if (message.orrery === 'ready') resolve(message.url);
      else if (message.orrery === 'failed') reject(new Failure(message.kind, message.sentence, message.fix));
      else return;
      worker.off('message', listener);
    };
    worker.on('message', listener);
    worker.once('exit', () => reject(new Failure('internal', 'A worker ended while it started.', 'See the log.')));
  });
}

async function stopped(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  worker.process.kill('SIGTERM');
  await exited;
}

/** A worker's metrics are those of all workers: one of them answers a scraper, whichever it happens to reach. */
function withPrimary(own: Metrics): Metrics {
  // Its constructor makes this process answer the first one's question for its share.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(own.registry);
  let last = 0;
  return {
    ...own,
    print: () => {
      const id = ++last;
      return new Promise((resolve) => {
        const listener = (message: Message) => {
          if (message.orrery !== 'metrics' || message.id !== id) return;
          process.off('message', listener);
          resolve({ type: message.type, text: message.text });
        };
        process.on('message', listener);
        say({ orrery: 'metrics_wanted', id });
      });
    },
  };
}

function say(message: Message): void {
  process.send?.(message);
}
