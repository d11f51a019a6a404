// Runs a command in this process, on the database of a test's service: its result, its messages and its failure.
import { vi } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { commands } from '../../src/cli/all.ts';
import { Options } from '../../src/cli/command.ts';
import { readConfig } from '../../src/config.ts';

export interface CommandEnd {
  /** The result as --json prints it, and as text; undefined and empty if the command failed before. */
  readonly value: unknown;
  readonly text: string;
  readonly failure: Failure | undefined;
  /** The lines on standard error. */
  readonly told: readonly string[];
}

/** The options are named as commander names them, such as `olderThan`. */
export async function runCommand(
  databaseUrl: string,
  name: string,
  argument: string,
  options: Readonly<Record<string, unknown>>,
): Promise<CommandEnd> {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new Error(`There is no command ${name}.`);
  const printed: { readonly value: unknown; readonly text: string }[] = [];
  let failure: Failure | undefined;
  const told = await listening(async () => {
    try {
      await command.run({
        config: readConfig({ databaseUrl }, {}),
        argument,
        options: new Options(options),
        print: (value, text) => {
          printed.push({ value, text });
        },
      });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error;
    }
  });
  if (printed.length > 1) throw new Error(`It printed ${printed.length} results.`);
  return { value: printed[0]?.value, text: printed[0]?.text ?? '', failure, told };
}

async function listening(run: () => Promise<void>): Promise<readonly string[]> {
  let text = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
  return text.split('\n').slice(0, -1);
}
