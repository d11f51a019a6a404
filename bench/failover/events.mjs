// What happens to the primary, and what is awaited after it: another server takes writes, writes go on by every way, the
// former primary accepts none, and the pair is in step again.
import { setTimeout as sleep } from 'node:timers/promises';
import { NeverCame, until } from './ask.mjs';
import { FormerPrimary } from './former-primary.mjs';
import { partsOf } from './gaps.mjs';

/** How many writes each way must acknowledge before it counts as open, and how long that may take. */
const flowing = 20;
const flowingMs = 60_000;
/** How long the PostgreSQL of a server that hung runs on before its Patroni does: the harder case. */
const thawMs = 1_000;

const nothing = async () => {};

/** Each kind with what it does to the leader, and how that ends. */
export const kinds = {
  'server killed': {
    count: 5,
    strike: ({ leader }) => leader.killAll(),
    mend: ({ leader }) => leader.start(),
  },
  'PostgreSQL killed': { count: 5, strike: ({ leader }) => leader.killPostgres(), mend: nothing },
  'server hung': {
    count: 5,
    strike: ({ leader }) => leader.freeze(),
    mend: async ({ leader }) => {
      await leader.thawPostgres();
      await sleep(thawMs);
      leader.thawPatroni();
    },
  },
  switchover: {
    count: 5,
    strike: ({ cluster, leader, standby }) => cluster.switchOver(leader, standby),
    mend: nothing,
  },
  'network cut': {
    count: 5,
    strike: ({ leader }) => leader.cut(),
    mend: ({ leader }) => leader.mend(),
  },
};

/** What one event did, or a finding if something never came. */
export async function runEvent(name, { cluster, acknowledged, copies, signal }) {
  const { leader, standby, primary } = await cluster.settled();
  const loadsBefore = copies.map(({ loads }) => loads);
  const scene = { cluster, leader, standby };
  const beganMs = performance.now();
  const watching = Promise.all([cluster.switched(primary), cluster.routed(primary)]);
  // A strike that fails is reported first.
  watching.catch(() => {});
  let former;
  try {
    await kinds[name].strike(scene);
    const [switched, routed] = await watching;
    const openMs = { haproxy: Math.max(switched.atMs, routed.atMs), hosts: switched.atMs };
    // One that was restarted in its place is no former primary.
    if (switched.node !== leader) former = new FormerPrimary(leader);
    await until('no writes by every way', flowingMs, signal, async () =>
      acknowledged.leastSince(openMs.haproxy) >= flowing ? true : undefined,
    );
    await kinds[name].mend(scene);
    await cluster.settled();
    const endedMs = performance.now();
    const gaps = Object.entries(openMs).map(([way, ms]) => [
      way,
      partsOf(acknowledged.pause(way, beganMs, endedMs), ms),
    ]);
    return {
      event: name,
      led: `${leader.name}, then ${switched.node.name}`,
      switched_ms: Math.round(switched.atMs - beganMs),
      routed_ms: Math.round(routed.atMs - beganMs),
      ...Object.fromEntries(gaps.map(([way, { all, after }]) => [way, { gap_ms: all, after_switch_ms: after }])),
      settled_ms: Math.round(endedMs - beganMs),
      loaded_again: Object.fromEntries(copies.map(({ way, loads }, index) => [way, loads - loadsBefore[index]])),
      former_primary: former?.counts,
    };
  } catch (error) {
    if (error instanceof NeverCame) return { event: name, finding: `${name}: ${error.message}` };
    throw error;
  } finally {
    await former?.stop();
  }
}
