// The service under test: the built program with an embedded database and the demo org, in a folder and on a port of its own.
import { join } from 'node:path';
import { root } from './place.mjs';
import { start, stop } from './processes.mjs';

const startMs = 120_000;

/** `folder` must be one that every user can enter: as root, the database runs as another user. */
export async function startDemo(folder) {
  const unset = Object.keys(process.env).filter((name) => /^(ORRERY_|DATABASE_URL$)/.test(name));
  const args = ['demo', '--port', '0', '--json', '--log-level', 'silent', '--data-dir', join(folder, 'data')];
  const running = start(join(root, 'bin/orrery'), args, {
    cwd: root,
    env: Object.fromEntries(unset.map((name) => [name, undefined])),
  });
  try {
    const { api_url: apiUrl, key } = await firstLine(running);
    return { origin: new URL(apiUrl).origin, apiUrl: apiUrl.replace(/\/$/, ''), key, stop: () => stop(running) };
  } catch (error) {
    await stop(running);
    throw error;
  }
}

function firstLine({ child, ended }) {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (why) => reject(new Error(`The demo did not start: ${why}`));
    const timer = setTimeout(() => fail(`nothing printed in ${startMs} ms.`), startMs);
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (!text.includes('\n')) return;
      clearTimeout(timer);
      resolve(JSON.parse(text.slice(0, text.indexOf('\n'))));
    });
    ended.then(([status]) => fail(`it ended with ${status}.`), reject).finally(() => clearTimeout(timer));
  });
}
