// Measures how long a service in this process keeps its thread: the most processor time between two passes of the event
// loop. Processor time does not grow when other programs keep the cores busy. Requests are sent by a process of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

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
  /** The file that holds the body. */
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How many requests are sent at once, each on a connection of its own. */
  readonly times: number;
}

interface SentAnswer {
  readonly status: number;
  readonly text: string;
}

interface Sender {
  post(sent: SentBody): Promise<readonly SentAnswer[]>;
  close(): Promise<void>;
}

const program = `
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { url, key, file, headers, times } = JSON.parse(line);
  const body = readFileSync(file);
  const send = () => new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers: {
      authorization: 'Bearer ' + key, 'content-type': 'application/json', 'content-length': body.length, ...headers } });
    // A refused body is not read to its end.
    sent.on('error', (error) => sent.res ?? reject(error));
    sent.on('response', async (response) => {
      let text = '';
      for await (const part of response) text += part;
      resolve({ status: response.statusCode, text: text.slice(0, 1_000) });
    });
    sent.end(body);
  });
  process.stdout.write(JSON.stringify(await Promise.all(Array.from({ length: times }, send))) + '\\n');
}
`;

/** Sends requests from a process of its own, so that only the service uses this one. */
export function openSender(): Sender {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    post: async (sent) => {
      child.stdin.write(`${JSON.stringify(sent)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The sender has ended.');
      return JSON.parse(value) as readonly SentAnswer[];
    },
    close: async () => {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
