// The contract of a command: what `--help` says and what it does. A command prints one result, as text or as JSON, on
// standard output; everything else it has to say goes to standard error.
import type { Config } from '../config.ts';
import type { Database } from '../store/database.ts';
import { openReady } from '../store/driver/open.ts';

export interface Command {
  /** Such as "org create". */
  readonly name: string;
  readonly summary: string;
  /** Such as "<NAME>"; taken as `argument` of the context. */
  readonly argument?: readonly [name: string, description: string];
  /** Flags as commander writes them, with a description. */
  readonly options?: readonly CommandOption[];
  readonly example: string;
  run(context: Context): Promise<void>;
}

export interface CommandOption {
  readonly flags: string;
  readonly description: string;
  readonly required?: true;
  /** May be given more than once. */
  readonly repeatable?: true;
}

export interface Context {
  readonly config: Config;
  readonly argument: string;
  readonly options: Options;
  /** Prints the result: `value` with --json, `text` without. */
  print(value: unknown, text: string): void;
}

/** The options as they were given: text, or a list for a repeatable one. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Whether the flag was given. */
  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  list(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }
}

/** Runs with the database open and closes it whatever happens. */
export async function withDatabase<T>({ config }: Context, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await openReady(config.place);
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

/** Columns of text under each other. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
