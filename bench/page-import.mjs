// A file brought in by the console's worker, in Chromium, by the public API: 10,000 and 50,000 contacts. Prints the rows per second of
// the dry run and of the import, the time of the undo, and what the worker's heap holds while each runs; writes them to
// bench/results/page-import.json, and fails if the heap grows with the file. CHROMIUM names the browser.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { contactOf } from './crm-data.mjs';
import { machine, root, startService } from './support.mjs';

const sizes = (process.env.BENCH_ROWS ?? '10000,50000').split(',').map(Number);
/** What a file of five times the rows may add to the live heap of the worker. */
const growthMost = 8 * 1_048_576;

const service = await startService();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const runs = [];
  for (const rows of sizes) runs.push(await measure(rows));
  const heaps = runs.map(({ heap_bytes: heap }) => heap);
  const result = { ...machine(), runs, heap_growth_bytes: Math.max(...heaps) - heaps[0], heap_growth_most: growthMost };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (process.env.BENCH_ROWS === undefined) {
    await writeFile(join(root, 'bench/results/page-import.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = result.heap_growth_bytes <= growthMost ? 0 : 1;
} finally {
  await browser.close();
  await service.stop();
}

async function measure(rows) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${service.url}/console/`);
  const manifest = JSON.parse(await readFile(join(root, 'dist/site/manifest.json'), 'utf8'));
  const { path } = manifest.find(({ kind }) => kind === 'worker') ?? {};
  if (path === undefined) throw new Error('The console has no worker. Run npm run build first.');
  const heap = await watchHeap(page);
  await page.evaluate(beginWorker, { path, key: service.key, owner: `bench/${rows}` });
  await page.evaluate(fileInPage, csvOf(rows));
  const open = await timed(page, { name: 'open', fileName: 'contacts.csv' });
  await timed(page, { name: 'plan', choice: { typeName: 'svc_contact', columns: {}, written: {} } });
  const dryRun = await timed(page, { name: 'dry run' });
  const start = await timed(page, { name: 'start' });
  const { created, refused, state } = await page.evaluate(() => globalThis.progress);
  if (created !== rows || refused !== 0) throw new Error(`${created} of ${rows} rows were created: ${state}.`);
  const undo = await timed(page, { name: 'undo' });
  const bytes = await heap.end();
  await page.context().close();
  return {
    rows,
    open_ms: open,
    dry_run_rows_per_s: Math.round((rows * 1_000) / dryRun),
    import_rows_per_s: Math.round((rows * 1_000) / start),
    undo_ms: undo,
    heap_bytes: bytes,
  };
}

/** The most that the heap of the page's worker holds after its garbage is collected. */
async function watchHeap(page) {
  const devtools = await page.context().newCDPSession(page);
  const attached = new Promise((resolve) => {
    devtools.on('Target.attachedToTarget', ({ sessionId }) => resolve(sessionId));
  });
  const waiting = new Map();
  let number = 0;
  devtools.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message);
    waiting.get(id)?.(result);
  });
  await devtools.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const ask = async (sessionId, method) => {
    const id = ++number;
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    await devtools.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return answer;
  };
  let most = 0;
  let isOver = false;
  const watched = attached.then(async (sessionId) => {
    while (!isOver) {
      await ask(sessionId, 'HeapProfiler.collectGarbage');
      most = Math.max(most, (await ask(sessionId, 'Runtime.getHeapUsage')).usedSize);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  return {
    end: async () => {
      isOver = true;
      await watched;
      return most;
    },
  };
}

async function timed(page, command) {
  const { ms, failure } = await page.evaluate((asked) => globalThis.ask(asked), command);
  if (failure !== undefined) throw new Error(failure);
  return Math.round(ms);
}

/** Runs in the page: speaks to the worker as the console does, with a key for a bearer. */
function beginWorker({ path, key, owner }) {
  const worker = new Worker(path, { type: 'module' });
  const waiting = new Map();
  let number = 0;
  worker.onmessage = ({ data }) => {
    if (data.kind === 'bearer wanted') worker.postMessage({ kind: 'bearer', number: data.number, bearer: key });
    if (data.kind === 'state' && data.changed.progress !== undefined) globalThis.progress = data.changed.progress;
    if (data.kind === 'answer') waiting.get(data.number)(data);
  };
  worker.postMessage({ kind: 'begin', url: location.origin, owner });
  globalThis.ask = async (command) => {
    const begunMs = performance.now();
    const own = number++;
    const file = command.name === 'open' ? { file: globalThis.csv } : {};
    const { failure } = await new Promise((resolve) => {
      waiting.set(own, resolve);
      worker.postMessage({ kind: 'command', number: own, command: { ...command, ...file } });
    });
    return { ms: performance.now() - begunMs, failure };
  };
}

function fileInPage(text) {
  globalThis.csv = new Blob([text]);
}

/** Contacts as a spreadsheet has them. */
function csvOf(rows) {
  const lines = ['First name,Last name,Email,Phone,Job title,City'];
  for (let index = 0; index < rows; index++) {
    const { svc_first_name: first, svc_last_name: last, svc_job_title: job } = contactOf(index);
    lines.push(
      `${first},${last},row${rows}-${index}@bench.example,+44 20 7946 ${String(index % 10_000).padStart(4, '0')},${job},Oslo`,
    );
  }
  return `${lines.join('\r\n')}\r\n`;
}
