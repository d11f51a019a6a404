// orrery export: all records of a type on standard output, as CSV that import takes back, or as JSON.
import { systemClock } from '../../base/clock.ts';
import { exitStatuses, Failure } from '../../base/failure.ts';
import { Problem } from '../../base/problem.ts';
import type { Command, Context, Options } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { openOutput } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';
import { withDatabase } from '../with-database.ts';
import { type ExportRequest, exportRecords } from './form.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write all records of a type, as they are at one moment, to standard output',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type', required: true },
    {
      flags: '--format <FORMAT>',
      description: 'csv (a column for each property; import takes it back) or ndjson (a record in each line)',
    },
  ],
  example: [
    'orrery export --org 1 --type svc_contact > contacts.csv',
    '',
    'Lists, phone numbers and amounts are JSON in their cells. A cell that a spreadsheet would take for a formula begins',
    'with an apostrophe, which import takes away. Lines end with CRLF. With --json: one array of all records.',
  ].join('\n  '),
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const typeName = context.options.text('type') ?? '';
    await writeExport(context, { orgId, typeName, form: parseForm(context.options) });
  },
};

function parseForm(options: Options): ExportRequest['form'] {
  const format = options.text('format');
  if (options.flag('json')) {
    if (format === undefined) return 'json';
    throw usage('--json and --format are two different forms.', 'Leave one of them out.');
  }
  if (format === undefined || format === 'csv') return 'csv';
  if (format === 'ndjson') return 'ndjson';
  throw usage(`--format must be csv or ndjson; got ${JSON.stringify(format.slice(0, 80))}.`, 'Leave it out for csv.');
}

async function writeExport(context: Context, request: ExportRequest): Promise<void> {
  const output = openOutput();
  // Where the records themselves are seen, or nobody looks, there is nothing to tell.
  const watched = process.stderr.isTTY && !process.stdout.isTTY;
  const progress = watched ? openProgress('records', { done: 0 }) : undefined;
  let written = 0;
  try {
    await withDatabase(context, (database) =>
      exportRecords(database, systemClock, request, async (text, records) => {
        await output.write(text);
        written += records;
        progress?.show({ done: written });
      }),
    );
  } catch (error) {
    const fault = output.fault();
    if (fault === undefined) throw brokenOff(error, written);
    // Whoever reads may stop reading: there is nobody left to tell.
    if (fault.code === 'EPIPE') process.exit(exitStatuses.internal);
    const sentence = `Standard output cannot be written (${fault.code}): the export broke off after ${written} records.`;
    throw new Failure('invalid_file', sentence, 'Make room or choose another file, and export it again.', fault);
  } finally {
    progress?.clear();
    output.close();
  }
}

function brokenOff(error: unknown, written: number): unknown {
  if (!(error instanceof Problem) || written === 0) return error;
  const sentence = `${error.message} The export broke off after ${written} records, and what is written is not whole.`;
  return new Failure(
    'database_unreachable',
    sentence,
    'Check the database with "orrery doctor", and export it again.',
    error,
  );
}
