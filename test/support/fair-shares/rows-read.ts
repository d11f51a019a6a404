// How many rows PostgreSQL reads for a statement, whether it returns them or not, by its own count.
import { type Sql, sql } from '../../../src/base/sql.ts';
import type { Database, Transaction } from '../../../src/store/database.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

async function rowsRead(database: Transaction, statement: Sql): Promise<number> {
  const [row] = await database.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    sql`explain (analyze, format json) ${statement}`,
  );
  return row === undefined ? 0 : rowsOf(row['QUERY PLAN'][0].Plan);
}

function rowsOf(node: PlanNode): number {
  const below = (node.Plans ?? []).map(rowsOf).reduce((sum, each) => sum + each, 0);
  if (!/Scan$/.test(node['Node Type']) || node['Node Type'] === 'Subquery Scan') return below;
  return below + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

export interface Counted<T> {
  readonly answer: T;
  /** How many rows each statement read that ran in its place. */
  readonly counts: readonly number[];
  /** How many statements ran in the lane. */
  readonly inLane: number;
}

/** Counts the rows of each statement that reads records, once it is put between the engine and its database. */
export class ReadCounter {
  #counts: number[] | undefined;
  #inLane = 0;

  readonly adapt = (database: Database): Database => ({
    ...database,
    query: <Row extends object>(statement: Sql) => {
      this.#inLane++;
      return database.query<Row>(statement);
    },
    // Alone, an org scans in a transaction with workers.
    transaction: (run) =>
      database.transaction((transaction) =>
        run({
          ...transaction,
          script: (text) => {
            if (text.includes('max_parallel_workers_per_gather')) this.#inLane++;
            return transaction.script(text);
          },
        }),
      ),
    brief: {
      ...database.brief,
      query: async <Row extends object>(statement: Sql) => {
        if (/^\s*select/.test(statement.text) && /orrery\.(record|fact) as /.test(statement.text)) {
          this.#counts?.push(await rowsRead(database, statement));
        }
        return database.brief.query<Row>(statement);
      },
    },
  });

  async during<T>(run: () => Promise<T>): Promise<Counted<T>> {
    const counts: number[] = [];
    this.#counts = counts;
    this.#inLane = 0;
    try {
      return { answer: await run(), counts, inLane: this.#inLane };
    } finally {
      this.#counts = undefined;
    }
  }
}
