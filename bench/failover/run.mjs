// Two services on a PostgreSQL pair that Patroni watches over, one by way of HAProxy and one with both hosts in its address,
// eight writers, half of them at each, and a copy at each, while primaries are killed, hung, cut off and switched, in an order
// that the seed decides. Then nothing that was acknowledged is lost or stored twice, and both copies are exact.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root, spawnOn } from '../support.mjs';
import { openCluster } from './cluster.mjs';
import { SyncedCopy } from './copies.mjs';
import { kinds, runEvent } from './events.mjs';
import { Acknowledgements } from './gaps.mjs';
import { findPrograms } from './programs.mjs';
import { copyFindings, eventFindings, numbersOf, tellEvent } from './report.mjs';
import { errorFindings } from './service-log.mjs';

const ways = ['haproxy', 'hosts'];
const writerCount = 8;
const restMs = 50;
const full = Object.values(kinds).reduce((sum, { count }) => sum + count, 0);
const share = Number(process.env.SOAK_EVENTS ?? full) / full;
/** How many writes pass between two events. */
const writesBetween = 200;
const caughtUpMs = 180_000;
const stopMs = 40_000;
/** More pages than the feed of the longest run has. */
const feedPagesMost = 10_000;

export async function runFailoverPart(drivers, { program, seed }) {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-failover-'));
  await chmod(folder, 0o755);
  const stop = new AbortController();
  const interrupt = (name) => stop.abort(new Error(`Interrupted by ${name}.`));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of signals) process.once(name, interrupt);
  const closing = [];
  const interrupted = new Promise((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
  let keepsLogs = true;
  try {
    const run = new Run(drivers, { folder, program, seed, closing, signal: stop.signal });
    const part = await Promise.race([run.all(), interrupted]);
    keepsLogs = part.findings.length > 0;
    return part;
  } finally {
    keepsLogs &&= !stop.signal.aborted;
    // What still waits ends now.
    stop.abort(new Error('The run is over.'));
    for (const close of closing.toReversed()) await close().catch(tellFailure);
    for (const name of signals) process.off(name, interrupt);
    await (keepsLogs ? keepLogs(folder) : rm(folder, { recursive: true, force: true }));
  }
}

function tellFailure(error) {
  process.stderr.write(`${error.message}\n`);
}

async function keepLogs(folder) {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.log')) await rm(join(folder, name), { recursive: true, force: true });
  }
  process.stderr.write(`The logs of the servers and services are in ${folder}.\n`);
}

class Run {
  #drivers;
  #options;
  #acknowledged = new Acknowledgements(ways);

  constructor(drivers, options) {
    this.#drivers = drivers;
    this.#options = options;
  }

  async all() {
    const { folder, closing, signal } = this.#options;
    const account = this.#drivers.isRoot() ? await this.#drivers.preferredAccount() : undefined;
    const cluster = await openCluster({ folder, account, programs: await findPrograms(), closing, signal });
    const services = {};
    for (const way of ways) services[way] = await this.#serve(way, cluster.urls[way]);
    const org = await this.#newOrg(cluster.urls.haproxy);
    const copies = ways.map((way) => new SyncedCopy(way, services[way].url, org.key));
    for (const copy of copies) closing.push(() => copy.stop());
    const writers = await this.#write(services, org.key);
    closing.push(() => writers.stop());
    const events = await this.#events(cluster, writers, copies);
    await writers.stop();
    await Promise.all(copies.map((copy) => copy.finish(caughtUpMs)));
    const kept = await this.#compare(services.hosts.url, org, { cluster, writers, copies }).catch((error) => ({
      findings: [`nothing could be compared: ${error.message}`],
    }));
    const findings = [
      ...writers.findings,
      ...events.flatMap(({ finding }) => finding ?? []),
      ...eventFindings(events),
      ...(await Promise.all(Object.values(services).map(({ findings: of }) => of()))).flat(),
      ...kept.findings,
    ];
    return { findings, numbers: numbersOf({ events, writers, writerCount, kept, copies }) };
  }

  /** A service of its own for each way to the database, which runs through all events. */
  async #serve(way, databaseUrl) {
    const { folder, program, closing } = this.#options;
    const { child, url } = await spawnOn(databaseUrl, program);
    const log = join(folder, `service-${way}.log`);
    child.stderr.pipe(createWriteStream(log));
    const ended = once(child, 'exit');
    let isOver = false;
    closing.push(async () => {
      isOver = true;
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(stopMs, undefined, { ref: false }).then(() => child.kill('SIGKILL'))]);
    });
    const findings = async () => [
      ...(child.exitCode === null || isOver ? [] : [`the service by ${way} ended by itself`]),
      ...(await errorFindings(way, log)),
    ];
    return { url, findings };
  }

  async #newOrg(databaseUrl) {
    const orrery = async (...words) => {
      const all = [this.#options.program, ...words, '--json', '--database-url', databaseUrl];
      return JSON.parse((await promisify(execFile)(process.execPath, all, { cwd: root })).stdout);
    };
    const { org_id: orgId } = await orrery('org', 'create', 'Failover', '--rate-limit', '999999999/60');
    const { key } = await orrery('key', 'create', '--org', String(orgId));
    return { orgId, key };
  }

  async #write(services, key) {
    const { PersistentWriters, makeCompanies, plainSend } = this.#drivers;
    const companies = await makeCompanies(plainSend(services.hosts.url, key));
    const wayOf = (writer) => ways[writer % ways.length];
    return new PersistentWriters({
      url: async (writer) => services[wayOf(writer)].url,
      onAcknowledged: (writer) => this.#acknowledged.note(wayOf(writer)),
      ...{ key, seed: this.#options.seed, companies, writers: writerCount, restMs },
    });
  }

  /** One after the other; the first that finds something is the last. */
  async #events(cluster, writers, copies) {
    const { seed, signal } = this.#options;
    const wanted = Object.entries(kinds).flatMap(([name, { count }]) => Array(Math.ceil(count * share)).fill(name));
    const events = [];
    for (const name of new this.#drivers.Random(seed).some(wanted, wanted.length)) {
      await writers.progress(writesBetween);
      if (writers.findings.length > 0) break;
      const event = await runEvent(name, { cluster, acknowledged: this.#acknowledged, copies, signal });
      events.push(event);
      tellEvent(event, `${events.length} of ${wanted.length}`);
      if (event.finding !== undefined) break;
    }
    await writers.progress(writesBetween);
    return events;
  }

  async #compare(url, { orgId, key }, { cluster, writers, copies }) {
    const { Copy, compareKept, integrityFindings, plainSend } = this.#drivers;
    const place = await cluster.leading();
    const send = plainSend(url, key);
    const copy = new Copy('whole');
    for await (const entry of entriesOf(send)) copy.apply(entry);
    const kept = await compareKept(send, writers, copy);
    const ofCopies = copies.map((copy) => copyFindings(copy, kept.stored, this.#drivers));
    const findings = [...kept.findings, ...ofCopies.flat(), ...(await integrityFindings(place, 'orrery', orgId))];
    return { ...kept, findings, differences: ofCopies.map(({ length }) => length) };
  }
}

/** The feed from the first entry to its end. */
async function* entriesOf(send) {
  let cursor = 'earliest';
  for (let page = 0; page < feedPagesMost; page++) {
    const { status, text, body } = await send('GET', `/changes/?cursor=${cursor}&limit=1000`);
    if (status !== 200) throw new Error(`The feed answers ${status} ${text}`);
    if (body.data.length === 0) return;
    yield* body.data;
    cursor = body.pagination.next_cursor;
  }
  throw new Error(`The feed has no end after ${feedPagesMost} pages.`);
}
