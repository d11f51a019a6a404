// Runs the proxies that `network.mjs` asks for.
import { parentPort } from 'node:worker_threads';
import { startProxy } from './proxy.mjs';

const proxies = new Map();
const commands = {
  open: async (targetPort) => {
    const proxy = await startProxy(targetPort);
    proxies.set(proxy.port, proxy);
    return proxy.port;
  },
  cut: (port) => proxies.get(port).cut(),
  mend: (port) => proxies.get(port).mend(),
};

// A fault ends the thread, which fails whatever was asked.
parentPort.on('message', (asked) => void answer(asked));

async function answer({ call, command, port }) {
  parentPort.postMessage({ call, result: await commands[command](port) });
}
