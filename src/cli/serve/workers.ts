// Serves in several processes on one port. The first process opens the database, starts the workers, replaces one that
// dies, adds up their metrics, and stops them. A worker that fails reports why to the first process, then ends.
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { within } from '../../base/clock.ts';
import { Failure, type FailureKind } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Config } from '../../config.ts';
import type { Metrics } from '../../http/metrics.ts';
import { openReady } from '../../store/driver/open.ts';
import { watchHandovers } from './handovers.ts';
import { createLog, type Running, serveInOneProcess, stopSignal } from './one-process.ts';

/** The messages between the first process and its workers. */
type Message =
  | { readonly orrery: 'ready'; readonly url: string }
  | { readonly orrery: 'failed'; readonly kind: FailureKind; readonly sentence: string; readonly fix: string }
  | { readonly orrery: 'ending' }
  | { readonly orrery: 'stop' }
  | { readonly orrery: 'metrics_wanted'; readonly id: number }
  | { readonly orrery: 'metrics'; readonly id: number; readonly type: string; readonly text: string | undefined };

const restartPauseMs = 1_000;
const metricsWaitMs = 6_000;
/** A worker that takes longer to stop hangs, and is killed. */
const stopWaitMs = bounds.http.drainTimeoutMs + 10_000;

/** In the first process: starts the workers and resolves once all of them serve. */
export async function serveInWorkers(config: Config, log: Logger): Promise<Running> {
  let phase: 'starting' | 'serving' | 'stopping' = 'starting';
  sumMetrics(log);
  const handovers = watchHandovers();
  cluster.on('exit', (worker, code, signal) => {
    if (phase !== 'serving') return;
    log.error({ worker_pid: worker.process.pid, code, signal }, 'a worker ended; starting another');
    setTimeout(() => {
      if (phase === 'serving') watchStart(cluster.fork(), log);
    }, restartPauseMs);
  });
  const stopAll = async () => {
    phase = 'stopping';
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    for (const worker of workers) send(worker, { orrery: 'ending' });
    await handovers.settled();
    await Promise.all(workers.map((worker) => stopped(worker)));
  };
  try {
    const urls = await Promise.all(Array.from({ length: config.workers }, () => started(cluster.fork())));
    phase = 'serving';
    // One may have died while the others started.
    for (let live = liveWorkers(); live < config.workers; live++) watchStart(cluster.fork(), log);
    return { url: urls[0] ?? '', drain: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** In a worker: serves until it is stopped. */
export async function runWorker(config: Config): Promise<void> {
  const stop = Promise.race([messageOf('stop'), stopSignal().then(handoverTime)]);
  const log = createLog(config.logLevel);
  try {
    // The first process holds the database open; this one only connects to it.
    const database = await openReady(config.place);
    try {
      const running = await serveInOneProcess(config, database, log, withPrimary);
      void messageOf('ending').then(() => running.announceEnd());
      report({ orrery: 'ready', url: running.url });
      await stop;
      await running.drain();
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) log.error({ err: error }, 'a worker failed');
    const { kind, message, fix } =
      error instanceof Failure ? error : new Failure('internal', 'A worker failed.', 'See the log above.');
    report({ orrery: 'failed', kind, sentence: message, fix });
  } finally {
    process.disconnect();
  }
}

/**
 * A signal to all processes, such as Ctrl-C on a terminal, also reaches the first one. It hands over the connections that
 * have come before it stops this worker; if it does not, this worker stops by itself.
 */
function handoverTime(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 2 * bounds.cli.handoverMs).unref();
  });
}

/** The address that a worker serves at; rejects with the reason if it fails to start. */
function started(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.orrery === 'ready') resolve(message.url);
      if (message.orrery === 'failed') reject(new Failure(message.kind, message.sentence, message.fix));
    });
    worker.once('exit', () => reject(new Failure('internal', 'A worker ended while starting.', 'See the log above.')));
  });
}

/** Logs a replacement that fails to start; it ends and is replaced again. */
function watchStart(worker: Worker, log: Logger): void {
  started(worker).then(
    () => log.info({ worker_pid: worker.process.pid }, 'a worker serves again'),
    (error: unknown) => log.error({ err: error, worker_pid: worker.process.pid }, 'a worker did not start'),
  );
}

function liveWorkers(): number {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isDead() === false).length;
}

async function stopped(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  send(worker, { orrery: 'stop' });
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopWaitMs);
  await exited;
  clearTimeout(timer);
}

/** A scraper reaches any one worker, which answers with the sum over all; only the first process can add them up. */
function sumMetrics(log: Logger): void {
  const aggregator = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Message) => {
    if (message.orrery !== 'metrics_wanted') return;
    const answer = (text: string | undefined) =>
      send(worker, { orrery: 'metrics', id: message.id, type: aggregator.contentType, text });
    aggregator.clusterMetrics().then(answer, (error: unknown) => {
      log.warn({ err: error }, 'a worker did not report its metrics');
      answer(undefined);
    });
  });
}

/** In a worker: the metrics of all workers, or its own if the others are not available. */
function withPrimary(own: Metrics): Metrics {
  // Its constructor makes this process answer when the first one asks for its metrics.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(own.registry);
  let last = 0;
  return {
    ...own,
    print: async () => {
      const id = ++last;
      const answer = messageOf('metrics', id);
      report({ orrery: 'metrics_wanted', id });
      const message = await within(metricsWaitMs, answer);
      if (message === undefined || message.orrery !== 'metrics' || message.text === undefined) return own.print();
      return { type: message.type, text: message.text };
    },
  };
}

/** In a worker: the next message of this kind, and with this id if one is given. */
function messageOf(kind: Message['orrery'], id?: number): Promise<Message> {
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

/** A worker may be gone at any moment; then the message no longer matters. */
function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

function report(message: Message): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
