// All attacks, by what they take from others.
import { type Attack, count, newTally } from './attack.ts';
import { byteAttacks } from './byte-attacks.ts';
import { doorAttacks } from './door-attacks.ts';
import { pollAttacks } from './poll-attacks.ts';
import { readerAttacks } from './reader-attacks.ts';
import { threadAttacks } from './thread-attacks.ts';
import { writerAttacks } from './writer-attacks.ts';

const single: readonly Attack[] = [
  ...readerAttacks,
  ...threadAttacks,
  ...writerAttacks,
  ...byteAttacks,
  ...pollAttacks,
  ...doorAttacks,
];

/** One of each kind. */
const combined = [
  'aggregates with exploding groups',
  'lists of a user to whom most is private',
  'unknown members in each item',
  'updates of one record at once',
  'pages that nobody reads',
  'polls for a type that never changes, beside writes',
  'forged keys from one address',
];

const severalAtOnce: Attack = {
  name: 'several attacks at once',
  needsHidden: true,
  arm: (world) => {
    const parts = single.filter(({ name }) => combined.includes(name));
    const armed = parts.map(({ arm }) => arm({ ...world, units: Math.floor(world.units / parts.length) }));
    return async (until) => {
      const tally = newTally();
      const tallies = await Promise.all(armed.map((attack) => attack(until)));
      for (const { outcomes } of tallies) {
        for (const [outcome, times] of Object.entries(outcomes)) count(tally, outcome, times);
      }
      return tally;
    };
  },
};

export const attacks: readonly Attack[] = [...single, severalAtOnce];
