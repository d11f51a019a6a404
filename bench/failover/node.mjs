// One of the two database servers: a PostgreSQL and the Patroni that runs it, in a folder of their own. Others reach both by
// proxies, and this Patroni reaches etcd by one, so that the whole server can be cut off.
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childrenOf, hasEnded, signalIfRunning, startServer } from './children.mjs';
import { memberSettings } from './settings.mjs';

const stopMs = 15_000;

export async function openNode(name, { folder, account, programs, network, etcdPort, ports: [database, patroni] }) {
  const proxies = {
    database: await network.proxyTo(database),
    patroni: await network.proxyTo(patroni),
    etcd: await network.proxyTo(etcdPort),
  };
  const own = join(folder, name);
  await mkdir(own, { mode: 0o700 });
  if (account !== undefined) await chown(own, account.uid, account.gid);
  const node = new Node({ name, folder: own, ports: { database, patroni }, proxies, account, programs });
  await writeFile(node.settingsFile, JSON.stringify(memberSettings(node, programs.postgresBin), null, 2), {
    mode: 0o644,
  });
  await node.start();
  return node;
}

class Node {
  name;
  folder;
  /** Past the proxies. */
  ports;
  proxies;
  #account;
  #programs;
  #patroni;

  constructor({ name, folder, ports, proxies, account, programs }) {
    Object.assign(this, { name, folder, ports, proxies });
    this.#account = account;
    this.#programs = programs;
  }

  get settingsFile() {
    return `${this.folder}.json`;
  }

  get dataFolder() {
    return join(this.folder, 'data');
  }

  /** Patroni starts PostgreSQL, and makes it what it has to be now. */
  async start() {
    this.#patroni = await startServer(this.#programs.patroni, [this.settingsFile], {
      account: this.#account,
      log: `${this.folder}.log`,
    });
  }

  /** As if the machine had lost its power. */
  async killAll() {
    await this.#patroni.stop('SIGKILL');
    await this.killPostgres();
  }

  async killPostgres() {
    const [postmaster, ...children] = await this.#postgres();
    for (const pid of [postmaster, ...children]) signalIfRunning(pid, 'SIGKILL');
    if (!(await hasEnded(postmaster, stopMs))) throw new Error(`PostgreSQL of ${this.name} outlives a SIGKILL.`);
  }

  /** As if the machine hung: its connections stay open and nothing answers. */
  async freeze() {
    signalIfRunning(this.#patroni.pid, 'SIGSTOP');
    // Asked twice: a child that began meanwhile is frozen too.
    for (let round = 0; round < 2; round++) {
      for (const pid of await this.#postgres()) signalIfRunning(pid, 'SIGSTOP');
    }
  }

  async thawPostgres() {
    for (const pid of (await this.#postgres()).toReversed()) signalIfRunning(pid, 'SIGCONT');
  }

  thawPatroni() {
    signalIfRunning(this.#patroni.pid, 'SIGCONT');
  }

  async cut() {
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.cut()));
  }

  async mend() {
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.mend()));
  }

  /** Ends everything, whatever state it is in. */
  async stop() {
    await this.#patroni.stop('SIGKILL');
    const processes = await this.#postgres().catch(() => []);
    for (const pid of processes) signalIfRunning(pid, 'SIGCONT');
    const [postmaster] = processes;
    if (postmaster !== undefined) {
      signalIfRunning(postmaster, 'SIGQUIT');
      if (!(await hasEnded(postmaster, stopMs))) for (const pid of processes) signalIfRunning(pid, 'SIGKILL');
    }
  }

  /** The postmaster, then its children. */
  async #postgres() {
    const text = await readFile(join(this.dataFolder, 'postmaster.pid'), 'utf8');
    const postmaster = Number(text.split('\n', 1)[0]);
    return [postmaster, ...(await childrenOf(postmaster))];
  }
}
