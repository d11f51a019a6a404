// Something that may break something: a dry run tells before the click whether it can be done. If not, the dialog says why, in the
// problem's own words, and the way to do it.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { OrreryProblem } from '../../../../client/main.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Problem } from '../../../parts/values/value-editor.tsx';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';

interface Props<T> {
  readonly title: string;
  /** What it does, if it can be done. */
  readonly text: (checked: T) => ReactNode;
  /** Whether it would do nothing. */
  readonly isVain?: (checked: T) => boolean;
  readonly confirm: string;
  /** The write with nothing stored. Throws what would be refused. */
  readonly check: () => Promise<T>;
  /** Throws what was refused after all. */
  readonly run: () => Promise<unknown>;
  /** How a refusal is resolved, by its reason. */
  readonly wayOf?: (reason: string) => ReactNode;
  readonly onClose: () => void;
}

export function CheckedDialog<T>({ title, text, isVain, confirm, check, run, wayOf, onClose }: Props<T>) {
  const id = useId();
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly error?: unknown }>({ isRunning: false });
  const checked = useQuery({
    queryKey: ['dry-run', id],
    queryFn: check,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
    throwOnError: false,
  });
  const error = state.error ?? checked.error ?? undefined;
  const send = async () => {
    setState({ isRunning: true });
    try {
      await run();
      onClose();
    } catch (refused) {
      setState({ isRunning: false, error: refused });
    }
  };
  const reason = error instanceof OrreryProblem ? error.reason : undefined;
  return (
    <Dialog title={title} className="confirm" onClose={onClose}>
      <div className="form-scroll" aria-busy={checked.isPending}>
        {checked.isPending && <p className="quiet">{settingsTexts.checking}</p>}
        {checked.isSuccess && error === undefined && <p>{text(checked.data)}</p>}
        {error !== undefined && (
          <>
            <p className="strong">{settingsTexts.cannot}</p>
            <Problem error={error} />
            {reason !== undefined && <p>{wayOf?.(reason)}</p>}
          </>
        )}
      </div>
      <footer className="dialog-foot">
        <Button onClick={onClose}>{error === undefined ? texts.cancel : texts.close}</Button>
        {error === undefined && (
          <Button
            look="danger"
            disabled={!checked.isSuccess || state.isRunning || isVain?.(checked.data)}
            onClick={() => void send()}
          >
            {state.isRunning ? texts.saving : confirm}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}
