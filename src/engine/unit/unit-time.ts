// The time that one unit of work may take, whatever it does.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Transaction } from '../../store/database.ts';

/** A batch makes many statements, each in its time; all of them together have a bound as well. */
export function withinTime(transaction: Transaction, clock: Clock): Transaction {
  const untilMs = clock.monotonicMs() + bounds.engine.unitMs;
  return {
    script: (text) => transaction.script(text),
    query: (statement) => {
      if (clock.monotonicMs() < untilMs) return transaction.query(statement);
      const seconds = bounds.engine.unitMs / 1_000;
      const detail = `The write was not done after ${seconds} seconds and was given up whole. Send less at once.`;
      return Promise.reject(new Problem('timeout', 'statement_timeout', detail));
    },
  };
}
