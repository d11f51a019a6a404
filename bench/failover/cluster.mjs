// A PostgreSQL pair that Patroni watches over, with etcd, and HAProxy before it: real programs on free ports of this machine.
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askPatroni, freePorts, primaryAt, query, until } from './ask.mjs';
import { runProgram, startServer } from './children.mjs';
import { prepareAttempts } from './former-primary.mjs';
import { openNetwork } from './network.mjs';
import { openNode } from './node.mjs';
import { haproxySettings } from './settings.mjs';

/** How long the pair may take until both are there and in step: the standby is copied, rewound or caught up meanwhile. */
const settledMs = 180_000;
/** How long it may take until another server takes writes. */
const switchedMs = 90_000;
const user = 'orrery';

/** `closing` gets what ends each part, at once: also what is only half open is closed. */
export async function openCluster({ folder, account, programs, closing, signal }) {
  const [etcdPort, peerPort, haproxyPort, ...ports] = await freePorts(7);
  const etcdFolder = join(folder, 'etcd');
  await mkdir(etcdFolder, { mode: 0o700 });
  if (account !== undefined) await chown(etcdFolder, account.uid, account.gid);
  const etcd = await startServer(programs.etcd, etcdWords(etcdFolder, etcdPort, peerPort), {
    account,
    log: join(folder, 'etcd.log'),
  });
  closing.push(() => etcd.stop('SIGKILL'));
  const network = openNetwork();
  closing.push(() => network.close());
  const nodes = [];
  for (const name of ['one', 'two']) {
    const node = await openNode(name, { folder, account, programs, network, etcdPort, ports: ports.splice(0, 2) });
    closing.push(() => node.stop());
    nodes.push(node);
  }
  const settings = join(folder, 'haproxy.cfg');
  await writeFile(settings, haproxySettings(haproxyPort, nodes), { mode: 0o644 });
  const haproxy = await startServer(programs.haproxy, ['-db', '-f', settings], {
    account,
    log: join(folder, 'haproxy.log'),
  });
  closing.push(() => haproxy.stop('SIGKILL'));
  const cluster = new Cluster({ nodes, haproxyPort, patronictl: programs.patronictl, account, signal });
  const { leader } = await cluster.settled();
  await query(leader.ports.database, `create role ${user} login`);
  await query(leader.ports.database, `create database ${user} owner ${user}`, { ms: 30_000 });
  await prepareAttempts(leader.ports.database);
  return cluster;
}

class Cluster {
  nodes;
  haproxyPort;
  #patronictl;
  #account;
  #signal;

  constructor({ nodes, haproxyPort, patronictl, account, signal }) {
    Object.assign(this, { nodes, haproxyPort });
    this.#patronictl = patronictl;
    this.#account = account;
    this.#signal = signal;
  }

  /** As DATABASE_URL has it: one address that moves, and both addresses. */
  get urls() {
    const hosts = this.nodes.map(({ proxies }) => `127.0.0.1:${proxies.database.port}`);
    return {
      haproxy: `postgres://${user}@127.0.0.1:${this.haproxyPort}/${user}`,
      hosts: `postgres://${user}@${hosts.join()}/${user}?target_session_attrs=read-write`,
    };
  }

  /** Both servers, once one leads and the other has everything, so that it may be promoted. */
  settled() {
    return until('no settled pair', settledMs, this.#signal, async () => {
      const members = await askPatroni(this.nodes[0].ports.patroni).catch(() => []);
      const nodeOf = (role) =>
        this.nodes.find(({ name }) => members.some((each) => each.name === name && each.role === role));
      const [leader, standby] = [nodeOf('leader'), nodeOf('sync_standby')];
      if (leader === undefined || standby === undefined) return undefined;
      const [primary, routed, inStep] = await Promise.all([
        primaryAt(leader.ports.database),
        primaryAt(this.haproxyPort),
        query(leader.ports.database, `select from pg_stat_replication where sync_state = 'sync'`).catch(() => []),
      ]);
      return primary !== undefined && primary === routed && inStep.length > 0
        ? { leader, standby, primary }
        : undefined;
    });
  }

  /** The address of the server that takes writes, whether or not another one is in step with it. */
  leading() {
    return until('no server that takes writes', switchedMs, this.#signal, async () => {
      const primaries = await Promise.all(this.nodes.map(({ ports }) => primaryAt(ports.database)));
      const node = this.nodes[primaries.findIndex((primary) => primary !== undefined)];
      return node === undefined ? undefined : { host: '127.0.0.1', port: node.ports.database };
    });
  }

  /** When another server than `former` takes writes, and which node that is. A server that hangs delays no answer. */
  async switched(former) {
    const found = new AbortController();
    const signal = AbortSignal.any([this.#signal, found.signal]);
    const looks = this.nodes.map((node) =>
      this.#otherThan(former, node.ports.database, 'no other server that takes writes', signal).then((at) => ({
        node,
        ...at,
      })),
    );
    try {
      return await Promise.any(looks);
    } catch (error) {
      throw error.errors[0];
    } finally {
      found.abort();
    }
  }

  /** When HAProxy leads there too. */
  routed(former) {
    return this.#otherThan(former, this.haproxyPort, 'no way through HAProxy', this.#signal);
  }

  #otherThan(former, port, what, signal) {
    return until(what, switchedMs, signal, async () => {
      const primary = await primaryAt(port);
      return primary === undefined || primary === former ? undefined : { atMs: performance.now() };
    });
  }

  async switchOver(leader, standby) {
    const words = ['switchover', 'orrery', '--leader', leader.name, '--candidate', standby.name, '--force'];
    await runProgram(this.#patronictl, ['-c', standby.settingsFile, ...words], { account: this.#account });
  }
}

function etcdWords(folder, port, peerPort) {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    ...['--name', 'only', '--data-dir', join(folder, 'data'), '--logger', 'zap', '--enable-v2=true'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `only=${peer}`],
  ];
}
