// The contract of a command: its name, its help and its run. A command prints one result, as text or as JSON, on standard
// output; messages and progress go to standard error.
import type { Config } from '../config.ts';

export interface Command {
  /** Such as "org create". */
  readonly name: string;
  readonly summary: string;
  /** Such as "<NAME>"; the context has it as `argument`. */
  readonly argument?: readonly [name: string, description: string];
  /** Written as commander wants them. */
  readonly options?: readonly CommandOption[];
  readonly example: string;
  run(context: Context): Promise<void>;
}

interface CommandOption {
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

/** The options as given: text, or a list for a repeatable one. */
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
