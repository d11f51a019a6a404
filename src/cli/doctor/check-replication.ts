// What doctor says of standbys: whether there is one, whether writes wait for it, how far behind it is, and what would be lost
// with the primary. A missing standby is no error, but one that writes wait for is.

import type { DatabaseFacts } from '../../store/database.ts';
import { standbyFix } from '../../store/driver/address/unusable.ts';
import type { IdleSlot, Replication, Standby } from '../../store/driver/replication.ts';
import { plural, printable, sized } from '../terminal/text.ts';
import { type Finding, thresholds, well, wrong } from './finding.ts';

type Primary = Extract<Replication, { kind: 'primary' }>;
type Hidden = Extract<Replication, { kind: 'hidden' }>;

/** What would be lost if the primary died now. */
type Loss =
  | { readonly lost: 'nothing' | 'since_backup' | 'unknown' }
  | { readonly lost: 'latest_writes'; readonly bytes: number; readonly seconds: number };

const check = 'replication';
const nothingLost = 'If the primary died now, nothing acknowledged would be lost';
const howToWait =
  'To lose nothing acknowledged, set synchronous_standby_names on the primary: see the guide, "Operate", "Two servers".';

/** What else there is if the disk of the database is lost. */
interface Around {
  readonly engine: DatabaseFacts['engine'];
  /** The moment of the last backup, as ISO 8601; null if none is known, undefined without tables that could tell. */
  readonly savedAt: string | null | undefined;
}

export function describeReplication(replication: Replication, around: Around): readonly Finding[] {
  switch (replication.kind) {
    case 'standby':
      return [wrong(check, 'This server is a standby, which takes no writes.', standbyFix)];
    case 'aurora':
      return [describeAurora(replication)];
    case 'hidden':
      return [replication.count === 0 ? describeAbsence(replication, around) : describeHidden(replication)];
    case 'primary': {
      const { standbys, idle } = replication;
      const main = standbys.length === 0 ? describeAbsence(replication, around) : describePrimary(replication);
      return [main, ...checkLag(standbys), ...checkSlots(idle)];
    }
  }
}

export function lossOf(replication: Replication): Loss {
  const { kind } = replication;
  if (kind === 'standby') return { lost: 'unknown' };
  if (kind === 'aurora') return { lost: replication.commit === 'off' ? 'unknown' : 'nothing' };
  if (waitsFor(replication) > 0) return { lost: 'nothing' };
  if (kind === 'hidden') return { lost: replication.count === 0 ? 'since_backup' : 'unknown' };
  const nearest = nearestOf(replication.standbys);
  if (nearest === undefined) return { lost: 'since_backup' };
  return { lost: 'latest_writes', bytes: nearest.bytesBehind, seconds: nearest.secondsBehind };
}

/** For how many standbys our writes wait before they are acknowledged. */
function waitsFor({ wanted, commit }: Primary | Hidden): number {
  return commit === 'off' || commit === 'local' ? 0 : wanted;
}

/** Six copies of the storage, of which four have a write before it is acknowledged. */
function describeAurora({ readers, commit }: Extract<Replication, { kind: 'aurora' }>): Finding {
  const storage = 'Amazon Aurora keeps copies of the storage in three places.';
  if (commit === 'off') {
    return well(check, `${storage} Writes do not wait for them, so the latest could be lost.`, setCommit(commit));
  }
  const detail = `${storage} ${nothingLost}.`;
  if (readers > 0) return well(check, `${detail} ${plural(readers, 'reader')} can take over.`);
  return well(
    check,
    `${detail} No reader can take over.`,
    'Add one: until Aurora has started another server, requests get 503.',
  );
}

/** On a laptop, and on many servers, a backup is all that there is. */
function describeAbsence(replication: Primary | Hidden, { engine, savedAt }: Around): Finding {
  if (waitsFor(replication) > 0) return nobodyToWaitFor(replication, 0);
  const none = 'No standby is connected: if the disk of the database is lost,';
  const howToSave = 'Run "orrery db backup" regularly, and keep the file on another machine.';
  if (savedAt === null) return well(check, `${none} everything is lost, because no backup is known.`, howToSave);
  const since = savedAt === undefined ? '' : ` (${savedAt})`;
  const detail = `${none} so is everything since the last backup${since}.`;
  return well(check, detail, engine === 'server' ? howToWait : undefined);
}

function nobodyToWaitFor(replication: Primary | Hidden, connected: number): Finding {
  const { wanted } = replication;
  const there =
    connected === 0
      ? 'none is connected'
      : `only ${connected} of ${wanted} ${connected === 1 ? 'is' : 'are'} connected`;
  return wrong(
    check,
    `All writes wait for ${plural(wanted, 'synchronous standby')}, and ${there}.`,
    'Start the standby. Without one, take it out of synchronous_standby_names: writes that no standby has are then lost if the primary dies.',
  );
}

/** A write that waits for a standby is not acknowledged before the standby has it, whatever else we may not see. */
function describeHidden(replication: Hidden): Finding {
  const { count, grants } = replication;
  const waiting = waitsFor(replication);
  const there = `${plural(count, 'standby')} ${count === 1 ? 'is' : 'are'} connected`;
  const known =
    waiting > 0
      ? `${there}. Writes wait until ${waiting === 1 ? 'one has' : `${waiting} have`} them: ${lowered(nothingLost)}.`
      : `${there}, and writes do not wait for ${count === 1 ? 'it' : 'them'}: if the primary died now, the latest would be lost.`;
  return well(
    check,
    `${known} How far behind a standby is, this user may not see.`,
    `Let the user see it. Run as an administrator: ${grants.join('; ')}.`,
  );
}

function describePrimary(replication: Primary): Finding {
  const { standbys, wanted, commit } = replication;
  const synchronous = standbys.filter(({ mode, isStreaming }) => isStreaming && (mode === 'sync' || mode === 'quorum'));
  const waiting = waitsFor(replication);
  if (synchronous.length < waiting) return nobodyToWaitFor(replication, synchronous.length);
  const list = `${plural(standbys.length, 'standby')}: ${standbys.map(standbyText).join('; ')}.`;
  if (waiting > 0) {
    const names = synchronous.map(({ name }) => printable(name)).join(' or ');
    // Of a quorum, not every standby has every write.
    const heir = synchronous.length > waiting ? `the most advanced one of ${names}` : names;
    return well(check, `${list} ${nothingLost}, as long as ${heir} takes over.`);
  }
  const nearest = nearestOf(standbys);
  const loss =
    nearest === undefined || nearest.bytesBehind === 0
      ? 'the latest writes could be lost'
      : `up to ${distanceText(nearest)} would be lost`;
  return well(
    check,
    `${list} Writes do not wait for a standby: if the primary died now, ${loss}.`,
    wanted > 0 ? setCommit(commit) : howToWait,
  );
}

function setCommit(commit: string): string {
  return `synchronous_commit is ${commit} for this user and database: set it to on.`;
}

const modeNames = {
  sync: 'synchronous',
  quorum: 'synchronous',
  potential: 'synchronous if another one fails',
  async: 'asynchronous',
} as const;

function standbyText(standby: Standby): string {
  const behind = standby.bytesBehind === 0 ? 'has everything' : `is ${distanceText(standby)} behind`;
  return `${printable(standby.name)} (${modeNames[standby.mode]}) ${standby.isStreaming ? behind : `catches up, ${behind}`}`;
}

/** Such as "1.2 MB and 3.1 s of writes". */
function distanceText({ bytesBehind, secondsBehind }: Standby): string {
  return `${sized(bytesBehind)} (${secondsBehind.toFixed(1)} s)`;
}

function nearestOf(standbys: readonly Standby[]): Standby | undefined {
  return standbys.toSorted((left, right) => left.bytesBehind - right.bytesBehind)[0];
}

/** A standby that is far behind loses much if it is asynchronous, and takes over late in any case. */
function checkLag(standbys: readonly Standby[]): readonly Finding[] {
  return standbys.flatMap((standby) => {
    const name = printable(standby.name);
    if (standby.secondsBehind > thresholds.standbySeconds) {
      const fix = 'See whether the standby runs, and whether the network and its disk are fast enough.';
      return wrong('standby', `${name} is ${distanceText(standby)} behind.`, fix);
    }
    if (standby.bytesToApply <= thresholds.standbyBytes) return [];
    const detail = `${name} must apply ${sized(standby.bytesToApply)} of the log before it can take over.`;
    return well('standby', detail, 'If it was paused, run on it: select pg_wal_replay_resume().');
  });
}

/** The log that is kept for a standby that is gone fills the disk. */
function checkSlots(idle: readonly IdleSlot[]): readonly Finding[] {
  return idle
    .filter(({ bytes }) => bytes > thresholds.slotBytes)
    .map(({ name, bytes }) =>
      wrong(
        'replication slot',
        `Nobody reads the replication slot ${name}: the server keeps ${sized(bytes)} of its log for it, and more with every write.`,
        `Connect its standby, or drop it: select pg_drop_replication_slot('${name}').`,
      ),
    );
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
