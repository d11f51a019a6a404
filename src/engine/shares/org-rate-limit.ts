// Spends units of an org's rate window. Units are leased from the database ahead of need (access/rate-limit says how
// many), so most requests spend from memory; what all processes lease together never passes the quota.
import { type RatePolicy, type RateState, unspentMax } from '../../access/rate-limit.ts';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import type { Transaction } from '../../store/database.ts';
import { type Lease, type LeaseRequest, leaseUnits } from '../../store/org/rate-windows.ts';

/** A lease may have been requested before the request arrived, and a window may end meanwhile: three tries always suffice. */
const attemptsMax = 5;

export interface Spent {
  readonly granted: boolean;
  readonly state: RateState;
}

export interface OrgRateLimit {
  spend(orgId: number, policy: RatePolicy, cost: number): Promise<Spent> | Spent;
}

/** The current window of one org, as this process knows it. */
interface Account {
  /** The window lasts at least until then: its units are spent no later. */
  endsAtMs: number;
  /** The window is over by then: a client that waits that long is served. */
  overAtMs: number;
  startedAt: Date | null;
  /** Units leased and not spent. */
  units: number;
  /** The units of the last lease that were taken ahead of need. */
  ahead: number;
  /** Units that nobody had leased at the last lease. */
  unleased: number;
  /** How many requests wait for the lease under way, a unit each. */
  waiting: number;
  leasing: Promise<void> | undefined;
}

export function openOrgRateLimit(database: Transaction, clock: Clock): OrgRateLimit {
  const accounts = new Map<number, Account>();
  return {
    spend: (orgId, policy, cost) => {
      const spender = { database, clock, orgId, policy, account: accountOf(accounts, orgId) };
      const spent = take(spender, cost);
      if (spent !== undefined) return spent;
      return cost === 1 ? spendOne(spender) : spendWhole(spender, cost);
    },
  };
}

/** An account to spend from, and the database to lease more units from. */
interface Spender {
  readonly database: Transaction;
  readonly clock: Clock;
  readonly orgId: number;
  readonly policy: RatePolicy;
  readonly account: Account;
}

async function spendOne(spender: Spender): Promise<Spent> {
  const { account } = spender;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    account.waiting++;
    try {
      account.leasing ??= leaseSingles(spender).finally(() => {
        account.leasing = undefined;
      });
      await account.leasing;
    } finally {
      account.waiting--;
    }
    const spent = take(spender, 1);
    if (spent !== undefined) return spent;
  }
  throw overloaded('The rate limit of the org could not be determined.');
}

/** A request that costs more has a lease of its own, whole or not at all, so that a refusal spends nothing. */
async function spendWhole(spender: Spender, cost: number): Promise<Spent> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const lease = await ask(spender, { now: cost, atLeast: cost, unspentMax: 0, spentAhead: 0 });
    if (lease !== undefined) return { granted: lease.grantedNow === cost, state: stateOf(spender) };
  }
  throw overloaded('The rate limit of the org could not be determined.');
}

/** Leases units for all waiting requests, and some ahead of need. */
async function leaseSingles(spender: Spender): Promise<void> {
  const { account, policy } = spender;
  // One turn later, so that requests that arrived together are leased for together.
  await Promise.resolve();
  const wanted = { now: account.waiting, atLeast: 1, unspentMax: unspentMax(policy.quota), spentAhead: account.ahead };
  const lease = await ask(spender, wanted);
  if (lease === undefined) return;
  // Added to what is there now: requests may have spent while the lease was under way.
  account.units += lease.grantedNow + lease.grantedAhead;
  account.ahead = lease.grantedAhead;
}

/**
 * Asks the database, and notes the state of the window. Answers can overtake each other at the end of a window; the older
 * one is then used for a moment, but its window is over, so the next request asks again.
 */
async function ask({ database, clock, orgId, policy, account }: Spender, wanted: Wanted): Promise<Lease | undefined> {
  const sentAtMs = clock.monotonicMs();
  const { quota, windowSeconds } = policy;
  const lease = await leaseUnits(database, { orgId, quota, windowSeconds, startedAt: account.startedAt, ...wanted });
  if (lease === undefined) return undefined;
  if (lease.startedAt.getTime() !== account.startedAt?.getTime()) {
    account.startedAt = lease.startedAt;
    account.units = 0;
    account.ahead = 0;
  }
  // The database counted somewhere between the question and its answer.
  account.endsAtMs = sentAtMs + lease.remainingMs;
  account.overAtMs = clock.monotonicMs() + lease.remainingMs;
  account.unleased = lease.unleased;
  return lease;
}

type Wanted = Pick<LeaseRequest, 'now' | 'atLeast' | 'unspentMax' | 'spentAhead'>;

/** Spends from memory if possible; undefined when the database must be asked. */
function take(spender: Spender, cost: number): Spent | undefined {
  const { account, clock } = spender;
  if (clock.monotonicMs() >= account.endsAtMs) return undefined;
  if (account.units >= cost) {
    account.units -= cost;
    return { granted: true, state: stateOf(spender) };
  }
  // Nothing was left at the last lease, and nothing comes back before the window ends: no need to ask again.
  if (account.unleased === 0) return { granted: false, state: stateOf(spender) };
  return undefined;
}

function stateOf({ account, policy, clock }: Spender): RateState {
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
  if (accounts.size >= bounds.shares.rateAccounts) {
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
