// One statement on one connection: prepared under a name, and given up when PostgreSQL does not answer in time.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { systemClock } from '../base/clock.ts';
import { bounds } from '../base/limits.ts';
import type { Sql } from '../base/sql.ts';

/**
 * One statement, prepared under a name. The driver's own object is made here, because what `client.query` makes of a
 * configuration is copied twice on the way.
 */
export function runStatement<Row extends object>(client: pg.PoolClient, statement: Sql): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const { text, values } = statement;
    const watched = watch(client);
    const callback = (error: Error | null, result: { readonly rows: readonly Row[] }) => {
      watches.delete(watched);
      if (error) reject(error);
      else resolve(result.rows);
    };
    // What the driver's query takes beside its text and values, though its types do not tell.
    const query = Object.assign(new pg.Query(text, values as unknown[]), { name: nameOf(text), callback });
    client.query(query);
  });
}

/** Statements that are being waited for, oldest first. */
interface Watch {
  readonly client: pg.PoolClient;
  readonly untilMs: number;
}
const watches = new Set<Watch>();
let sweeping: NodeJS.Timeout | undefined;

/** PostgreSQL ends a statement in time, but a host that has vanished ends nothing: then this side gives up. */
function watch(client: pg.PoolClient): Watch {
  const watched = { client, untilMs: systemClock.monotonicMs() + bounds.statementWaitMs };
  watches.add(watched);
  // One timer for all of them: a timer for each would cost as much as the rest of the waiting.
  sweeping ??= setInterval(sweep, sweepEveryMs).unref();
  return watched;
}

const sweepEveryMs = 500;

function sweep(): void {
  for (const watched of watches) {
    if (watched.untilMs > systemClock.monotonicMs()) break;
    watches.delete(watched);
    // Breaks the connection, and with it the statement that waits on it.
    (watched.client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  }
  if (watches.size === 0) {
    clearInterval(sweeping);
    sweeping = undefined;
  }
}

/** A statement of the driver's own, without parameters. */
export async function runPlain(client: pg.PoolClient, text: string): Promise<void> {
  const watched = watch(client);
  try {
    await client.query(text);
  } finally {
    watches.delete(watched);
  }
}

const names = new Map<string, string>();

/** The name under which connections keep the statement prepared. Past the bound a statement is planned each time. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= bounds.namedStatements) return known;
  const name = `orrery_${names.size + 1}`;
  names.set(text, name);
  return name;
}
