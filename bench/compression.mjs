// What clients that ask for compressed answers cost those that do not. Clients of one org read pages as they are, as fast as they
// can: alone, beside clients of another org that read such pages at a fixed rate, and beside such clients that ask for brotli.
// Then all ask for the same, to see how long an answer of each kind keeps the thread that everybody shares. Prints, for each size
// of a page, the ratios of both, writes them to bench/results/compression.json, and fails if plain clients beside brotli get less
// than 0.85 of what they get beside plain ones. `node bench/compression.mjs 8_kib` measures some rows and writes nothing.
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { contactOf } from './crm-data.mjs';
import {
  load,
  machine,
  median,
  openConnection,
  requestBytes,
  root,
  startService,
  threadNanoseconds,
} from './support.mjs';

const only = process.argv.slice(2);
const connections = 16;
const rounds = Number(process.env.BENCH_ROUNDS ?? 11);
const roundMs = Number(process.env.BENCH_MS ?? 700);
/** Equal reads that wait together are read once, so each row has different pages. */
const pages = 30;
/** Two that are compressed at once, and one that is compressed on other threads. */
const sizes = { '8_kib': 8_192, '60_kib': 61_440, '120_kib': 122_880 };
/** The companions send so much of what plain clients alone get. */
const part = 0.25;
const records = '/objects/svc_contact/records/';

const service = await startService();
const connection = await openConnection(service.port);
try {
  const keys = { own: service.key, other: (await service.newOrg('Companions')).key };
  for (const key of Object.values(keys)) await seed(key);
  const rows = {};
  for (const [name, bytes] of Object.entries(sizes)) {
    if (only.length === 0 || only.includes(name)) rows[name] = await measure(bytes, keys);
  }
  const missed = Object.entries(rows).flatMap(([name, { ratio }]) => (ratio < 0.85 ? [name] : []));
  const result = { ...machine(), connections, rounds, rows, missed };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (only.length === 0) {
    await writeFile(join(root, 'bench/results/compression.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  connection.close();
  await service.stop();
}

async function seed(key) {
  for (let first = 0; first < 6_000; first += 1_000) {
    const operations = Array.from({ length: 1_000 }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: contactOf(first + index),
    }));
    await connection.send('POST', '/batch/', key, { operations });
  }
}

/** Requests for pages of about so many bytes. */
async function pathsOf(bytes, key) {
  const { text } = await connection.send('GET', `${records}?limit=100`, key);
  const first = `${records}?limit=${Math.round(bytes / (text.length / 100))}`;
  const paths = [first];
  while (paths.length < pages) {
    const { json } = await connection.send('GET', paths.at(-1), key);
    paths.push(`${first}&cursor=${encodeURIComponent(json().pagination.next_cursor)}`);
  }
  return paths;
}

async function measure(bytes, keys) {
  const next = async (key, headers) => {
    const requests = (await pathsOf(bytes, key)).map((path) =>
      requestBytes('GET', `/rest/v1${path}`, { key, headers }),
    );
    return () => requests[Math.floor(Math.random() * requests.length)];
  };
  const own = await next(keys.own);
  const others = { plain: await next(keys.other), br: await next(keys.other, { 'Accept-Encoding': 'br' }) };
  const alone = async () => (await load(service.port, connections, roundMs, own)).perSecond;
  const rate = Math.round(median([await alone(), await alone(), await alone()]) * part);
  const steps = {
    beside_nobody: () => beside(undefined, rate, own),
    beside_plain: () => beside(others.plain, rate, own),
    beside_br: () => beside(others.br, rate, own),
    plain: () => threadTime(others.plain),
    br: () => threadTime(others.br),
  };
  const found = [];
  for (let round = 0; round < rounds; round++) found.push(await inTurn(steps, round));
  const of = (read) => median(found.map(read));
  return {
    ratio: rounded(of((each) => each.beside_br.perSecond / each.beside_plain.perSecond)),
    thread_ratio: rounded(of(({ plain, br }) => br / plain)),
    thread_microseconds: { plain: Math.round(of(({ plain }) => plain)), br: Math.round(of(({ br }) => br)) },
    per_second: Object.fromEntries(
      ['beside_nobody', 'beside_plain', 'beside_br'].map((name) => [
        name,
        Math.round(of((each) => each[name].perSecond)),
      ]),
    ),
    companions_per_second: {
      plain: Math.round(of((each) => each.beside_plain.companions)),
      br: Math.round(of((each) => each.beside_br.companions)),
    },
  };
}

/** Each step comes first as often as the others, because one may warm up caches for the next. */
async function inTurn(steps, round) {
  const names = Object.keys(steps);
  const results = {};
  for (const [index] of names.entries()) {
    const name = names[(index + round) % names.length];
    results[name] = await steps[name]();
  }
  return results;
}

/** What the plain clients get while companions send at the rate. */
async function beside(nextOther, rate, own) {
  const companions = nextOther === undefined ? undefined : await openCompanions(rate, nextOther);
  const { perSecond } = await load(service.port, connections, roundMs, own);
  return { perSecond, companions: companions?.stop() ?? 0 };
}

/** How long the service's first thread works for one answer, in microseconds. */
async function threadTime(next) {
  const before = await threadNanoseconds(service.pid);
  const { requests } = await load(service.port, connections, roundMs, next);
  return ((await threadNanoseconds(service.pid)) - before) / requests / 1_000;
}

/** Clients that send at a fixed rate, whatever they ask for, as far as they have free connections. */
async function openCompanions(rate, next) {
  const free = await Promise.all(Array.from({ length: connections * 2 }, openSocket));
  const sockets = [...free];
  const began = performance.now();
  let sent = 0;
  let answered = 0;
  for (const socket of sockets) {
    let missing = -1;
    socket.on('data', (chunk) => {
      // The head of an answer arrives in one piece.
      const end = missing < 0 ? chunk.indexOf('\r\n\r\n') + 4 : 0;
      if (missing < 0) missing = Number(/\r\ncontent-length: ([0-9]+)/i.exec(chunk.latin1Slice(0, end))[1]);
      missing -= chunk.length - end;
      if (missing > 0) return;
      missing = -1;
      answered++;
      free.push(socket);
    });
  }
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1_000) * rate;
    for (; sent < due && free.length > 0; sent++) free.pop().write(next());
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return (answered / (performance.now() - began)) * 1_000;
    },
  };
}

function openSocket() {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => resolve(socket.setNoDelay(true)));
    socket.once('error', reject);
  });
}

function rounded(value) {
  return Number(value.toFixed(3));
}
