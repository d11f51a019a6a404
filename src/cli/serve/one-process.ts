// Serves in one process: an engine and an HTTP server on an open database. Also the log and the stop signal that every
// serving process has.
import pino from 'pino';
import { systemClock } from '../../base/clock.ts';
import { exitStatuses } from '../../base/failure.ts';
import { type Config, release } from '../../config.ts';
import { openErasureWatch } from '../../engine/admin/finish-erasures.ts';
import { openHousekeeping } from '../../engine/admin/housekeeping.ts';
import { openIndexJobs } from '../../engine/platform/index-jobs.ts';
import { openJobWatch } from '../../engine/platform/jobs.ts';
import { openEngine } from '../../engine/process/engine.ts';
import { originOf } from '../../http/address.ts';
import { collected, type Log, openLog } from '../../http/log.ts';
import { createMetrics, type Metrics } from '../../http/metrics.ts';
import { startServer } from '../../http/server.ts';
import { redactAnswer } from '../../operations/shared/redact-answer.ts';
import type { Database } from '../../store/database.ts';
import { readableLines } from '../terminal/log-lines.ts';
import { limitGarbage } from './garbage.ts';

/** A service that answers requests, in one process or in several. */
export interface Running {
  /** The address it listens on, such as http://127.0.0.1:4610. */
  readonly url: string;
  /** Finishes the requests under way and closes everything but the database. */
  drain(): Promise<void>;
}

/** One that also takes its leave: see `announceEnd` of the server. */
interface RunningProcess extends Running {
  announceEnd(): void;
}

/**
 * JSON lines on standard error, or readable ones on a terminal; standard output is for results. An uncaught error is logged and
 * ends the process.
 */
export function createLog(level: string): Log {
  const standardError = pino.destination({ dest: 2, sync: true });
  const destination = collected(process.stderr.isTTY ? readableLines(standardError) : standardError);
  const log = openLog(level, destination);
  process.on('exit', () => destination.flush());
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'ended by an uncaught error');
    process.exit(exitStatuses.internal);
  });
  return log;
}

export async function serveInOneProcess(
  config: Config,
  database: Database,
  log: Log,
  adapt: (metrics: Metrics) => Metrics = (metrics) => metrics,
): Promise<RunningProcess> {
  const garbage = limitGarbage();
  const onError = (error: unknown) => log.warn({ err: error }, 'background work failed');
  const retention = {
    trashSeconds: config.trashDays * 86_400,
    changesSeconds: config.changesDays * 86_400,
    auditSeconds: config.auditDays * 86_400,
  };
  const indexJobs = openIndexJobs(onError);
  const engine = openEngine(database, onError, {
    changesSeconds: retention.changesSeconds,
    onIndexStep: (step) => indexJobs.note(step),
  });
  const own = { ...engine, database: engine.connections.service };
  indexJobs.attach(own);
  try {
    const server = await startServer({
      host: config.host,
      port: config.port,
      engine,
      log,
      metrics: adapt(createMetrics({ ...engine, release })),
      settings: {
        release,
        publicUrl: config.publicUrl,
        corsOrigins: new Set(config.corsOrigins),
        deprecation: config.deprecation,
      },
    });
    const housekeeping = openHousekeeping(own, retention, onError);
    const jobWatch = openJobWatch(own, onError);
    const erasures = openErasureWatch(own, redactAnswer, onError);
    return {
      url: originOf(server.host, server.port),
      announceEnd: () => server.announceEnd(),
      drain: async () => {
        await server.drain();
        for (const part of [housekeeping, jobWatch, erasures]) await part.close();
        await engine.close();
        await indexJobs.close();
        garbage.close();
      },
    };
  } catch (error) {
    await engine.close();
    garbage.close();
    throw error;
  }
}

/** A second signal within this time is the same Ctrl-C: the terminal sends it, and npm passes it on. */
const sameSignalMs = 1_000;

/** Resolves with the first signal to stop; a later one ends the process immediately. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      const nowMs = systemClock.monotonicMs();
      if (firstAtMs !== undefined && nowMs - firstAtMs >= sameSignalMs) process.exit(exitStatuses.internal);
      firstAtMs ??= nowMs;
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
