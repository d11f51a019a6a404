// Takes back what a request or an import wrote. How much of it would go back is said before the click.
import { api } from '../../../data/api.ts';
import { operationTexts } from '../../../text/operation-texts.ts';
import { texts } from '../../../text/texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { useWrite } from '../parts/platform.ts';

interface Props {
  readonly undone: { readonly requestId: string } | { readonly jobId: string };
  readonly onClose: () => void;
}

export function UndoDialog({ undone, onClose }: Props) {
  const write = useWrite();
  return (
    <CheckedDialog
      title={operationTexts.undoTitle}
      text={({ reverted, kept, refused }) => operationTexts.undoText(reverted, kept + refused)}
      isVain={({ reverted }) => reverted === 0}
      confirm={texts.undo}
      check={async () => (await api.revert(undone, { dryRun: true })).data.counts}
      run={() => write(() => api.revert(undone), texts.undone)}
      onClose={onClose}
    />
  );
}
