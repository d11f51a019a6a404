// Before an unfinished import is given up for another one, somebody says so.
import type { SavedRun } from '../../../data/import/messages.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { importTexts } from '../../../text/import-texts.ts';
import { texts } from '../../../text/texts.ts';

interface Props {
  readonly saved: SavedRun;
  readonly onReplace: () => void;
  readonly onClose: () => void;
}

export function ReplaceDialog({ saved: { fileName, progress }, onReplace, onClose }: Props) {
  const { kind, rows, total } = progress;
  return (
    <Dialog title={importTexts.replaceTitle} className="confirm" onClose={onClose}>
      <p className="form-scroll">
        {kind === 'undo' ? importTexts.replaceUndo(fileName) : importTexts.replaceAsk(fileName, rows, total)}
      </p>
      <footer className="dialog-foot">
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button look="danger" onClick={onReplace}>
          {importTexts.replace}
        </Button>
      </footer>
    </Dialog>
  );
}
