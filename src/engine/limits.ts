// Spends units of an org's rate window. Units are leased from the database ahead of need (access/rate-limit says how
// many), so most requests spend from memory; what all processes lease together never passes the quota.
import { leaseAhead, type RatePolicy, type RateState, unspentMax } from '../access/rate-limit.ts';
import type { Clock } from '../base/clock.ts';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Database } from '../store/database.ts';
import { leaseUnits } from '../store/rate-windows.ts';

/** One lease may have been asked for before a request came, and a window may end under it: a third try is always enough. */
const attemptsMax = 5;

export interface Spent {
  readonly granted: boolean;
  readonly state: RateState;
}

export interface OrgLimiter {
  spend(orgId: number, policy: RatePolicy, cost: number): Promise<Spent> | Spent;
}

/** What this process knows of one org's current window. */
interface Account {
  /** The window surely lasts until then: its units are spent no later. */
  endsAtMs: number;
  /** The window is surely over then: whoever waits that long is served. */
  overAtMs: number;
  startedAt: Date | null;
  /** Units leased and not spent. */
  units: number;
  /** Of the last lease, what was taken ahead of need. */
  ahead: number;
  /** Units that nobody had leased at the last lease. */
  unleased: number;
  /** The sum of what waits for the lease under way. */
  waiting: number;
  leasing: Promise<void> | undefined;
}

export function openOrgLimiter(database: Database, clock: Clock): OrgLimiter {
  const accounts = new Map<number, Account>();

  const lease = async (orgId: number, policy: RatePolicy, account: Account): Promise<void> => {
    // One turn later, so that requests that arrived together are leased for together.
    await Promise.resolve();
    const sentAtMs = clock.monotonicMs();
    const sameWindow = sentAtMs < account.endsAtMs;
    const units = sameWindow ? account.units : 0;
    const result = await leaseUnits(database, {
      orgId,
      quota: policy.quota,
      windowSeconds: policy.windowSeconds,
      now: Math.max(account.waiting - units, 0),
      ahead: leaseAhead(policy.quota),
      unspentMax: unspentMax(policy.quota),
      spentAhead: account.ahead,
      startedAt: sameWindow ? account.startedAt : null,
    });
    if (result === undefined) return;
    const kept = result.startedAt.getTime() === account.startedAt?.getTime() ? units : 0;
    account.startedAt = result.startedAt;
    // The database counted somewhere between the question and its answer.
    account.endsAtMs = sentAtMs + result.remainingMs;
    account.overAtMs = clock.monotonicMs() + result.remainingMs;
    account.units = kept + result.grantedNow + result.grantedAhead;
    account.ahead = result.grantedAhead;
    account.unleased = result.unleased;
  };

  return {
    spend: (orgId, policy, cost) => {
      const account = accountOf(accounts, orgId);
      return take(account, policy, cost, clock) ?? wait();

      async function wait(): Promise<Spent> {
        for (let attempt = 0; attempt < attemptsMax; attempt++) {
          account.waiting += cost;
          try {
            account.leasing ??= lease(orgId, policy, account).finally(() => {
              account.leasing = undefined;
            });
            await account.leasing;
          } finally {
            account.waiting -= cost;
          }
          const spent = take(account, policy, cost, clock);
          if (spent !== undefined) return spent;
        }
        throw new Problem('unavailable', 'overloaded', 'The rate limit of the org could not be settled. Try again.', {
          headers: { 'Retry-After': '1' },
        });
      }
    },
  };
}

/** Spends from memory if that settles it; undefined when the database must be asked. */
function take(account: Account, policy: RatePolicy, cost: number, clock: Clock): Spent | undefined {
  if (clock.monotonicMs() >= account.endsAtMs) return undefined;
  if (account.units >= cost) {
    account.units -= cost;
    return { granted: true, state: stateOf(account, policy, clock) };
  }
  // Nothing was left at the last lease, and nothing comes back before the window ends: no need to ask again.
  if (account.unleased === 0) return { granted: false, state: stateOf(account, policy, clock) };
  return undefined;
}

function stateOf(account: Account, policy: RatePolicy, clock: Clock): RateState {
  const leftMs = account.overAtMs - clock.monotonicMs();
  return {
    policy,
    remaining: Math.min(policy.quota, account.units + account.unleased),
    resetSeconds: Math.min(policy.windowSeconds, Math.max(1, Math.ceil(leftMs / 1_000))),
  };
}

function accountOf(accounts: Map<number, Account>, orgId: number): Account {
  const known = accounts.get(orgId);
  if (known !== undefined) return known;
  if (accounts.size >= bounds.cachedCredentials) {
    // Forgetting an account loses its unspent units, which is safe: they count as leased.
    for (const [oldest, account] of accounts) {
      if (account.leasing !== undefined) continue;
      accounts.delete(oldest);
      break;
    }
  }
  const account: Account = {
    endsAtMs: Number.NEGATIVE_INFINITY,
    overAtMs: Number.NEGATIVE_INFINITY,
    startedAt: null,
    units: 0,
    ahead: 0,
    unleased: 0,
    waiting: 0,
    leasing: undefined,
  };
  accounts.set(orgId, account);
  return account;
}
