// The worker of an import: hears the page, and asks it for the bearer before each request.
import { createClient } from '../../../client/main.ts';
import { importBounds } from './bounds.ts';
import { indexedStore } from './indexed-store.ts';
import { ImportJob } from './job.ts';
import type { Command, ToPage, ToWorker } from './messages.ts';
import { Refusal } from './refusal.ts';

/** What is used of the global scope of a worker. */
interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: ToPage): void;
}

const page = globalThis as unknown as Scope;
const wanted = new Map<number, { resolve(bearer: string): void; reject(refusal: Error): void }>();
let asked = 0;
/** How far the clock of the service is ahead of this one. */
let aheadMs = 0;
let job: ImportJob | undefined;

page.onmessage = ({ data }) => {
  if (data.kind === 'begin') job = begin(data.url, data.owner);
  else if (data.kind === 'command') void answer(data.number, data.command);
  else {
    const { number, bearer, refusal = '' } = data;
    const waiting = wanted.get(number);
    wanted.delete(number);
    if (bearer === undefined) waiting?.reject(new Refusal(refusal));
    else waiting?.resolve(bearer);
  }
};

function begin(url: string, owner: string): ImportJob {
  // Whether a request is sent again is decided by the run, which waits as long as it takes.
  const client = createClient({ url, key: bearer, attempts: 1, timeoutMs: importBounds.requestMs, fetch: send });
  return new ImportJob({
    client,
    store: indexedStore(owner),
    tell: (changed) => page.postMessage({ kind: 'state', changed }),
    nowMs: () => Date.now() + aheadMs,
    newId: () =>
      Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  });
}

async function answer(number: number, command: Command): Promise<void> {
  try {
    const blob = await job?.do(command);
    page.postMessage({ kind: 'answer', number, ...(blob === undefined ? {} : { blob }) });
  } catch (error) {
    page.postMessage({ kind: 'answer', number, failure: error instanceof Error ? error.message : String(error) });
  }
}

function bearer(): Promise<string> {
  return new Promise((resolve, reject) => {
    const number = asked++;
    wanted.set(number, { resolve, reject });
    page.postMessage({ kind: 'bearer wanted', number });
  });
}

async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) aheadMs = date - Date.now();
  const [, refused] = /^Bearer (.+)$/.exec(new Headers(init.headers).get('Authorization') ?? '') ?? [];
  if (response.status === 401 && refused !== undefined) page.postMessage({ kind: 'bearer refused', bearer: refused });
  return response;
}
