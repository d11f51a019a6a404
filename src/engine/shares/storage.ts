// What orgs store, and their quotas. Each process adds up what its commits add and remove, and stores the sums about once
// a second, so that no write waits for a counter. An org can therefore pass its quota by what is being written when it
// reaches it, and by what other processes have written in the last second or two.

import type { Clock } from '../../base/clock.ts';
import { counted } from '../../base/counted.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Transaction } from '../../store/database.ts';
import { addStorage, addStorages, listFullestOrgs, type OrgStorage } from '../../store/org/storage.ts';

export interface Storage {
  /** Notes that a commit has added so many bytes to what the org stores; negative if it removed more. */
  grew(orgId: number, bytes: number): void;
  /** Throws if the org has reached its quota. Undefined, not a promise, if that is known without the database. */
  requireRoom(orgId: number, quota: number): Promise<void> | undefined;
  /** The orgs that have used most of their quota, then the largest without one: as they were a few seconds ago. */
  fullest(): Promise<readonly OrgStorage[]>;
  /** Forgets everything, because the database was replaced. */
  forget(): void;
  /** Stores what is noted and stops. */
  close(): Promise<void>;
}

/** What this process knows of an org. */
interface Account {
  /** What the database had when it last answered; undefined before that. */
  stored: number | undefined;
  storedAtMs: number;
  /** Not in `stored` yet: noted here, and on its way to the database. */
  noted: number;
  sent: number;
  /** The exchange with the database that is under way. */
  exchange: Promise<void> | undefined;
}

type NotedOrg = readonly [orgId: number, account: Account];

export function openStorage(database: Transaction, clock: Clock, onFault: (error: unknown) => void): Storage {
  const accounts = new Map<number, Account>();
  const { exchange, learn, flush } = openExchanges(accounts, database, clock, onFault);
  let flushing: Promise<void> | undefined;
  const timer = setInterval(() => {
    flushing ??= flush().finally(() => {
      flushing = undefined;
    });
  }, bounds.shares.storageFlushMs);
  timer.unref();

  return {
    grew: (orgId, bytes) => {
      if (bytes !== 0) accountOf(accounts, orgId).noted += bytes;
    },
    requireRoom: (orgId, quota) => {
      const account = accountOf(accounts, orgId);
      const isFresh = clock.monotonicMs() - account.storedAtMs < bounds.shares.storageKnownMs;
      // Others may have written or purged since: a refusal, and the first answer, are always from fresh numbers.
      if (account.stored === undefined || (!isFresh && usedBy(account) >= quota)) {
        return learn(orgId, account).then(() => refuseFull(orgId, account, quota));
      }
      if (!isFresh) exchange(orgId, account).catch(onFault);
      refuseFull(orgId, account, quota);
      return undefined;
    },
    fullest: openFullest(database, clock, onFault),
    forget: () => accounts.clear(),
    close: async () => {
      clearInterval(timer);
      await flushing;
      // What an exchange under way has not sent is sent after it. A database that fails is not asked for ever.
      for (let attempt = 0; attempt < bounds.shares.storageLastFlushes && isNoted(accounts); attempt++) {
        await Promise.allSettled([...accounts.values()].flatMap((account) => account.exchange ?? []));
        await flush();
      }
    },
  };
}

/** The exchanges of sums with the database: of one org, or of all that have noted something. */
function openExchanges(
  accounts: ReadonlyMap<number, Account>,
  database: Transaction,
  clock: Clock,
  onFault: (error: unknown) => void,
) {
  /** Stores what is noted, and learns what the org stores. One at a time, so that answers cannot overtake each other. */
  const exchange = (orgId: number, account: Account): Promise<void> => {
    account.exchange ??= sendNoted(database, clock, orgId, account).finally(() => {
      account.exchange = undefined;
    });
    return account.exchange;
  };
  /** The same for many orgs, in one statement. Returns those that it leaves out, because their rows are locked. */
  const exchangeMany = (noted: readonly NotedOrg[]): Promise<readonly NotedOrg[]> => {
    const sending = sendMany(database, clock, noted)
      .catch((error: unknown) => {
        onFault(error);
        return [];
      })
      .finally(() => {
        for (const [, account] of noted) account.exchange = undefined;
      });
    const exchanged = sending.then(() => {});
    for (const [, account] of noted) account.exchange = exchanged;
    return sending;
  };
  const flush = async (): Promise<void> => {
    const noted = [...accounts].filter(([, account]) => account.noted !== 0);
    const { storageOrgsAtOnce } = bounds.shares;
    const left: NotedOrg[] = [];
    for (let first = 0; first < noted.length; first += storageOrgsAtOnce) {
      const some = noted
        .slice(first, first + storageOrgsAtOnce)
        .filter(([, account]) => account.exchange === undefined);
      if (some.length > 0) left.push(...(await exchangeMany(some)));
    }
    // Somebody else is changing these. Waiting for one of them delays none of the others.
    for (const [orgId, account] of left) await exchange(orgId, account).catch(onFault);
  };
  /** The exchange that was under way may have left the org out. */
  const learn = async (orgId: number, account: Account): Promise<void> => {
    const { storedAtMs } = account;
    await exchange(orgId, account);
    if (account.storedAtMs === storedAtMs) await exchange(orgId, account);
  };
  return { exchange, learn, flush };
}

async function sendNoted(database: Transaction, clock: Clock, orgId: number, account: Account): Promise<void> {
  const askedAtMs = clock.monotonicMs();
  account.sent = account.noted;
  account.noted = 0;
  try {
    account.stored = (await addStorage(database, orgId, account.sent)) ?? 0;
    account.storedAtMs = askedAtMs;
  } catch (error) {
    account.noted += account.sent;
    throw error;
  } finally {
    account.sent = 0;
  }
}

async function sendMany(database: Transaction, clock: Clock, noted: readonly NotedOrg[]): Promise<readonly NotedOrg[]> {
  const askedAtMs = clock.monotonicMs();
  for (const [, account] of noted) {
    account.sent = account.noted;
    account.noted = 0;
  }
  let stored: ReadonlyMap<number, number> = new Map();
  try {
    stored = await addStorages(
      database,
      noted.map(([orgId, { sent }]) => ({ orgId, bytes: sent })),
    );
  } finally {
    for (const [orgId, account] of noted) {
      const bytes = stored.get(orgId);
      if (bytes === undefined) account.noted += account.sent;
      else {
        account.stored = bytes;
        account.storedAtMs = askedAtMs;
      }
      account.sent = 0;
    }
  }
  return noted.filter(([orgId]) => !stored.has(orgId));
}

function isNoted(accounts: ReadonlyMap<number, Account>): boolean {
  for (const { noted, sent } of accounts.values()) if (noted !== 0 || sent !== 0) return true;
  return false;
}

function usedBy({ stored, sent, noted }: Account): number {
  return (stored ?? 0) + sent + noted;
}

function refuseFull(orgId: number, account: Account, quota: number): void {
  const used = usedBy(account);
  if (used < quota) return;
  const inBytes = (bytes: number) => `${counted(bytes)} bytes`;
  throw new Problem(
    'forbidden',
    'storage_quota',
    `The org stores ${inBytes(used)}, and its quota is ${inBytes(quota)}. Delete records and purge the trash ` +
      `("orrery trash purge --org ${orgId} --all"), or raise the quota ("orrery org update ${orgId} --storage-quota 20GB"). ` +
      'Former values stay until the change feed no longer reports them.',
  );
}

/** If there are too many, one with nothing to store is forgotten; else the oldest, which counting its rows corrects. */
function accountOf(accounts: Map<number, Account>, orgId: number): Account {
  const known = accounts.get(orgId);
  if (known !== undefined) return known;
  if (accounts.size >= bounds.shares.storageAccounts) {
    let forgotten: number | undefined;
    for (const [each, { noted, sent }] of accounts) {
      forgotten ??= each;
      if (noted !== 0 || sent !== 0) continue;
      forgotten = each;
      break;
    }
    accounts.delete(forgotten ?? orgId);
  }
  const account = { stored: undefined, storedAtMs: Number.NEGATIVE_INFINITY, noted: 0, sent: 0, exchange: undefined };
  accounts.set(orgId, account);
  return account;
}

/** Without a database there are none: the other metrics must not go missing with it. */
function openFullest(database: Transaction, clock: Clock, onFault: (error: unknown) => void): Storage['fullest'] {
  let last: { readonly atMs: number; readonly orgs: Promise<readonly OrgStorage[]> } | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (last === undefined || nowMs - last.atMs >= bounds.shares.storageShownMs) {
      const orgs = listFullestOrgs(database, bounds.shares.storageShown).catch((error: unknown) => {
        onFault(error);
        return [];
      });
      last = { atMs: nowMs, orgs };
    }
    return last.orgs;
  };
}
