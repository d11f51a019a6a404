// Changes of many records at once, as batches: what succeeded can be undone, and what failed is told with its reason.
import type { AnySchema, BatchItemResult, BatchOperation } from '../../client/main.ts';
import { api, messageOf } from './api.ts';

export interface BulkResult {
  readonly succeeded: number;
  /** One for each batch: undoing all of them takes everything back. */
  readonly requestIds: readonly string[];
  readonly failures: readonly { readonly id: string; readonly detail: string }[];
}

/** Operations of one batch: few enough that each takes a moment. */
const atOnce = 200;

export async function runBulk(
  ids: readonly string[],
  operationOf: (id: string) => BatchOperation<AnySchema>,
  onProgress: (done: number) => void,
): Promise<BulkResult> {
  const requestIds: string[] = [];
  const failures: { id: string; detail: string }[] = [];
  let succeeded = 0;
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    try {
      const { data, requestId } = await api.batch(some.map(operationOf));
      requestIds.push(requestId);
      succeeded += data.succeeded;
      failures.push(...data.results.flatMap((result) => failureOf(result, some)));
    } catch (error) {
      // What was done before can still be undone; the rest has failed for the same reason.
      failures.push(...ids.slice(from).map((id) => ({ id, detail: messageOf(error) })));
      break;
    }
    onProgress(from + some.length);
  }
  return { succeeded, requestIds, failures };
}

function failureOf({ index, problem }: BatchItemResult, ids: readonly string[]): { id: string; detail: string }[] {
  return problem === undefined ? [] : [{ id: ids[index] ?? '', detail: problem.detail }];
}
