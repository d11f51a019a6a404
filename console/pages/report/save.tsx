// Saves a report as a view of the org, for everybody or for its owner alone.
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../../app/routes.ts';
import { api, messageOf, requestIdOf } from '../../data/api.ts';
import { type TypeDetail, useCatalog } from '../../data/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { messages } from '../../parts/toasts.tsx';
import { texts } from '../../text/texts.ts';

export const viewType = 'svc_view';

interface Props {
  readonly type: TypeDetail;
  /** The part of the address after `?`. */
  readonly definition: string;
}

/** Nothing for those who may not save views. */
export function SaveButton({ type, definition }: Props) {
  const { types } = useCatalog();
  const [isOpen, setOpen] = useState(false);
  const views = types.find(({ name }) => name === viewType);
  if (views?.writable_operations.includes('create') !== true) return null;
  const mayShare = views.writable_operations.includes('associate');
  return (
    <>
      <Button icon="bookmark" className="narrow-icon" aria-label={texts.saveReport} onClick={() => setOpen(true)}>
        <span>{texts.saveReport}</span>
      </Button>
      {isOpen && <SaveDialog type={type} definition={definition} mayShare={mayShare} onClose={() => setOpen(false)} />}
    </>
  );
}

function SaveDialog({
  type,
  definition,
  mayShare,
  onClose,
}: Props & { readonly mayShare: boolean; readonly onClose: () => void }) {
  const { self } = useCatalog();
  const [name, setName] = useState('');
  const [isPrivate, setPrivate] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [, go] = useLocation();
  const queries = useQueryClient();
  const id = useId();
  const save = async () => {
    try {
      const saved = await api.records(viewType).create({
        svc_name: name.trim(),
        svc_view_kind: 'report',
        svc_object_type: type.name,
        svc_definition: JSON.stringify({ search: definition }),
      });
      if (isPrivate) {
        await api.records(viewType).deleteAssociation(saved.data.id, 'svc_record_to_org', String(self.org_id));
      }
      messages.done(texts.reportSaved, saved.requestId);
      await queries.invalidateQueries({ queryKey: ['records', viewType] });
      onClose();
      go(paths.reports());
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <Dialog title={texts.saveReport} onClose={onClose}>
      <form
        className="save-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label className="label" htmlFor={id}>
          {texts.name}
          <input id={id} className="input" required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        {mayShare && (
          <label className="choice">
            <input type="checkbox" checked={isPrivate} onChange={(event) => setPrivate(event.target.checked)} />
            {texts.onlyForMe}
          </label>
        )}
        {failure !== undefined && (
          <p className="problem" role="alert">
            {`${messageOf(failure)} ${requestIdOf(failure) ?? ''}`}
          </p>
        )}
        <div className="editor-foot">
          <span className="grow" />
          <Button onClick={onClose}>{texts.cancel}</Button>
          <button type="submit" className="button primary" disabled={name.trim() === ''}>
            {texts.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
