// Watches over a process that has a data folder open. If the process is killed, it cannot stop the server, which would run
// for ever. So a shell waits at a pipe from the process, which closes however the process ends. Then it waits a while, in
// which a service that is started again finds its server running, and stops the server if nobody is connected. A shell
// takes hardly any memory; Node is started only then.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bounds } from '../../base/limits.ts';
import { childEnvironment } from './child.ts';
import type { DataFolder } from './data-folder.ts';
import { lockPathOf } from './lock-file.ts';

export interface Watch {
  /** Ends the watch itself. */
  end(): Promise<void>;
}

export interface WatchOptions {
  /** How long the server runs on without the process. */
  readonly seconds: number;
  /** The path of the built `stop-unused`. */
  readonly program: string;
}

/** In the build, the program is beside this one. Tests run the sources and use the program of the last build. */
const program = import.meta.url.endsWith('.ts') ? '../../../dist/stop-unused.js' : './stop-unused.js';

export const usualWatch: WatchOptions = {
  seconds: bounds.store.abandonedServerSeconds,
  program: fileURLToPath(new URL(program, import.meta.url)),
};

/** The exit status of `stop-unused` if others are connected who have no watch. */
export const stillUsed = 75;

/** Its arguments are PostgreSQL's lock file, the seconds, and the command that stops an unused server. */
const script =
  'read -r _; lock=$1 pause=$2; shift 2; while :; do seconds=$pause; ' +
  'while [ "$seconds" -gt 0 ]; do [ -e "$lock" ] || exit 0; sleep 1; seconds=$((seconds - 1)); done; ' +
  `"$@"; [ $? -eq ${stillUsed} ] || exit 0; done`;

export function openWatch(folder: DataFolder, options: WatchOptions): Watch {
  const command = [process.execPath, options.program, folder.path];
  const child = spawn(
    '/bin/sh',
    ['-c', script, 'orrery-watch', lockPathOf(folder), String(options.seconds), ...command],
    {
      cwd: '/',
      // It must not get the signals that a terminal sends to the process.
      detached: true,
      env: childEnvironment,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  // Where no further process can be started, the server runs on after a kill, and is found by the next start.
  child.on('error', () => undefined);
  child.unref();
  (child.stdin as Socket).unref();
  return {
    end: async () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.ref();
      child.kill('SIGKILL');
      await exited;
    },
  };
}
