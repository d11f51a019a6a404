// The entry point: runs the command that the arguments name.
import { exitStatuses } from './base/failure.ts';
import { runProgram } from './cli/program.ts';

// The reader of the result may stop reading, which is not an error.
process.stdout.on('error', () => process.exit(exitStatuses.internal));
void runProgram(process.argv).then((status) => {
  process.exitCode = status;
});
