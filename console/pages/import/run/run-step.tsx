// A run under way or at its end, with everything that can be done about it.
import { useState } from 'react';
import type { Progress } from '../../../data/import/messages.ts';
import { Button } from '../../../parts/button.tsx';
import { importTexts } from '../../../text/import-texts.ts';
import type { HeldImport } from '../held-import.ts';
import { isUnderWay } from '../steps.ts';
import { RefusedButton, RefusedRows } from './refused-rows.tsx';
import { RunPanel } from './run-panel.tsx';
import { UndoDialog } from './undo-dialog.tsx';

interface Props {
  readonly held: HeldImport;
  readonly progress: Progress;
}

export function RunStep({ held, progress }: Props) {
  const { session, state, go, run } = held;
  const { kind, refused, total } = progress;
  const isOver = !isUnderWay(progress);
  const name = kind === 'dry run' ? state.file?.name : state.saved?.fileName;
  const fileName = name ?? '';
  return (
    <>
      <RunPanel progress={progress}>
        {isOver && (
          <div className="import-actions">
            {progress.state === 'in doubt' && (
              <>
                <Button onClick={() => run('send again')}>{importTexts.sendAgain}</Button>
                <Button onClick={() => run('leave out')}>{importTexts.leaveOut}</Button>
              </>
            )}
            {kind === 'dry run' && <Button onClick={() => go('columns')}>{importTexts.changeColumns}</Button>}
            {kind !== 'dry run' && progress.state === 'done' && (
              <Button onClick={() => go('file')}>{importTexts.next}</Button>
            )}
            {kind !== 'undo' && refused > 0 && (
              <RefusedButton session={session} fileName={fileName} refused={refused} />
            )}
            {kind === 'import' && progress.created + progress.updated > 0 && <UndoButton held={held} />}
          </div>
        )}
        {kind === 'dry run' && isOver && refused === total && <p>{importTexts.nothingToImport}</p>}
      </RunPanel>
      {isOver && kind !== 'undo' && refused > 0 && <RefusedRows session={session} progress={progress} />}
    </>
  );
}

export function UndoButton({ held }: { readonly held: HeldImport }) {
  const [isAsking, setAsking] = useState(false);
  const progress = held.state.progress ?? held.state.saved?.progress;
  const undo = () => {
    setAsking(false);
    held.run('undo');
  };
  return (
    <>
      <Button look="danger" icon="undo" onClick={() => setAsking(true)}>
        {importTexts.undo}
      </Button>
      {isAsking && (
        <UndoDialog
          rows={(progress?.created ?? 0) + (progress?.updated ?? 0)}
          onUndo={undo}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
