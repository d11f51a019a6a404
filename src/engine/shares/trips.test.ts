// Which reads travel together, and what becomes of those that cannot.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';
import { raw, type Sql } from '../../base/sql.ts';
import { type NotedSnapshot, snapshotStatement } from '../../store/feed/position.ts';
import type { Place } from './line.ts';
import { Trips } from './trips.ts';
import { openWaitingRoom } from './waiting-room.ts';

/** What reached the database: the texts of one trip each. */
let trips: (readonly string[])[];
/** The bytes that each statement of them may have, of those with several. */
let bytes: number[];
/** How many places are held. */
let held: number;
/** What `enter` answers; undefined for a place at once. */
let gate: Promise<void> | undefined;
/** Statements that must run alone. */
let refused: readonly string[];
let subject: Trips;

const rowsOf = (text: string) =>
  text === snapshotStatement.text ? [{ life: 'e', snapshot: '7:9:', log: '5' }] : [{ text }];

beforeEach(() => {
  [trips, bytes, held, gate, refused] = [[], [], 0, undefined, []];
  const place: Place = { moved: () => {}, end: () => held-- };
  const take = (): Place => {
    held++;
    return place;
  };
  subject = new Trips({
    brief: {
      query: async <Row extends object>({ text }: Sql) => {
        trips.push([text]);
        return rowsOf(text) as readonly object[] as readonly Row[];
      },
      queryTogether: async <Row extends object>(statements: readonly Sql[], bytesEach: number) => {
        bytes.push(bytesEach);
        const texts = statements.map(({ text }) => text);
        trips.push(texts);
        return texts.map((text) =>
          refused.includes(text) ? undefined : (rowsOf(text) as readonly object[] as readonly Row[]),
        );
      },
    },
    places: { enter: () => (gate === undefined ? take() : gate.then(take)) },
    room: openWaitingRoom(),
    bytes: { admit: () => {} },
  });
});

function ask(orgId: number, text: string, isAbandoned = () => false) {
  return subject.query(orgId, raw(text), { isAbandoned });
}

/** A read that wants to know the snapshot before it, and what it was told. */
async function askNoted(orgId: number, text: string) {
  const told: string[] = [];
  const noteSnapshot = ({ snapshot }: NotedSnapshot) => told.push(snapshot);
  const rows = await subject.query(orgId, raw(text), { isAbandoned: () => false, noteSnapshot });
  return { rows, told };
}

test('reads of one org that are asked for in one turn travel together, and those of another by themselves', async () => {
  const answers = await Promise.all([ask(1, 'a'), ask(2, 'b'), ask(1, 'c')]);
  expect(answers).toEqual([rowsOf('a'), rowsOf('b'), rowsOf('c')]);
  expect(trips).toEqual([['a', 'c'], ['b']]);
  expect(await ask(1, 'd')).toEqual(rowsOf('d'));
  expect(trips.at(-1)).toEqual(['d']);
  await nextTurn();
  expect(held).toBe(0);
});

test('equal reads of one trip are read once', async () => {
  const answers = await Promise.all([ask(1, 'a'), ask(1, 'b'), ask(1, 'a')]);
  expect(answers).toEqual([rowsOf('a'), rowsOf('b'), rowsOf('a')]);
  expect(await Promise.all([ask(1, 'c'), ask(1, 'c')])).toEqual([rowsOf('c'), rowsOf('c')]);
  expect(trips).toEqual([['a', 'b'], ['c']]);
});

test('a snapshot is taken once, before everything that a trip reads, and told to those who want it', async () => {
  const [plain, noted, equal] = await Promise.all([ask(1, 'a'), askNoted(1, 'b'), askNoted(1, 'a')]);
  expect(plain).toEqual(rowsOf('a'));
  expect(noted).toEqual({ rows: rowsOf('b'), told: ['7:9:'] });
  expect(equal).toEqual({ rows: rowsOf('a'), told: ['7:9:'] });
  expect(await askNoted(1, 'c')).toEqual({ rows: rowsOf('c'), told: ['7:9:'] });
  expect(trips).toEqual([
    [snapshotStatement.text, 'a', 'b'],
    [snapshotStatement.text, 'c'],
  ]);
});

test('if the snapshot could not be taken, the reads must run alone', async () => {
  refused = [snapshotStatement.text];
  expect(await Promise.all([askNoted(1, 'a'), ask(1, 'b')])).toEqual([{ rows: 'alone', told: [] }, 'alone']);
});

test('the statements of a trip share its bytes', async () => {
  await Promise.all([ask(1, 'a'), ask(1, 'b')]);
  await askNoted(1, 'c');
  expect(bytes).toEqual([bounds.shares.tripBytes / 2, bounds.shares.tripBytes]);
});

test('a trip has a bounded number of statements', async () => {
  const most = bounds.shares.tripStatements;
  const texts = Array.from({ length: 2 * most + 1 }, (_, index) => `s${index}`);
  await Promise.all(texts.map((text) => ask(1, text)));
  expect(trips.map((each) => each.length)).toEqual([most, most, 1]);
});

test('a read that is asked while a trip waits for its place still travels with it', async () => {
  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const first = ask(1, 'a');
  await nextTurn();
  const second = ask(1, 'b');
  await nextTurn();
  expect(trips).toEqual([]);
  open();
  await Promise.all([first, second]);
  expect(trips).toEqual([['a', 'b']]);
});

test('a statement that has no rows from the trip must run alone', async () => {
  refused = ['b'];
  expect(await Promise.all([ask(1, 'a'), ask(1, 'b')])).toEqual([rowsOf('a'), 'alone']);
});

test('reads that nobody waits for any more are not carried, if they had to wait', async () => {
  let isAbandoned = false;
  gate = Promise.resolve();
  const gone = ask(1, 'a', () => isAbandoned);
  const other = ask(1, 'b');
  isAbandoned = true;
  await expect(gone).rejects.toMatchObject({ reason: 'overloaded' });
  expect(await other).toEqual(rowsOf('b'));
  expect(trips).toEqual([['b']]);
});

test('reads that get no place are refused, and nothing of them stays', async () => {
  gate = Promise.reject(overloaded('Busy.'));
  gate.catch(() => undefined);
  const answers = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => ask(1, `s${index}`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'));
  gate = undefined;
  const most = bounds.shares.waitingOfOrg;
  const asked = Array.from({ length: most }, (_, index) => ask(1, `t${index}`));
  await expect(ask(1, 'one more')).rejects.toMatchObject({ reason: 'overloaded' });
  expect(await Promise.all(asked)).toHaveLength(most);
  await nextTurn();
  expect(held).toBe(0);
});
