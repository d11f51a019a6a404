import { expect, test } from 'vitest';
import { CommitOrder, StepBack } from './commit-order.ts';

/** The state of a wait at this moment. */
async function now(wait: Promise<void>): Promise<unknown> {
  const pending = Symbol('pending');
  return Promise.race([
    wait.then(
      () => 'passed',
      (error: unknown) => error,
    ),
    new Promise((resolve) => {
      setImmediate(resolve, pending);
    }),
  ]).then((state) => (state === pending ? 'waits' : state));
}

test('batches are committed in the order of the file, whichever is ready first', async () => {
  const order = new CommitOrder();
  const [third, second, first] = [order.turnOrStepBack(2), order.turnOrStepBack(1), order.turnOrStepBack(0)];
  expect(await Promise.all([first, second, third].map(now))).toEqual(['passed', 'waits', 'waits']);
  order.committed(0);
  expect(await Promise.all([second, third].map(now))).toEqual(['passed', 'waits']);
  order.committed(1);
  expect(await now(third)).toBe('passed');
});

test('batches behind one that runs again step back until it is committed, also those that come later', async () => {
  const order = new CommitOrder();
  const behind = order.turnOrStepBack(2);
  order.rerun(1);
  expect(await now(behind)).toBeInstanceOf(StepBack);
  expect(await now(order.turnOrStepBack(3))).toBeInstanceOf(StepBack);
  expect(await now(order.turnOrStepBack(0))).toBe('passed');
  const patient = order.turn(2);
  order.committed(0);
  expect(await Promise.all([order.turn(1), patient].map(now))).toEqual(['passed', 'waits']);
  order.committed(1);
  expect(await Promise.all([patient, order.turnOrStepBack(2)].map(now))).toEqual(['passed', 'passed']);
});

test('a failure ends every wait, with the first error', async () => {
  const order = new CommitOrder();
  const waiting = order.turn(1);
  const [first, second] = [new Error('first'), new Error('second')];
  order.fail(first);
  order.fail(second);
  expect(await now(waiting)).toBe(first);
  expect(await now(order.turnOrStepBack(0))).toBe(first);
  expect(order.failure).toEqual({ error: first });
});
