// The program: parses the words of a command line, and runs the command that they name. Every failure is printed as one sentence
// with its fix, never as a stack trace, and has its own exit status.
import { Command as Commander, CommanderError } from 'commander';
import { exitStatuses, Failure } from '../base/failure.ts';
import { Problem } from '../base/problem.ts';
import { type Environment, globalFlags, readConfig, release } from '../config.ts';
import { commands, groupAliases, groups } from './all.ts';
import { type Command, Options } from './command.ts';
import { usage } from './terminal/arguments.ts';
import { printable } from './terminal/text.ts';

/** Runs the command that the words after the first two name, and returns its exit status. Another environment is for tests. */
export async function runProgram(argv: readonly string[], environment?: Environment): Promise<number> {
  try {
    await programOf(environment).parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // A word that is not a whole command, such as "org": its help has been shown.
    if (error instanceof CommanderError && error.code === 'commander.help') return exitStatuses.usage;
    const failure = toFailure(error);
    // The text may contain names chosen by others; only its own line breaks are kept.
    const lines = `orrery: ${failure.message} ${failure.fix}`.split('\n').map(printable);
    process.stderr.write(`${lines.join('\n')}\n`);
    return failure.exitStatus;
  }
}

function programOf(environment: Environment | undefined): Commander {
  const program = new Commander('orrery')
    .description('A self-hosted CRM back end.')
    .version(release, '--version', 'show the release')
    .helpOption('--help', 'show this help')
    .helpCommand(false)
    .option('--json', 'print the result as one JSON value')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride(usageOf('orrery'))
    .configureOutput({ outputError: () => {} })
    .addHelpText('after', `\nExample:\n  ${commands[0]?.example}`);
  for (const { flags, description } of globalFlags) program.option(flags, description);
  for (const command of commands) register(program, command, environment);
  return program;
}

function register(program: Commander, command: Command, environment: Environment | undefined): void {
  const words = command.name.split(' ');
  const name = words.pop() ?? '';
  const parent = words.reduce(groupOf, program);
  const registered = parent.command(name).description(command.summary).helpOption('--help', 'show this help');
  registered
    .exitOverride(usageOf(`orrery ${command.name}`))
    .configureOutput({ outputError: () => {} })
    .configureHelp({ showGlobalOptions: true });
  if (command.argument !== undefined) registered.argument(...command.argument);
  for (const option of command.options ?? []) {
    const collect = (value: string, list: readonly string[] | undefined) => [...(list ?? []), value];
    if (option.repeatable) registered.option(option.flags, option.description, collect);
    else if (option.required) registered.requiredOption(option.flags, `${option.description} (required)`);
    else registered.option(option.flags, option.description);
  }
  registered.addHelpText('after', `\nExample:\n  ${command.example}`);
  registered.action(async () => {
    const flags = registered.optsWithGlobals<Record<string, unknown>>();
    await command.run({
      config: readConfig({ ...flags, corsOrigins: flags['corsOrigin'] }, environment),
      argument: registered.args[0] ?? '',
      options: new Options(flags),
      print: (value, text) => {
        process.stdout.write(`${flags['json'] === true ? JSON.stringify(value) : text}\n`);
      },
    });
  });
}

function groupOf(parent: Commander, word: string): Commander {
  const known = parent.commands.find((each) => each.name() === word);
  if (known !== undefined) return known;
  const group = parent.command(word).description(groups[word] ?? '');
  const alias = groupAliases[word];
  if (alias !== undefined) group.alias(alias);
  const example = commands.find(({ name }) => name.startsWith(`${word} `))?.example;
  group.addHelpText('after', `\nExample:\n  ${example}`);
  return group
    .helpCommand(false)
    .helpOption('--help', 'show this help')
    .exitOverride(usageOf(`orrery ${word}`));
}

/** A wrong command line ends with the help that corrects it; the end of a help that was shown passes through. */
function usageOf(words: string): (error: CommanderError) => never {
  return (error) => {
    if (error.exitCode === 0 || error.code === 'commander.help') throw error;
    const sentence = error.message.replace(/^error: |\.$/g, '').replace(/\n/g, ' ');
    throw usage(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`, `See "${words} --help".`);
  };
}

function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Problem && error.code === 'unavailable') {
    return new Failure('database_unreachable', error.message, 'Check the database with "orrery doctor".', error);
  }
  const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return new Failure('internal', `An unexpected error occurred: ${message}.`, 'Please report it.', error);
}
