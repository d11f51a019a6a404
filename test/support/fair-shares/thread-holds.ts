// Measures how long a service in this process keeps its thread: the most processor time between two passes of the event
// loop. Processor time does not grow when other programs keep the cores busy. Requests are sent by a process of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The result of the work, and the longest stretch of it without a pass, in milliseconds. */
export async function longestHoldMs<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly holdMs: number }> {
  let longest = 0;
  let isDone = false;
  let before = process.cpuUsage();
  const tick = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, user + system);
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    return { result: await work(), holdMs: longest / 1_000 };
  } finally {
    isDone = true;
  }
}

interface SentBody {
  readonly url: string;
  readonly key: string;
  readonly method: string;
  /** The file that holds the body. */
  readonly file: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests are sent at once, each on a connection of its own. */
  readonly times?: number;
}

interface SentAnswer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

const program = `
import { request } from 'node:http';
import { readFileSync } from 'node:fs';
const { url, key, method, headers, times, file } = JSON.parse(process.argv[1]);
const body = readFileSync(file);
const send = () => new Promise((resolve, reject) => {
  const began = performance.now();
  const sent = request(url, { method, agent: false, headers: {
    authorization: 'Bearer ' + key, 'content-type': 'application/json', 'content-length': body.length, ...headers } });
  // A refused body is not read to its end.
  sent.on('error', (error) => sent.res ?? reject(error));
  sent.on('response', async (response) => {
    let text = '';
    for await (const part of response) text += part;
    resolve({ status: response.statusCode, text, ms: performance.now() - began });
  });
  sent.end(body);
});
process.stdout.write(JSON.stringify(await Promise.all(Array.from({ length: times ?? 1 }, send))));
`;

/** Sends the body in the file from a process of its own, so that only the service uses this one. */
export async function sendFromElsewhere(sent: SentBody): Promise<readonly SentAnswer[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(sent)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`The sender ended with ${status}.`);
  return JSON.parse(text) as readonly SentAnswer[];
}
