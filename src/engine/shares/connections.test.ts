// Noted reads: the snapshot that they tell is never newer than what was read.
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { raw, type Sql, short } from '../../base/sql.ts';
import type { Database } from '../../store/database.ts';
import { snapshotStatement } from '../../store/feed/position.ts';
import { openConnections } from './connections.ts';
import { openWaitingRoom } from './waiting-room.ts';

/** What reached the database, in order: the texts of one round trip each. */
let trips: string[];
/** How many snapshots were taken: the texts of snapshots are their numbers. */
let snapshots: number;

function rowsOf({ text }: Sql): readonly object[] {
  return text === snapshotStatement.text ? [{ snapshot: String(++snapshots) }] : [{ text }];
}

function answer(statements: readonly Sql[]): readonly (readonly object[])[] {
  if (statements.includes(broken)) throw new Error('The connection broke.');
  trips.push(statements.map(({ text }) => (text === snapshotStatement.text ? 'snapshot' : text)).join());
  return statements.map(rowsOf);
}

beforeEach(() => {
  [trips, snapshots] = [[], 0];
});

/** Only what reads need of a database and of the bytes in flight. */
function open() {
  const brief = {
    query: async (statement: Sql) => answer([statement])[0],
    queryTogether: async (statements: readonly Sql[]) => answer(statements),
  };
  const database = { connections: 4, brief, isAway: () => false } as unknown as Database;
  const bytes = { admit: () => {} } as unknown as Parameters<typeof openConnections>[3];
  return openConnections(database, systemClock, openWaitingRoom(), bytes).of(1).noting();
}

const a = short(raw('a'));
const b = short(raw('b'));
const alone = raw('alone');
const broken = raw('broken');

test('the snapshot travels before the first read, and no later one takes another', async () => {
  const { database, snapshot } = open();
  expect(await database.query(a)).toEqual([{ text: 'a' }]);
  await database.query(b);
  await database.query(alone);
  expect(await snapshot()).toMatchObject({ snapshot: '1' });
  expect(trips).toEqual(['snapshot,a', 'b', 'alone']);
});

test('a first read that travels alone comes after a snapshot', async () => {
  const { database, snapshot } = open();
  await database.query(alone);
  expect(await snapshot()).toMatchObject({ snapshot: '1' });
  expect(trips).toEqual(['snapshot', 'alone']);
});

test('of reads that are asked for together, the second comes after the first has been answered', async () => {
  const { database, snapshot } = open();
  await Promise.all([database.query(a), database.query(alone), database.query(b)]);
  expect(await snapshot()).toMatchObject({ snapshot: '1' });
  expect(trips).toEqual(['snapshot,a', 'alone', 'b']);
});

test('a failed first read does not stop the next one', async () => {
  const { database, snapshot } = open();
  await expect(database.query(broken)).rejects.toThrow('The connection broke.');
  expect(await database.query(a)).toEqual([{ text: 'a' }]);
  expect(await snapshot()).toMatchObject({ snapshot: '1' });
});

test('without a read the snapshot is taken when it is asked for', async () => {
  const { snapshot } = open();
  expect(trips).toEqual([]);
  expect(await snapshot()).toMatchObject({ snapshot: '1' });
  expect(await snapshot()).toMatchObject({ snapshot: '1' });
  expect(trips).toEqual(['snapshot']);
});
