// Takes an import back, the newest batch first: by the same rules as any undo, whatever somebody has changed since stays.
import { OrreryProblem } from '../../../../client/main.ts';
import type { KeptImport } from '../kept-import.ts';
import type { Progress } from '../messages.ts';
import type { RunContext } from './run-context.ts';
import { Sender, Stopped } from './sender.ts';

export class UndoRun {
  readonly #context: RunContext;
  readonly #sender: Sender;
  #kept: KeptImport;

  constructor(context: RunContext, kept: KeptImport) {
    this.#context = context;
    this.#kept = kept;
    this.#sender = new Sender(context.stop, (detail) => {
      context.tell(undoProgress(this.#kept, detail === undefined ? 'running' : 'waiting', detail));
    });
  }

  /** Resolves with the import as it is kept: `undone` says how far it has come. */
  async run(): Promise<KeptImport> {
    const { client, tell } = this.#context;
    const { id, requestIds } = this.#kept;
    let undone = this.#kept.undone ?? { batches: 0, of: requestIds.length, reverted: 0, kept: 0, refused: 0 };
    await this.#keep({ ...this.#kept, undone, pending: null });
    try {
      while (undone.batches < undone.of) {
        tell(undoProgress(this.#kept, 'running'));
        const requestId = requestIds[undone.of - 1 - undone.batches] ?? '';
        const idempotencyKey = `undo-${id}-${undone.batches}`;
        const counts = await this.#sender.send(() =>
          client.revert({ requestId }, { idempotencyKey }).then(({ data }) => data.counts, nothingLeft),
        );
        undone = {
          ...undone,
          batches: undone.batches + 1,
          reverted: undone.reverted + counts.reverted,
          kept: undone.kept + counts.kept,
          refused: undone.refused + counts.refused,
        };
        await this.#keep({ ...this.#kept, undone });
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      return this.#kept;
    }
    return this.#kept;
  }

  async #keep(kept: KeptImport): Promise<void> {
    await this.#context.store.save(kept);
    this.#kept = kept;
  }
}

/** A request of which nothing is left has nothing to take back. */
function nothingLeft(error: unknown): { readonly reverted: 0; readonly kept: 0; readonly refused: 0 } {
  if (error instanceof OrreryProblem && error.code === 'not_found') return { reverted: 0, kept: 0, refused: 0 };
  throw error;
}

export function undoProgress(
  { counts, total, undone }: KeptImport,
  state: Progress['state'],
  detail?: string,
): Progress {
  const pace = { rowsPerSecond: 0, secondsLeft: undefined };
  const said = { ...(undone === undefined ? {} : { undone }), ...(detail === undefined ? {} : { detail }) };
  return { kind: 'undo', ...counts, total, state, ...pace, ...said };
}
