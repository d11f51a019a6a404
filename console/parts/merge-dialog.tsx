// Merges two records of a type: one stays and takes the links of the other, and what it lacks.
import { useState } from 'react';
import { api } from '../data/api.ts';
import { useTitles } from '../data/other-end.ts';
import type { TypeDetail } from '../data/schema.ts';
import { texts } from '../text/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { RecordSearch } from './record-search.tsx';
import { messages } from './toasts.tsx';
import { Problem } from './values/value-editor.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly id: string;
  /** Looked for if it is not known. */
  readonly otherId?: string;
  readonly onClose: () => void;
  readonly onMerged: (kept: string) => void;
}

export function mayMerge({ writable_operations: writable }: TypeDetail): boolean {
  return writable.includes('update') && writable.includes('delete');
}

export function MergeDialog({ type, id, otherId, onClose, onMerged }: Props) {
  const [other, setOther] = useState(otherId);
  const [kept, setKept] = useState(id);
  const [state, setState] = useState<{ readonly isSaving: boolean; readonly error: unknown }>({
    isSaving: false,
    error: undefined,
  });
  const ids = other === undefined ? [id] : [id, other];
  const titles = useTitles(type, ids);
  const merge = async (duplicate: string) => {
    setState({ isSaving: true, error: undefined });
    try {
      const operation = { operation: 'merge', object_type: type.name, id: kept, duplicate_id: duplicate } as const;
      const { requestId } = await api.batch([operation], { atomic: true });
      messages.done(texts.merged, requestId);
      onMerged(kept);
      onClose();
    } catch (error) {
      setState({ isSaving: false, error });
    }
  };
  return (
    <Dialog title={texts.merge} className="narrow" onClose={onClose}>
      {other === undefined ? (
        <RecordSearch type={type} except={id} onChoose={(row) => setOther(row.id)} />
      ) : (
        <>
          <fieldset className="form-scroll">
            <legend className="sr-only">{texts.whichStays}</legend>
            <p className="quiet">{texts.mergeHelp}</p>
            {ids.map((each) => (
              <label key={each} className="choice">
                <input type="radio" name="kept" checked={kept === each} onChange={() => setKept(each)} />
                <span className="one-line">{texts.keep(titles.get(each) || texts.noName)}</span>
              </label>
            ))}
            {state.error !== undefined && <Problem error={state.error} />}
          </fieldset>
          <footer className="dialog-foot">
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button look="primary" disabled={state.isSaving} onClick={() => void merge(kept === id ? other : id)}>
              {state.isSaving ? texts.saving : texts.merge}
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
