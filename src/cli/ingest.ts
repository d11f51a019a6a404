// orrery ingest: what connected systems send, line by line from a file or from standard input. What cannot be written is
// told by line and does not stop the rest; the same lines again change nothing.
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
  summary: 'Bring in what connected systems send: records of synced and generated types, and payments of companies',
  argument: ['<FILE>', 'a JSON value in each line (NDJSON); - for standard input'],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'the object type of every line', required: true },
  ],
  example: [
    'orrery ingest --org 1 --type svc_meeting meetings.ndjson',
    '',
    'A line of a synced or generated type; the same external_id again updates the record:',
    '  {"external_id": "cal-17", "properties": {"svc_subject": "Kick-off"}, "associations":',
    '   [{"association_type": "svc_activity_to_contact", "target_id": "…"}]}',
    'A line of svc_company, which names a company that is there, by "id" or "match":',
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
    if (refused > 0) throw rowsRefused(refused);
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
      throw brokenOff(error, batch[0]?.number ?? 1);
    });
    for (const refusal of refusals.slice(0, Math.max(0, bounds.cli.refusalsPrinted - counts.refused))) tell(refusal);
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
    throw new Failure('invalid_file', `${what} cannot be read.`, 'Check its name and its rights.', error);
  }
}

function tell({ line, problem }: Refusal): void {
  process.stderr.write(`${refusalText(line, problem, bounds.cli.faultsPrintedPerLine)}\n`);
}

/** The database gave up in the middle: what is in stays in. */
function brokenOff(error: unknown, line: number): unknown {
  if (!(error instanceof Problem)) return error;
  const done = line === 1 ? 'Nothing is in yet.' : `All before line ${line} is in.`;
  const fix = 'Check that the database runs with "orrery doctor", then ingest it again: what is in does not change.';
  return new Failure('database_unreachable', `${error.message} ${done}`, fix, error);
}

function rowsRefused(refused: number): Failure {
  const sentence = refused === 1 ? 'One line was refused' : `${refused} lines were refused`;
  const told =
    refused > bounds.cli.refusalsPrinted ? `, the first ${bounds.cli.refusalsPrinted} of them told above` : '';
  const fix = 'Mend them and ingest the file again: what is in does not change.';
  return new Failure('rows_refused', `${sentence}${told}; all others are in.`, fix);
}
