// orrery export: writes all records of a type to standard output, as CSV that import reads back, or as JSON; everything that is
// known of a person; or a whole org into a folder.
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
import { writeFolder } from './folder.ts';
import { type ExportRequest, exportRecords, type TakeExported } from './form.ts';
import { type PersonRequest, writePerson } from './person.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write all records of a type, all about a person, or a whole org, as of one moment',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type' },
    {
      flags: '--person <RECORD_ID>',
      description: 'instead of a type: all that is known of this person, as one JSON document',
    },
    {
      flags: '--format <FORMAT>',
      description: 'csv (default; the id, then one column per property) or ndjson (one record per line)',
    },
    { flags: '--all <DIR>', description: 'instead of a type: the whole org, into a new or empty folder' },
    { flags: '--links', description: 'with --type: the ids that records are linked to, by association type' },
  ],
  example: [
    'orrery export --org 1 --type svc_contact > contacts.csv',
    '',
    'The first column is the id, which import ignores. Cells of lists, phone numbers and amounts contain JSON. With --links,',
    'CSV has a column for each association type that begins at the type, with ids separated by ";", svc_record_to_user with',
    'the owners among them; NDJSON has "associations". A cell that a spreadsheet would run as a formula begins with an',
    'apostrophe, which import removes. Lines end with CRLF. With --json, the output is one array of all records.',
    '',
    '"orrery export --org 1 --person RECORD_ID > person.json" writes the record, live or in the trash, with its external ids,',
    'owners, linked records and stage timers, the duplicates that were merged into it, and its history.',
    '',
    '"orrery export --org 1 --all acme" writes the schema and all records of every type, with links, owners, external ids and',
    'the trash, as files that "orrery migrate" brings into an empty org. Keys, sessions, the audit and jobs stay behind.',
  ].join('\n'),
  run: async (context) => {
    const { options } = context;
    const orgId = parseOrgId(options.text('org'));
    const [typeName, person, folder] = [options.text('type'), options.text('person'), options.text('all')];
    if (folder !== undefined) {
      if (typeName !== undefined || person !== undefined || isForType(options)) throw alone();
      await exportWhole(context, orgId, folder);
    } else if (typeName !== undefined && person === undefined) {
      await writeExport(
        context,
        exportOfType({ orgId, typeName, form: parseForm(options), links: options.flag('links') }),
      );
    } else if (person !== undefined && typeName === undefined && !isForType(options)) {
      await writeExport(context, exportOfPerson({ orgId, person }));
    } else throw unclear(person);
  },
};

function isForType(options: Options): boolean {
  return options.text('format') !== undefined || options.flag('links');
}

function unclear(person: string | undefined): Failure {
  return person === undefined
    ? usage('Nothing is selected.', 'Give a type with --type, a person with --person, or a folder with --all.')
    : usage('--person excludes --type, --format and --links.', 'Omit --person, or the others.');
}

function alone(): Failure {
  const sentence = '--all excludes --type, --person, --format and --links.';
  return usage(sentence, 'Omit --all, or the others.');
}

async function exportWhole(context: Context, orgId: number, folder: string): Promise<void> {
  const progress = openProgress('lines', { done: 0 });
  const { files, rows } = await withEngine(context, (engine) =>
    exportAsJob(engine, { orgId, message: 'The whole org', detail: 'everything of the org' }, (job) => {
      let done = 0;
      return writeFolder(engine, orgId, folder, (more) => {
        done += more;
        progress.show({ done });
        job.show({ done });
      });
    }),
  ).finally(() => progress.clear());
  const counts = Object.fromEntries(files.map((each) => [each.file, each.rows]));
  const text = `Wrote ${plural(rows, 'line')} in ${plural(files.length, 'file')} to ${folder}.`;
  context.print({ org_id: orgId, folder, files: counts }, text);
}

/** What is exported: how, and as which job. */
interface Export {
  readonly orgId: number;
  readonly message: string;
  /** Names it in the audit. */
  readonly detail: string;
  run(engine: CommandEngine, take: TakeExported): Promise<void>;
}

function exportOfType(request: ExportRequest): Export {
  const { orgId, typeName } = request;
  return {
    orgId,
    message: `Records of ${typeName}`,
    detail: typeName,
    run: (engine, take) => exportRecords(engine.database, systemClock, request, take),
  };
}

function exportOfPerson(request: PersonRequest): Export {
  const { orgId, person } = request;
  return {
    orgId,
    message: `Everything about the person ${person}`,
    detail: `person ${person}`,
    run: (engine, take) => writePerson(engine, engine.clock, request, take),
  };
}

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

async function writeExport(context: Context, request: Export): Promise<void> {
  const output = openOutput();
  // Progress is shown only if a person watches and the records go elsewhere.
  const watched = process.stderr.isTTY && !process.stdout.isTTY;
  const progress = watched ? openProgress('records', { done: 0 }) : undefined;
  let written = 0;
  try {
    await withEngine(context, (engine) =>
      exportAsJob(engine, request, (job) =>
        request.run(engine, async (text, records) => {
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

function exportAsJob<T>(
  engine: CommandEngine,
  { orgId, message, detail }: Omit<Export, 'run'>,
  run: (job: Pick<Job, 'show'>) => Promise<T>,
): Promise<T> {
  const audit = { action: 'export.finished', detail };
  return asJob(engine, { orgId, kind: 'export', message }, run, () => ({ audit }));
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
