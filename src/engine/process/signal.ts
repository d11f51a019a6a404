// Wakes requests that wait for changes: in this process at once, in others by a notification outside the transaction of
// the write, at most one in a while. Nothing relies on it: each waiter also polls once a second. The connection that
// listens to other processes is open only while a request waits, and a little longer.
import { bounds } from '../../base/limits.ts';
import type { Database, Listening, Transaction } from '../../store/database.ts';
import { feedChannel, notifyFeed, orgsOf } from '../../store/feed/notifications.ts';

export interface Signal {
  /** Something of the org was committed. */
  note(orgId: number): void;
}

/** A request that waits for changes of an org. */
interface Watch {
  /** Resolves when something was noted since the watch began or this last resolved, or after `ms` milliseconds. */
  next(ms: number): Promise<void>;
  /** Whether there is still a point in waiting. */
  isOpen(): boolean;
  close(): void;
}

export interface Signals extends Signal {
  /** Undefined when too many requests wait already or the service is stopping: then the request must not wait. */
  watch(orgId: number): Watch | undefined;
  /** Wakes all waiters; no request waits from now on. */
  release(): void;
  close(): Promise<void>;
}

/** Notifies other processes. A process in which no request waits, such as a command, needs nothing else. */
export function openSender(
  database: Transaction,
  onFault: (error: unknown) => void,
): Signal & { close(): Promise<void> } {
  const orgs = new Set<number>();
  let pause: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  const send = (): void => {
    const noted = [...orgs];
    orgs.clear();
    const sent = notifyFeed(database, noted).catch(onFault);
    sending = Promise.all([sending, sent]);
    pause = setTimeout(() => {
      pause = undefined;
      if (orgs.size > 0) send();
    }, bounds.engine.notifyEveryMs);
  };
  return {
    note: (orgId) => {
      orgs.add(orgId);
      if (pause === undefined) send();
    },
    close: async () => {
      clearTimeout(pause);
      await sending;
      if (orgs.size > 0) await notifyFeed(database, [...orgs]).catch(onFault);
    },
  };
}

export function openSignals(database: Database, onFault: (error: unknown) => void): Signals {
  const sender = openSender(database.urgent, onFault);
  const watches = new Map<number, Set<Waiter>>();
  const ear = openEar(database, onFault, (orgIds) => {
    for (const orgId of orgIds ?? watches.keys()) wake(orgId);
  });
  let count = 0;
  let released = false;
  const wake = (orgId: number): void => {
    for (const waiter of watches.get(orgId) ?? []) waiter.wake();
  };
  return {
    note: (orgId) => {
      wake(orgId);
      sender.note(orgId);
    },
    watch: (orgId) => {
      const others = watches.get(orgId) ?? new Set();
      if (released || count >= bounds.shares.feedWaits || others.size >= bounds.shares.feedWaitsOfOrg) return undefined;
      count++;
      ear.open();
      const waiter = new Waiter();
      watches.set(orgId, others.add(waiter));
      return {
        next: (ms) => waiter.next(released ? 0 : ms),
        isOpen: () => !released,
        close: () => {
          waiter.wake();
          if (others.delete(waiter)) count--;
          if (others.size === 0 && watches.get(orgId) === others) watches.delete(orgId);
          if (count === 0) ear.closeLater();
        },
      };
    },
    release: () => {
      released = true;
      for (const orgId of watches.keys()) wake(orgId);
    },
    close: async () => {
      released = true;
      await ear.close();
      await sender.close();
    },
  };
}

class Waiter {
  #noted = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#noted = true;
    this.#resolve?.();
  }

  async next(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (!this.#noted && ms > 0) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, ms);
      });
    }
    clearTimeout(timer);
    this.#resolve = undefined;
    this.#noted = false;
  }
}

interface Ear {
  open(): void;
  closeLater(): void;
  close(): Promise<void>;
}

/** Listens while it is open. If the connection fails, the next waiter tries again. */
function openEar(
  database: Database,
  onFault: (error: unknown) => void,
  heard: (orgIds: readonly number[] | undefined) => void,
): Ear {
  let listening: Promise<Listening | undefined> | undefined;
  let later: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    clearTimeout(later);
    const current = listening;
    listening = undefined;
    await (await current)?.close().catch(onFault);
  };
  const open = (): void => {
    clearTimeout(later);
    if (listening !== undefined) return;
    const opening: Promise<Listening | undefined> = database
      .listen(feedChannel, {
        notified: (payload) => heard(orgsOf(payload)),
        ended: () => {
          if (listening === opening) listening = undefined;
        },
      })
      .catch((error: unknown) => {
        if (listening === opening) listening = undefined;
        onFault(error);
        return undefined;
      });
    listening = opening;
  };
  return {
    open,
    closeLater: () => {
      clearTimeout(later);
      later = setTimeout(() => void close(), bounds.engine.listeningKeptMs).unref();
    },
    close,
  };
}
