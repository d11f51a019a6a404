// A form in a dialog. What was refused stays as it was typed, with the problem's own words.
import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Problem } from '../../../parts/values/value-editor.tsx';
import { texts } from '../../../text/texts.ts';
import { faultyNames } from './record-fields.tsx';

interface Props {
  readonly title: string;
  readonly submit: string;
  /** The names of the fields that show their own faults. */
  readonly own?: readonly string[];
  /** Throws what was refused; otherwise it closes the dialog, or goes on to the next one. */
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  readonly isDisabled?: boolean;
  readonly children: (error: unknown) => ReactNode;
}

export function FormDialog({ title, submit, own = [], onSubmit, onClose, isDisabled = false, children }: Props) {
  const [state, setState] = useState<{ readonly isSaving: boolean; readonly error?: unknown }>({ isSaving: false });
  const send = async () => {
    setState({ isSaving: true });
    try {
      await onSubmit();
    } catch (error) {
      setState({ isSaving: false, error });
    }
  };
  const faulty = faultyNames(state.error);
  const isElsewhere = state.error !== undefined && !own.some((name) => faulty.has(name));
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div className="form-scroll">
          {children(state.error)}
          {isElsewhere && <Problem error={state.error} />}
        </div>
        <footer className="dialog-foot">
          <Button onClick={onClose}>{texts.cancel}</Button>
          <button type="submit" className="button primary" disabled={state.isSaving || isDisabled}>
            {state.isSaving ? texts.saving : submit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
