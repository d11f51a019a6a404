// orrery export: writes all records of a type to standard output, as CSV that import reads back, or as JSON.
import { systemClock } from '../../base/clock.ts';
import { exitStatuses, Failure } from '../../base/failure.ts';
import { Problem } from '../../base/problem.ts';
import { asJob } from '../../engine/admin/jobs.ts';
import type { Job } from '../../engine/platform/jobs.ts';
import type { CommandEngine } from '../../engine/process/call.ts';
import type { Command, Context, Options } from '../command.ts';
import { parseOrgId, usage } from '../terminal/arguments.ts';
import { openOutput } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';
import { plural } from '../terminal/text.ts';
import { withEngine } from '../with-database.ts';
import { type ExportRequest, exportRecords } from './form.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write all records of a type, as of one moment, to standard output',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type', required: true },
    {
      flags: '--format <FORMAT>',
      description: 'csv (default; one column per property, import reads it back) or ndjson (one record per line)',
    },
  ],
  example: [
    'orrery export --org 1 --type svc_contact > contacts.csv',
    '',
    'Cells of lists, phone numbers and amounts contain JSON. A cell that a spreadsheet would run as a formula begins with an',
    'apostrophe, which import removes. Lines end with CRLF. With --json, the output is one array of all records.',
  ].join('\n'),
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
    throw usage('--json and --format exclude each other.', 'Omit one of them.');
  }
  if (format === undefined || format === 'csv') return 'csv';
  if (format === 'ndjson') return 'ndjson';
  throw usage(`--format must be csv or ndjson; got ${JSON.stringify(format.slice(0, 80))}.`, 'Omit it for csv.');
}

async function writeExport(context: Context, request: ExportRequest): Promise<void> {
  const output = openOutput();
  // Progress is shown only if a person watches and the records go elsewhere.
  const watched = process.stderr.isTTY && !process.stdout.isTTY;
  const progress = watched ? openProgress('records', { done: 0 }) : undefined;
  let written = 0;
  try {
    await withEngine(context, (engine) =>
      exportAsJob(engine, request, (job) =>
        exportRecords(engine.database, systemClock, request, async (text, records) => {
          await output.write(text);
          written += records;
          progress?.show({ done: written });
          job.show({ done: written });
        }),
      ),
    );
  } catch (error) {
    const outputError = output.error();
    if (outputError === undefined) throw interrupted(error, written);
    // The reader has gone, so there is nobody to tell.
    if (outputError.code === 'EPIPE') process.exit(exitStatuses.internal);
    const sentence = `Standard output cannot be written (${outputError.code}): the export stopped after ${plural(written, 'record')}.`;
    throw new Failure(
      'invalid_file',
      sentence,
      'Free some space or choose another file, then export again.',
      outputError,
    );
  } finally {
    progress?.clear();
    output.close();
  }
}

function exportAsJob(
  engine: CommandEngine,
  { orgId, typeName }: ExportRequest,
  run: (job: Pick<Job, 'show'>) => Promise<void>,
): Promise<void> {
  const audit = { action: 'export.finished', detail: typeName };
  return asJob(engine, { orgId, kind: 'export', message: `Records of ${typeName}` }, run, () => ({ audit }));
}

function interrupted(error: unknown, written: number): unknown {
  if (!(error instanceof Problem) || written === 0) return error;
  const sentence = `${error.message} The export stopped after ${plural(written, 'record')}, so the output is incomplete.`;
  return new Failure(
    'database_unreachable',
    sentence,
    'Check the database with "orrery doctor", then export again.',
    error,
  );
}
