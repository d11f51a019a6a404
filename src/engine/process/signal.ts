// Says that an org has changed: in this process at once, in others by a notification outside the transaction of the
// write, at most one in a while. Nothing relies on it: the feed is also looked at once a second while a request waits.
// The connection that listens to other processes is open only while a request waits, and a little longer.
import { bounds } from '../../base/limits.ts';
import type { Database, Listening, Transaction } from '../../store/database.ts';
import { feedChannel, notifyFeed, orgsOf } from '../../store/feed/notifications.ts';

export interface Signal {
  /** Something of the org was committed. */
  note(orgId: number): void;
}

/** Receives the orgs that have changed; undefined means that any may have. */
type Heard = (orgId: number | undefined) => void;

export interface Signals extends Signal {
  /** Sets the one receiver of what is noted in this process and, while somebody attends, in others. */
  hear(heard: Heard): void;
  /** Somebody waits: listens to other processes too. */
  attend(): void;
  /** Nobody waits any more. */
  leave(): void;
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
  let heard: Heard = () => {};
  const ear = openEar(database, onFault, (orgIds) => {
    if (orgIds === undefined) heard(undefined);
    else for (const orgId of orgIds) heard(orgId);
  });
  return {
    note: (orgId) => {
      heard(orgId);
      sender.note(orgId);
    },
    hear: (receiver) => {
      heard = receiver;
    },
    attend: () => ear.open(),
    leave: () => ear.closeLater(),
    close: async () => {
      await ear.close();
      await sender.close();
    },
  };
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
