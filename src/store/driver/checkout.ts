// The connections of a pool, and the only way to one of them: whatever prevents it becomes a Problem here.
import pg from 'pg';
import { within } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded, type Problem } from '../../base/problem.ts';
import type { PoolGauge } from '../database.ts';
import { isPoolBusy, NoAnswer, toConnectionProblem } from '../pg-error.ts';
import { PooledConnection } from './pooled-connection.ts';
import type { Pulse } from './pulse.ts';
import { isWorthReviving, type Reach } from './reach.ts';
import { RowClient } from './row-client.ts';
import { beginSession, type SessionSettings } from './session.ts';

export interface CheckoutOptions {
  readonly reach: Reach;
  readonly connections: number;
  readonly settings: SessionSettings;
  readonly pulse: Pulse;
}

interface Checkout {
  /** A connection that works, as far as is known. The caller must release it. */
  take(): Promise<PooledConnection>;
  gauge(): PoolGauge;
  close(): Promise<void>;
}

export function openCheckout(options: CheckoutOptions): Checkout {
  const { pulse, reach, settings } = options;
  const known = new WeakMap<pg.PoolClient, PooledConnection>();
  const pool = openDriverPool(options, (client) => {
    const pooled = new PooledConnection(client, pulse);
    known.set(client, pooled);
    return pooled.watched(bounds.store.statementWaitMs, async () => {
      pooled.isTo(await beginSession(client, reach, settings));
    });
  });
  return {
    take: async () => {
      if (pulse.isSilent) throw toConnectionProblem(new NoAnswer());
      if (pool.waitingCount >= bounds.store.poolWaiting) throw poolBusy();
      try {
        for (;;) {
          // A connection that nobody uses is there at once.
          const client = await (pool.idleCount > pool.waitingCount ? pool.connect() : watchedConnect(pool, options));
          const pooled = known.get(client);
          if (pooled?.isSuspect === false) return pooled;
          pooled?.break();
          client.release(true);
        }
      } catch (error) {
        // While nobody is answered, it is not for too many requests.
        if (isPoolBusy(error) && pulse.wasHeardWithin(bounds.store.poolWaitMs)) throw poolBusy();
        throw toConnectionProblem(error);
      }
    },
    gauge: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    // A connection that hangs is left to the end of the process.
    close: () => within(bounds.store.poolCloseMs, pool.end()),
  };
}

function openDriverPool(
  { reach, connections }: CheckoutOptions,
  onConnect: (client: pg.PoolClient) => Promise<unknown>,
): pg.Pool {
  const pool = new pg.Pool({
    // An option that the pool accepts, although its types do not list it.
    ...{ onConnect },
    Client: clientOf(reach),
    application_name: 'orrery',
    max: connections,
    connectionTimeoutMillis: bounds.store.poolWaitMs,
    idleTimeoutMillis: bounds.store.poolIdleMs,
    // One connection always stays: the last process to disconnect from an embedded server stops it.
    min: 1,
    keepAlive: true,
  });
  // Without a listener a broken connection, idle or in use, would end the process. The pool drops it, and a statement
  // that runs on it fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A connection is opened long after it was asked for if it had to wait for another one to end: it goes where the server is then. */
function clientOf(reach: Reach): typeof RowClient {
  return class extends RowClient {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...reach.connection });
    }
  };
}

/** A connection of the pool, given up with everything else if the database is silent. */
function watchedConnect(pool: pg.Pool, { pulse, reach }: CheckoutOptions): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isGivenUp = false;
    const wait = pulse.begin(bounds.store.connectMs, () => {
      isGivenUp = true;
      reject(new NoAnswer());
    });
    const connect = async () => {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isWorthReviving(error) || isGivenUp) throw error;
        await reach.revive();
        return await pool.connect();
      }
    };
    connect().then(
      (client) => {
        pulse.end(wait);
        if (isGivenUp) client.release();
        else resolve(client);
      },
      (error: unknown) => {
        pulse.end(wait);
        reject(error);
      },
    );
  });
}

function poolBusy(): Problem {
  return overloaded('Too many requests are waiting for the database; send fewer at once.');
}
