// Several serving processes on one port. The first process opens the database, starts the others, replaces one that
// dies, adds up their metrics, and tells them to stop. A worker always ends: whatever happens in it is told, then it goes.
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { within } from '../../base/clock.ts';
import { Failure, type FailureKind } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Config } from '../../config.ts';
import type { Metrics } from '../../http/metrics.ts';
import { openReady } from '../../store/driver/open.ts';
import { createLog, type Serving, startServing, stopSignal } from './serve-process.ts';

/** What processes say to each other. */
type Message =
  | { readonly orrery: 'ready'; readonly url: string }
  | { readonly orrery: 'failed'; readonly kind: FailureKind; readonly sentence: string; readonly fix: string }
  | { readonly orrery: 'stop' }
  | { readonly orrery: 'metrics_wanted'; readonly id: number }
  | { readonly orrery: 'metrics'; readonly id: number; readonly type: string; readonly text: string | undefined };

const restartPauseMs = 1_000;
const metricsWaitMs = 6_000;
/** A worker that has not ended by then hangs. */
const stopWaitMs = bounds.http.drainTimeoutMs + 10_000;

/** In the first process: starts the workers and resolves once all of them serve. */
export async function startWorkers(config: Config, log: Logger): Promise<Serving> {
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  answerForMetrics(log);
  cluster.on('exit', (worker, code, signal) => {
    if (phase !== 'serving') return;
    log.error({ worker_pid: worker.process.pid, code, signal }, 'a worker ended; starting another');
    setTimeout(() => {
      if (phase === 'serving') watchStart(cluster.fork(), log);
    }, restartPauseMs);
  });
  const stopAll = async () => {
    phase = 'stopping';
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => stopped(worker)));
  };
  try {
    const urls = await Promise.all(Array.from({ length: config.workers }, () => firstWord(cluster.fork())));
    phase = 'serving';
    // One may have died while the others started.
    for (let live = liveWorkers(); live < config.workers; live++) watchStart(cluster.fork(), log);
    return { url: urls[0] ?? '', drain: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** In a worker: serves until it is told to stop. */
export async function runWorker(config: Config): Promise<void> {
  const stop = Promise.race([stopSignal(), told('stop')]);
  const log = createLog(config.logLevel);
  try {
    // The first process holds the database open; this one only connects to it.
    const database = await openReady(config.place);
    try {
      const serving = await startServing(config, database, log, withPrimary);
      say({ orrery: 'ready', url: serving.url });
      await stop;
      await serving.drain();
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) log.error({ err: error }, 'a worker failed');
    const { kind, message, fix } =
      error instanceof Failure ? error : new Failure('internal', 'A worker failed.', 'The log above tells why.');
    say({ orrery: 'failed', kind, sentence: message, fix });
  } finally {
    process.disconnect();
  }
}

/** The address that a worker serves at, or why it does not. */
function firstWord(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.orrery === 'ready') resolve(message.url);
      if (message.orrery === 'failed') reject(new Failure(message.kind, message.sentence, message.fix));
    });
    worker.once('exit', () => reject(new Failure('internal', 'A worker ended while it started.', 'See the log.')));
  });
}

/** A replacement that does not come up is told; it ends, and is replaced in its turn. */
function watchStart(worker: Worker, log: Logger): void {
  firstWord(worker).then(
    () => log.info({ worker_pid: worker.process.pid }, 'a worker serves again'),
    (error: unknown) => log.error({ err: error, worker_pid: worker.process.pid }, 'a worker did not start'),
  );
}

function liveWorkers(): number {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isDead() === false).length;
}

async function stopped(worker: Worker | undefined): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  tell(worker, { orrery: 'stop' });
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopWaitMs);
  await exited;
  clearTimeout(timer);
}

/** One worker answers a scraper, whichever it reaches, with the sum over all of them; the first process can add up. */
function answerForMetrics(log: Logger): void {
  const aggregator = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Message) => {
    if (message.orrery !== 'metrics_wanted') return;
    const answer = (text: string | undefined) =>
      tell(worker, { orrery: 'metrics', id: message.id, type: aggregator.contentType, text });
    aggregator.clusterMetrics().then(answer, (error: unknown) => {
      log.warn({ err: error }, 'a worker did not tell its metrics');
      answer(undefined);
    });
  });
}

/** In a worker: the metrics of all workers, or its own when the others cannot be had. */
function withPrimary(own: Metrics): Metrics {
  // Its constructor makes this process answer the first one's question for its share.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(own.registry);
  let last = 0;
  return {
    ...own,
    print: async () => {
      const id = ++last;
      const answer = told('metrics', id);
      say({ orrery: 'metrics_wanted', id });
      const message = await within(metricsWaitMs, answer);
      if (message === undefined || message.orrery !== 'metrics' || message.text === undefined) return own.print();
      return { type: message.type, text: message.text };
    },
  };
}

/** In a worker: the next message of that kind, and of that number where it has one. */
function told(kind: Message['orrery'], id?: number): Promise<Message> {
  return new Promise((resolve) => {
    const listener = (message: Message) => {
      if (message.orrery !== kind || (id !== undefined && 'id' in message && message.id !== id)) return;
      process.off('message', listener);
      resolve(message);
    };
    process.on('message', listener);
    if (id !== undefined) setTimeout(() => process.off('message', listener), metricsWaitMs).unref();
  });
}

/** A worker may be gone at any moment; what cannot be said to it does not matter any more. */
function tell(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

function say(message: Message): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
