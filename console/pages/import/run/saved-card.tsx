// The import that this browser keeps: one that was interrupted goes on, and one that is done can still be undone.
import { Link } from 'wouter';
import { paths } from '../../../app/routes.ts';
import type { SavedRun } from '../../../data/import/messages.ts';
import { type TypeDetail, useCatalog } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { importTexts } from '../../../text/import-texts.ts';
import { momentText } from '../../../text/locale.ts';
import type { HeldImport } from '../held-import.ts';
import { RefusedButton } from './refused-rows.tsx';
import { UndoButton } from './run-step.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly held: HeldImport;
  readonly saved: SavedRun;
}

export function SavedCard({ type, held, saved }: Props) {
  const { types } = useCatalog();
  const { session, run, state } = held;
  const { progress, fileName, startedAt, typeName } = saved;
  const isDone = progress.state === 'done';
  const other = types.find(({ name }) => name === typeName && name !== type.name);
  if (state.isElsewhere) {
    return (
      <section className="import-saved" data-look="warn" aria-label={importTexts.elsewhere}>
        <h2 data-lead tabIndex={-1}>
          {importTexts.elsewhere}
        </h2>
        <p>{importTexts.elsewhereText(fileName)}</p>
      </section>
    );
  }
  const title = isDone ? importTexts.last : importTexts.interrupted;
  return (
    <section className="import-saved" data-look={isDone ? undefined : 'warn'} aria-label={title}>
      <h2 data-lead={isDone ? undefined : true} tabIndex={-1}>
        {title}
      </h2>
      <p>
        {savedText(saved)} <time>{momentText(startedAt)}</time>
      </p>
      {!isDone && <p className="quiet">{importTexts.stillHere}</p>}
      <div className="import-actions">
        {other !== undefined && (
          <Link className="button plain" href={paths.import(other.name)}>
            {importTexts.ofOther(importTexts.title(other.plural_label))}
          </Link>
        )}
        {other === undefined && !isDone && <Button onClick={() => run('go on')}>{importTexts.goOn}</Button>}
        {progress.kind === 'import' && progress.refused > 0 && (
          <RefusedButton session={session} fileName={fileName} refused={progress.refused} />
        )}
        {other === undefined && progress.kind === 'import' && <UndoButton held={held} />}
        <Button look="quiet" onClick={() => void session.forget()}>
          {importTexts.forget}
        </Button>
      </div>
    </section>
  );
}

function savedText({ fileName, progress: { kind, state, created, updated, refused, rows, total } }: SavedRun): string {
  if (kind === 'undo') return state === 'done' ? importTexts.savedUndone(fileName) : importTexts.savedUndoing(fileName);
  if (state !== 'done') return importTexts.savedText(fileName, rows, total);
  return importTexts.savedDone(fileName, created, updated, refused);
}
