// orrery ingest: writes the lines of connected systems, from a file or from standard input. A refused line is reported with
// its number and does not stop the rest; repeated lines change nothing.
import { createReadStream } from 'node:fs';
import { Failure } from '../base/failure.ts';
import { batchesOf, linesOf } from '../base/files/lines.ts';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { type Ingest, openIngest, type Refusal } from '../engine/ingest/ingest.ts';
import type { Command } from './command.ts';
import { parseOrgId } from './terminal/arguments.ts';
import { refusalText } from './terminal/refusal.ts';
import { withEngine } from './with-database.ts';

export const ingest: Command = {
  name: 'ingest',
  summary: 'Ingest data of connected systems: records of synced and generated types, and payments of companies',
  argument: ['<FILE>', 'a file with one JSON value per line (NDJSON); - for standard input'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type of every line', required: true },
  ],
  example: [
    'orrery ingest --org 1 --type svc_meeting meetings.ndjson',
    '',
    'A line of a synced or generated type; the same external_id updates the record:',
    '  {"external_id": "cal-17", "properties": {"svc_subject": "Kick-off"}, "associations":',
    '   [{"association_type": "svc_activity_to_contact", "target_id": {"match": {"svc_email": "ada@example.com"}}}]}',
    'A line of svc_company, which names an existing company by "id" or "match":',
    '  {"match": {"svc_domain": "acme.example"}, "properties": {"svc_payments_subscription_count": "3"}}',
  ].join('\n'),
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const type = context.options.text('type') ?? '';
    const counts = await withEngine(context, async (engine) =>
      ingestAll(context.argument, await openIngest(engine, orgId, type)),
    );
    const { created, updated, unchanged, refused } = counts;
    context.print(
      { org_id: orgId, object_type: type, created, updated, unchanged, refused },
      `${type} of org ${orgId}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused.`,
    );
    if (refused > 0) throw linesRefused(refused, created + updated + unchanged);
  },
};

interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

async function ingestAll(path: string, write: Ingest): Promise<Counts> {
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  const lines = linesOf(chunksOf(path), bounds.engine.ingestLineBytes);
  const full = { linesMax: bounds.engine.ingestedAtOnce, bytesMax: bounds.engine.ingestedBytes };
  for await (const batch of batchesOf(lines, full)) {
    const { created, updated, unchanged, refusals } = await write(batch).catch((error: unknown) => {
      throw interrupted(error, batch[0]?.number ?? 1);
    });
    for (const refusal of refusals.slice(0, Math.max(0, bounds.cli.refusalsPrinted - counts.refused)))
      printRefusal(refusal);
    counts.created += created;
    counts.updated += updated;
    counts.unchanged += unchanged;
    counts.refused += refusals.length;
  }
  return counts;
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path)) yield chunk as Buffer;
  } catch (error) {
    const what = path === '-' ? 'Standard input' : `The file ${path}`;
    throw new Failure('invalid_file', `${what} cannot be read.`, 'Check its name and permissions.', error);
  }
}

function printRefusal({ line, problem }: Refusal): void {
  process.stderr.write(`${refusalText(line, problem, bounds.cli.faultsPrintedPerLine)}\n`);
}

/** The database failed during the ingest, or the org's quota was reached; committed lines stay. */
function interrupted(error: unknown, line: number): unknown {
  if (!(error instanceof Problem)) return error;
  const done = line === 1 ? 'Nothing was ingested.' : `All lines before line ${line} were ingested.`;
  if (error.reason === 'storage_quota') {
    const again = 'Then ingest the file again: repeated lines change nothing.';
    return new Failure('storage_quota', `${error.message} ${done}`, again, error);
  }
  const fix = 'Check the database with "orrery doctor", then ingest the file again: repeated lines change nothing.';
  return new Failure('database_unreachable', `${error.message} ${done}`, fix, error);
}

function linesRefused(refused: number, ingested: number): Failure {
  const sentence = refused === 1 ? 'One line was refused' : `${refused} lines were refused`;
  const listed =
    refused > bounds.cli.refusalsPrinted ? ` (the first ${bounds.cli.refusalsPrinted} are listed above)` : '';
  const others = ingested === 0 ? '' : '; all others were ingested';
  const fix = `Fix ${refused === 1 ? 'it' : 'them'} and ingest the file again: repeated lines change nothing.`;
  return new Failure('rows_refused', `${sentence}${listed}${others}.`, fix);
}
