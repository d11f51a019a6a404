// Twelve writers and a copy that follows the feed while the service is killed 20 times, its PostgreSQL 20 times and both
// at once 10 times, in an order that the seed decides. Nothing that was acknowledged may be lost, nothing stored twice,
// the copy must be exact, and everything that is derived from the records must agree with them.
import { once } from 'node:events';
import { join } from 'node:path';
import { median, spawnServe, startService } from './support.mjs';

const full = { service: 20, postgres: 20, both: 10 };
const share = Number(process.env.SOAK_KILLS ?? 50) / 50;
/** The least and the most writes before the next kill. */
const writesBetween = [50, 400];

export async function runKillPart({ KillableHost, Random, runKills }, { folder, program, seed }) {
  const dataDir = join(folder, 'kills');
  const first = await startService(dataDir, program);
  const { orgId, key } = first;
  await first.stop();
  const host = new KillableHost(dataDir, () => serve(dataDir, program));
  const wanted = Object.entries(full).flatMap(([victim, count]) => Array(Math.ceil(count * share)).fill(victim));
  const kills = new Random(seed).some(wanted, wanted.length);
  try {
    const report = await runKills({ host, orgId, key, kills, writesBetween, seed, onKill: tell });
    return { findings: report.findings, numbers: numbersOf(report, kills) };
  } finally {
    await host.stop();
  }
}

async function serve(dataDir, program) {
  const { child, url } = await spawnServe(dataDir, program);
  const ended = once(child, 'exit');
  const stop = async (signal) => {
    child.kill(signal);
    await ended;
  };
  return { url, stop };
}

function tell(index, victim, ms) {
  process.stderr.write(`kill ${index + 1}, ${victim}: the next write after ${ms} ms\n`);
}

function numbersOf({ lost, doubled, writes, counts, entries, records, links, recoveriesMs }, kills) {
  const count = (victim) => kills.filter((each) => each === victim).length;
  return {
    kills: { service: count('service'), postgres: count('postgres'), both: count('both') },
    writers: 12,
    writes,
    acknowledged: counts.acknowledged,
    lost,
    doubled,
    without_answer: counts.unanswered,
    unavailable: counts.unavailable,
    replayed: counts.replayed,
    entries,
    records,
    links,
    recovery_ms: { median: median(recoveriesMs), max: Math.max(...recoveriesMs) },
  };
}
