// orrery revert: takes back what a request or an import wrote, however many records that are.
import { Failure } from '../base/failure.ts';
import { bounds } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { UndoneName, Verdict } from '../engine/undo/revert.ts';
import { dryRevert, type RevertRequest, revertAsJob } from '../engine/undo/revert-job.ts';
import { undoneRecords } from '../operations/shared/revert-item.ts';
import type { Command, Options } from './command.ts';
import { parseOrgId, usage } from './terminal/arguments.ts';
import { openProgress } from './terminal/progress.ts';
import { plural } from './terminal/text.ts';
import { withEngine } from './with-database.ts';

export const revert: Command = {
  name: 'revert',
  summary: 'Take back what a request or an import wrote',
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--request <ID>', description: 'the request, by the id in its answer' },
    { flags: '--job <ID>', description: 'the import, as "jobs list" shows it' },
    { flags: '--dry-run', description: 'tell what would happen and change nothing' },
  ],
  example: [
    'orrery revert --org 1 --job 0199b1a2-7c5e-7000-8f00-2b1d4c6e8a90 --dry-run',
    '',
    'What somebody has changed since stays as it is. To continue an interrupted revert, run the same command again. A dry',
    'run is one transaction that is rolled back: until it ends, nobody else can change the records.',
  ].join('\n'),
  run: async (context) => {
    const { options, config } = context;
    const orgId = parseOrgId(options.text('org'));
    const name = undoneName(options);
    const dryRun = options.flag('dryRun');
    const told: Verdict[] = [];
    const progress = openProgress('records');
    const request: RevertRequest = {
      orgId,
      name,
      keptMs: config.changesDays * 86_400_000,
      progressed: (counts, verdicts) => {
        keep(told, verdicts);
        progress.show({ done: counts.reverted, ...(counts.kept > 0 ? { note: `${counts.kept} kept` } : {}) });
      },
    };
    const run = dryRun ? dryRevert : revertAsJob;
    const done = await withEngine(context, (engine) => run(engine, request)).catch(failed);
    progress.clear();
    const { reverted, kept, refused } = done;
    const job = 'jobId' in done ? { job_id: done.jobId } : {};
    const would = dryRun ? 'It would take back' : 'Took back';
    const parts = [
      `${would} ${plural(reverted, 'record')}.`,
      ...(kept > 0 ? [`${plural(kept, 'record')} kept, because somebody has changed them since.`] : []),
      ...(refused > 0 ? [`${plural(refused, 'record')} refused.`] : []),
    ];
    context.print(
      { org_id: orgId, ...job, dry_run: dryRun, ...undoneRecords(told, { reverted, kept, refused }) },
      parts.join(' '),
    );
  },
};

function undoneName(options: Options): UndoneName {
  const request = options.text('request');
  const job = options.text('job');
  if (request !== undefined && job === undefined) return { kind: 'request', id: request };
  if (job !== undefined && request === undefined) return { kind: 'job', id: job };
  throw usage('A revert needs one request or one import.', 'Give either --request or --job.');
}

/** Keeps as many of each kind as are printed. */
function keep(told: Verdict[], verdicts: readonly Verdict[]): void {
  const most = bounds.operations.revertsListed;
  const lists = [
    (each: Verdict) => each.reverted,
    (each: Verdict) => each.kept,
    (each: Verdict) => each.refused !== undefined,
  ];
  const isFull = lists.map((belongs) => told.filter(belongs).length >= most);
  told.push(
    ...verdicts.filter((verdict) => lists.some((belongs, index) => isFull[index] === false && belongs(verdict))),
  );
}

function failed(error: unknown): never {
  if (!(error instanceof Problem) || !['not_found', 'gone'].includes(error.code)) throw error;
  throw new Failure('not_found', error.message, 'The answers of requests and "orrery jobs list" have the ids.', error);
}
