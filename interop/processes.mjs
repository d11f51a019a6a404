// Other programs: each has a limit of time, and is stopped when the run is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());

const toolMs = 300_000;
/** How much of what a program prints is kept. */
const outputCharacters = 1_000_000;

/** Tools that would report their use, or look for a newer version, do not. */
const quiet = { CI: 'true', NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** A program that runs on; `text` is what it has printed to both streams. */
export function start(program, args, { cwd, env, limit = interrupted.signal } = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...process.env, ...quiet, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: limit,
  });
  const running = { child, text: '', ended: once(child, 'close') };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      running.text = (running.text + chunk).slice(-outputCharacters);
    });
  }
  // Whoever waits for the end meets it there.
  running.ended.catch(() => {});
  return running;
}

/** Runs a tool to its end; fails with what it printed. */
export async function run(program, args, options = {}) {
  const limit = AbortSignal.any([interrupted.signal, AbortSignal.timeout(toolMs)]);
  const running = start(program, args, { ...options, limit });
  const [status] = await running.ended;
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${running.text}`);
  return running.text;
}

export async function stop({ child, ended }) {
  child.kill('SIGTERM');
  await ended.catch(() => {});
}
