// The item of a batch that takes back what a request or an import wrote.
import { counted } from '../../base/counted.ts';
import { bounds } from '../../base/limits.ts';
import { Problem, problemOf } from '../../base/problem.ts';
import { findUndone, revertAll, type UndoneName, undoneLookups, type Verdict } from '../../engine/undo/revert.ts';
import { itemShapes, type UndoneRecords } from '../shapes/batch.ts';
import { type ParsedItem, type UnpreparedItem, withShape } from './batch-item.ts';

export const parseRevert = withShape(itemShapes.revert, (_, item, at): UnpreparedItem => {
  const name = nameOf(item, at);
  return {
    ref: undefined,
    prepare: async (call, room): Promise<ParsedItem> => {
      if (room <= 0) throw tooMany();
      const undone = await findUndone(call, name, call.engine.feedCursorMs);
      if (undone.records.length > room) throw tooMany();
      return {
        ref: undefined,
        isCreate: false,
        records: undone.records.length,
        lookups: undoneLookups(undone),
        run: async (unit) => ({ status: 200, undone: undoneRecords(await revertAll(unit, undone)) }),
      };
    },
  };
});

function nameOf(item: { readonly request_id?: string; readonly job_id?: string }, at: string): UndoneName {
  const { request_id: request, job_id: job } = item;
  if (request !== undefined && job === undefined) return { kind: 'request', id: request };
  if (job !== undefined && request === undefined) return { kind: 'job', id: job };
  const detail = 'Expected either `request_id` or `job_id`, and not both.';
  throw problemOf('invalid_request', [{ pointer: at, reason: 'invalid_member', detail }]);
}

function tooMany(): Problem {
  const most = counted(bounds.engine.revertedRecords);
  const detail = `All items of a batch together can take back at most ${most} records. Send this one in another batch.`;
  return new Problem('payload_too_large', 'too_many_operations', detail);
}

/** The records as an answer lists them. There may be more than these verdicts tell of, if the counts say so. */
export function undoneRecords(verdicts: readonly Verdict[], counts?: UndoneRecords['counts']): UndoneRecords {
  const { revertsListed } = bounds.operations;
  const named = ({ typeName, id }: Verdict) => ({ object_type: typeName, id });
  const reverted = verdicts.filter((verdict) => verdict.reverted);
  const kept = verdicts.filter((verdict) => verdict.kept);
  const refused = verdicts.filter((verdict) => verdict.refused !== undefined);
  return {
    reverted: reverted.slice(0, revertsListed).map(named),
    kept: kept.slice(0, revertsListed).map(named),
    refused: refused.slice(0, revertsListed).map((verdict) => ({ ...named(verdict), reason: verdict.refused ?? '' })),
    counts: counts ?? { reverted: reverted.length, kept: kept.length, refused: refused.length },
  };
}
