// The org's rate window: one row, one statement per lease. An UPDATE sees the newest version of its row once it holds
// the lock, so leases of all processes add up exactly and the quota cannot be passed.
import { limits } from '../../base/limits.ts';
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';

export interface LeaseRequest {
  readonly orgId: number;
  readonly quota: number;
  readonly windowSeconds: number;
  /** Units that the caller spends now. */
  readonly now: number;
  /** A grant of fewer units is not worth it. */
  readonly atLeast: number;
  /** How many units all processes together may hold for later. Each lease takes a quarter of those still free. */
  readonly unspentMax: number;
  /** Units that this process got in advance in the window that started at `startedAt`, and has spent since. */
  readonly spentAhead: number;
  readonly startedAt: Date | null;
}

export interface Lease {
  readonly startedAt: Date;
  /** Milliseconds until the window ends. */
  readonly remainingMs: number;
  readonly grantedNow: number;
  readonly grantedAhead: number;
  /** Units of the window that no process has leased. */
  readonly unleased: number;
}

/**
 * A window that starts further in the future than a statement can have waited for the row's lock means that the clock
 * was set back; anything less is a late lease.
 */
const stepSeconds = limits.statementSeconds + 5;

/**
 * Does not wait for a synchronous standby: while that is away, writes wait, and reads need units too. If the standby takes
 * over, units that it has not heard of can be spent again. The setting lasts until the end of the transaction, so this
 * statement must be the only one in it: nothing else may be acknowledged early.
 */
export async function leaseUnits(transaction: Transaction, request: LeaseRequest): Promise<Lease | undefined> {
  const { orgId, quota, windowSeconds, now, atLeast, unspentMax, spentAhead, startedAt } = request;
  const [row] = await transaction.query<Lease>(sql`
    update orrery.rate_window w
    set (started_at, leased, unspent, granted_now, granted_ahead) = (
      select current.started_at,
        current.leased + granted.now + granted.ahead,
        current.unspent + granted.ahead,
        granted.now,
        granted.ahead
      from (
        -- A window is over after its seconds, or when the clock has stepped back before its start. Its start is its name
        -- in processes, whose dates have milliseconds.
        select now() >= w.started_at + make_interval(secs => ${windowSeconds})
          or now() < w.started_at - make_interval(secs => ${stepSeconds}) as over
      ) as window_state,
      lateral (
        select case when over then date_trunc('milliseconds', now()) else w.started_at end as started_at,
          case when over then 0 else w.leased end as leased,
          case when over then 0
            when w.started_at = ${startedAt}::timestamptz then greatest(w.unspent - ${spentAhead}::integer, 0)
            else w.unspent end as unspent
      ) as current,
      lateral (select greatest(${quota}::integer - current.leased, 0) as units) as free,
      lateral (
        select case when least(${now}::integer, free.units) >= ${atLeast}::integer
          then least(${now}::integer, free.units) else 0 end as now
      ) as due,
      lateral (
        select due.now,
          greatest(least((${unspentMax}::integer - current.unspent) / 4, free.units - due.now), 0) as ahead
      ) as granted
    )
    where w.org_id = ${orgId}
    returning started_at as "startedAt", granted_now as "grantedNow", granted_ahead as "grantedAhead",
      greatest(${quota}::integer - leased, 0) as unleased,
      least(extract(epoch from started_at + make_interval(secs => ${windowSeconds}) - now()) * 1000,
        ${windowSeconds}::numeric * 1000)::float8 as "remainingMs",
      set_config('synchronous_commit', 'local', true)`);
  return row;
}
