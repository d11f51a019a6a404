// The proxies of a run, in a thread of their own: a check that keeps the run's thread busy for seconds must not look like a cut.
import { Worker } from 'node:worker_threads';

export function openNetwork() {
  const thread = new Worker(new URL('./network-thread.mjs', import.meta.url));
  const waiting = new Map();
  let calls = 0;
  let failure;
  thread.on('message', ({ call, result }) => {
    waiting.get(call).resolve(result);
    waiting.delete(call);
  });
  thread.on('error', (error) => {
    failure = error;
    for (const { reject } of waiting.values()) reject(error);
  });
  const ask = (command, port) =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) throw failure;
      const call = calls++;
      waiting.set(call, { resolve, reject });
      thread.postMessage({ call, command, port });
    });
  return {
    /** A proxy in front of a port, at a port of its own. */
    proxyTo: async (targetPort) => {
      const port = await ask('open', targetPort);
      return { port, cut: () => ask('cut', port), mend: () => ask('mend', port) };
    },
    close: () => thread.terminate(),
  };
}
