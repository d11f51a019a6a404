import { describe, expect, test } from 'vitest';
import { type Replication, type Standby, standbysWanted } from '../../store/driver/replication.ts';
import { describeReplication, lossOf } from './check-replication.ts';

const near: Standby = {
  name: 'near',
  mode: 'sync',
  isStreaming: true,
  bytesBehind: 0,
  secondsBehind: 0,
  bytesToApply: 0,
};
const far: Standby = { ...near, name: 'far', mode: 'async', bytesBehind: 1_200_000, secondsBehind: 3.14 };

function primary(standbys: readonly Standby[], wanted = 0, commit = 'on'): Replication {
  return { kind: 'primary', standbys, wanted, commit, idle: [] };
}

const told = (replication: Replication, savedAt?: string | null) =>
  describeReplication(replication, { engine: 'embedded', savedAt });

test.each([
  ['', 0],
  ['*', 1],
  ['a, b', 1],
  ['2 (a, b, c)', 2],
  ['FIRST 3 (a, b, c)', 3],
  [' any 2 ("a b", c)', 2],
  ['"2 (a)"', 1],
])('synchronous_standby_names = %j wants %i', (names, wanted) => {
  expect(standbysWanted(names)).toBe(wanted);
});

test('the embedded database needs no standby, but a backup', () => {
  const [unsaved] = told(primary([]), null);
  expect(unsaved).toMatchObject({ ok: true, fix: expect.stringContaining('orrery db backup') });
  const [saved] = told(primary([]), '2026-11-19T08:00:00.000Z');
  expect(saved).toEqual({
    check: 'replication',
    ok: true,
    detail:
      'No standby is connected: if the disk of the database is lost, so is everything since the last backup (2026-11-19T08:00:00.000Z).',
  });
  expect(lossOf(primary([]))).toEqual({ lost: 'since_backup' });
});

test('the standby that is the least behind decides what would be lost', () => {
  const farther = { ...far, name: 'farther', bytesBehind: 5_000_000 };
  expect(lossOf(primary([farther, far]))).toEqual({ lost: 'latest_writes', bytes: 1_200_000, seconds: 3.14 });
  expect(told(primary([farther, far]))[0]?.detail).toBe(
    '2 standbys: farther (asynchronous) is 5 MB (3.1 s) behind; far (asynchronous) is 1.2 MB (3.1 s) behind. ' +
      'Writes do not wait for a standby: if the primary died now, up to 1.2 MB (3.1 s) would be lost.',
  );
});

test('an asynchronous standby beside a synchronous one costs nothing', () => {
  expect(lossOf(primary([near, far], 1))).toEqual({ lost: 'nothing' });
  expect(told(primary([near, far], 1))).toMatchObject([
    { ok: true, detail: expect.stringContaining('near takes over') },
  ]);
});

test('of a quorum, the most advanced standby must take over', () => {
  const quorum: Standby = { ...near, mode: 'quorum' };
  const [found] = told(primary([quorum, { ...quorum, name: 'b' }], 1));
  expect(found?.detail).toMatch(/as long as the most advanced one of near or b takes over\.$/);
});

test.each(['off', 'local'])('with synchronous_commit = %s writes wait for nobody', (commit) => {
  expect(lossOf(primary([near], 1, commit))).toEqual({ lost: 'latest_writes', bytes: 0, seconds: 0 });
  expect(told(primary([], 1, commit))[0]?.ok).toBe(true);
});

test('writes that wait for more standbys than there are are an error, and so is one that connects', () => {
  const quorum: Standby = { ...near, mode: 'quorum' };
  expect(told(primary([quorum], 2))[0]).toMatchObject({ ok: false, detail: expect.stringContaining('only 1 of 2') });
  expect(told(primary([quorum, { ...quorum, name: 'b' }], 2))[0]?.ok).toBe(true);
  expect(told(primary([{ ...near, isStreaming: false }], 1))[0]?.ok).toBe(false);
});

test('a standby that does not keep up is an error', () => {
  const slow = { ...far, secondsBehind: 61 };
  expect(told(primary([near, slow], 1))).toMatchObject([
    { ok: true },
    { check: 'standby', ok: false, detail: 'far is 1.2 MB (61.0 s) behind.' },
  ]);
});

test('a slot is an error once it keeps much', () => {
  const withSlot = (bytes: number) => told({ ...primary([near], 1), idle: [{ name: 'gone', bytes }] } as Replication);
  expect(withSlot(16_000_000)).toHaveLength(1);
  expect(withSlot(20_000_000)[1]).toMatchObject({ check: 'replication slot', ok: false });
});

describe('a user who may not see standbys is told what follows from the settings', () => {
  const hidden = (count: number, wanted: number): Replication => ({
    kind: 'hidden',
    count,
    wanted,
    commit: 'on',
    grants: ['grant pg_read_all_stats to plain'],
  });
  test('writes that wait are not lost', () => {
    expect(lossOf(hidden(2, 1))).toEqual({ lost: 'nothing' });
    expect(told(hidden(2, 1))).toMatchObject([
      { ok: true, fix: 'Let the user see it. Run as an administrator: grant pg_read_all_stats to plain.' },
    ]);
  });
  test('how much else is lost is not known', () => {
    expect(lossOf(hidden(1, 0))).toEqual({ lost: 'unknown' });
    expect(told(hidden(1, 0))[0]?.detail).toContain('writes do not wait for it');
  });
  test('that there is none is visible', () => {
    expect(lossOf(hidden(0, 0))).toEqual({ lost: 'since_backup' });
    expect(told(hidden(0, 1))[0]?.ok).toBe(false);
  });
});

test('Amazon Aurora loses nothing acknowledged, unless writes do not wait for its storage', () => {
  const aurora = (readers: number, commit = 'on'): Replication => ({ kind: 'aurora', readers, wanted: 0, commit });
  expect(told(aurora(1))).toMatchObject([{ ok: true, detail: expect.stringContaining('1 reader can take over') }]);
  expect(told(aurora(0))[0]?.fix).toContain('503');
  expect(lossOf(aurora(0))).toEqual({ lost: 'nothing' });
  expect(lossOf(aurora(1, 'off'))).toEqual({ lost: 'unknown' });
});
