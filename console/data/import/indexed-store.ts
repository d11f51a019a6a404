// Keeps imports in the database of the browser, where they survive a reload: one for each owner, its file, and its refused rows in
// pieces. Each change is one transaction, and a lock over all tabs makes one of them at a time the one that imports.
import { runTexts } from '../../text/import-run-texts.ts';
import type { ImportStore, KeptImport } from './kept-import.ts';
import { Refusal } from './refusal.ts';

const stores = ['imports', 'files', 'refused'] as const;
type StoreName = (typeof stores)[number];

/** `owner` is the org and the account. */
export function indexedStore(owner: string): ImportStore {
  const refusedOf = IDBKeyRange.bound([owner, 0], [owner, Number.MAX_SAFE_INTEGER]);
  const lock = `orrery-import ${owner}`;
  const clear = (at: (name: StoreName) => IDBObjectStore) => {
    at('imports').delete(owner);
    at('files').delete(owner);
    at('refused').delete(refusedOf);
  };
  return {
    load: () =>
      transact('readonly', async (at) => {
        const [kept, file] = await Promise.all([answerOf(at('imports').get(owner)), answerOf(at('files').get(owner))]);
        return kept === undefined || file === undefined ? undefined : { kept: kept as KeptImport, file: file as Blob };
      }),
    begin: (kept, file) =>
      transact('readwrite', async (at) => {
        clear(at);
        at('imports').put(kept, owner);
        at('files').put(file, owner);
      }),
    save: (kept, refused) =>
      transact('readwrite', async (at) => {
        const found = (await answerOf(at('imports').get(owner))) as KeptImport | undefined;
        // The state of one import beside the file of another would import its rows with the wrong columns.
        if (found?.id !== kept.id) throw new Refusal(runTexts.replaced);
        at('imports').put(kept, owner);
        if (refused !== undefined) at('refused').put(new Blob([refused]), [owner, kept.batches]);
      }),
    refused: () =>
      transact('readonly', async (at) => (await answerOf(at('refused').getAll(refusedOf))) as readonly Blob[]),
    forget: () => transact('readwrite', async (at) => clear(at)),
    alone: async (work) => {
      if (locks === undefined) return work();
      return locks.request(lock, { ifAvailable: true }, (granted) => {
        if (granted === null) throw new Refusal(runTexts.elsewhere);
        return work();
      });
    },
    isTaken: async () =>
      ((await locks?.query())?.held ?? []).some(({ name, mode }) => name === lock && mode === 'exclusive'),
    untilFree: async () => locks?.request(lock, { mode: 'shared' }, () => {}),
  };
}

/** Browsers have locks for pages of HTTPS and of this machine. Without them, `save` still tells imports apart. */
const { locks } = navigator as { readonly locks?: LockManager };

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('orrery-imports', 1);
    request.onupgradeneeded = () => {
      for (const name of stores) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Refusal(runTexts.notKept));
  });
  return opened;
}

/** Resolves once everything is stored. */
async function transact<T>(
  mode: IDBTransactionMode,
  work: (at: (name: StoreName) => IDBObjectStore) => Promise<T>,
): Promise<T> {
  const database = await open();
  const transaction = database.transaction(stores, mode);
  const stored = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(new Refusal(runTexts.notKept));
  });
  const [result] = await Promise.all([work((name) => transaction.objectStore(name)), stored]);
  return result;
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Refusal(runTexts.notKept));
  });
}
