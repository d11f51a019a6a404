// Before a whole import is taken back, somebody says so.
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { importTexts } from '../../../text/import-texts.ts';
import { texts } from '../../../text/texts.ts';

interface Props {
  /** How many rows wrote something. */
  readonly rows: number;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}

export function UndoDialog({ rows, onUndo, onClose }: Props) {
  return (
    <Dialog title={importTexts.undo} className="confirm" onClose={onClose}>
      <p className="form-scroll">{importTexts.undoAsk(rows)}</p>
      <footer className="dialog-foot">
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button look="primary" onClick={onUndo}>
          {texts.undo}
        </Button>
      </footer>
    </Dialog>
  );
}
