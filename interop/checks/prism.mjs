// Prism as a validating proxy over the api tests. The tests have kept what they asked and were answered; everything is sent
// again through Prism, and behind it stands a server that gives the kept answers. So nothing that a test looks at, such as
// the bytes of a header, is changed by a proxy, and yet Prism sees every request and its true answer.
import { readdir, readFile } from 'node:fs/promises';
import { Agent, createServer, request as send } from 'node:http';
import { join } from 'node:path';
import { documentFile, root, tool } from '../place.mjs';
import { run, start, stop } from '../processes.mjs';
import { findingsOf } from './prism-findings.mjs';
import { plantedFaults } from './prism-planted.mjs';

const connections = 8;
const answerMs = 20_000;
const readyMs = 60_000;
const findingsShown = 20;
const basePath = '/rest/v1';

/** `folder` is where the tests can keep their exchanges. */
export async function prism(folder) {
  const kept = await exchangesIn(await exchangesOfTests(folder));
  const all = kept.filter(isDescribed).map(canonical);
  const operations = operationsIn(JSON.parse(await readFile(documentFile, 'utf8')));
  const missing = operations.filter((operation) => !all.some((each) => isSuccess(each, operation)));
  if (missing.length > 0) throw new Error(`No test succeeds with ${missing.map(({ id }) => id).join(', ')}.`);
  const planted = plantedFaults(all);
  const found = await throughPrism([...all, ...planted]);
  const overlooked = planted.filter((_, index) => found[all.length + index].length === 0);
  if (overlooked.length > 0) throw new Error(`Prism overlooks: ${overlooked.map(({ fault }) => fault).join('; ')}.`);
  const findings = all.flatMap((each, index) => found[index].map((what) => `${titleOf(each)}\n    ${what}`));
  if (findings.length === 0) return `${all.length} exchanges, no violation; ${planted.length} planted faults found`;
  throw new Error([`${findings.length} findings:`, ...findings.slice(0, findingsShown)].join('\n'));
}

/** Runs the api tests, unless TEST_EXCHANGES names the folder in which a run of them has kept its exchanges. */
async function exchangesOfTests(folder) {
  const kept = process.env['TEST_EXCHANGES'];
  if (kept) return kept;
  const env = { TEST_EXCHANGES: folder };
  await run(join(root, 'node_modules/.bin/vitest'), ['run', '--project', 'api', 'test/api/'], { cwd: root, env });
  return folder;
}

async function exchangesIn(folder) {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line));
}

/** HEAD belongs to no operation in OpenAPI, and Prism reads two slashes as the beginning of a host. */
function isDescribed({ asked }) {
  return asked.method !== 'HEAD' && !asked.path.split('?')[0].includes('//');
}

/** Below the base path, and with the slash at the end: the service does not need it, which OpenAPI cannot say. */
function canonical({ asked, answered }) {
  const { pathname, search } = new URL(asked.path.slice(basePath.length), 'http://orrery');
  const slash = pathname.endsWith('/') || pathname.endsWith('.json') ? '' : '/';
  return { asked: { ...asked, path: `${pathname}${slash}${search}` }, answered };
}

function operationsIn({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      form: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[a-z_]+\}/g, '[^/?]+')}(\\?|$)`),
    })),
  );
}

function isSuccess({ asked, answered }, { method, form }) {
  return answered.status < 300 && asked.method === method && form.test(asked.path);
}

function titleOf({ asked, answered }) {
  return `${asked.method} ${asked.path} ${asked.body ?? ''}`.slice(0, 300).concat(` -> ${answered.status}`);
}

/** What Prism finds in each exchange, in their order. */
async function throughPrism(exchanges) {
  const service = await answering(exchanges);
  const port = await freePort();
  const upstream = `http://127.0.0.1:${service.address().port}`;
  const args = ['proxy', documentFile, upstream, '--port', String(port), '--verboseLevel', 'fatal'];
  const proxy = start(tool('prism'), args);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    await untilReady(proxy, port);
    const found = [];
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < exchanges.length; index = next++) {
        found[index] = findingsOf(exchanges[index], await ask({ port, agent }, exchanges[index], index));
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    return found;
  } finally {
    agent.destroy();
    await stop(proxy);
    service.close();
    service.closeAllConnections();
  }
}

/** Headers of a connection, which each hop sets for itself. */
const hop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding', 'host']);

function endToEnd(headers) {
  return Object.fromEntries(headers.filter(([name]) => !hop.has(name)));
}

/** Gives each request the kept answer whose number it names. */
async function answering(exchanges) {
  const server = createServer((request, response) => {
    request.resume();
    const { answered } = exchanges[Number(request.headers['x-exchange'])];
    response.writeHead(answered.status, endToEnd(answered.headers)).end(answered.body);
  });
  await listening(server);
  return server;
}

function listening(server) {
  return new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
}

/** Prism takes no port 0. */
async function freePort() {
  const server = createServer();
  await listening(server);
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilReady(proxy, port) {
  const until = Date.now() + readyMs;
  while (Date.now() < until && proxy.child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-exchange': '0' } }).catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Prism did not start:\n${proxy.text}`);
}

function ask({ port, agent }, { asked }, index) {
  const { method, path, body } = asked;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const headers = { ...endToEnd(asked.headers), ...length, 'x-exchange': String(index) };
  return new Promise((resolve) => {
    const failed = (error) => resolve({ status: undefined, violations: '', text: error.message });
    const sent = send({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', failed);
      const violations = response.headers['sl-violations'] ?? '';
      response.on('end', () => resolve({ status: response.statusCode, violations, text }));
    });
    sent.setTimeout(answerMs, () => sent.destroy(new Error(`no answer in ${answerMs} ms`)));
    sent.on('error', failed);
    sent.end(body);
  });
}
