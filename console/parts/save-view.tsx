// Saves what a page shows as a view, for everybody or for its owner alone. A view that was opened can be saved as it is now.
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { api, messageOf, requestIdOf } from '../data/api.ts';
import {
  definitionOf,
  pathOf,
  type SavedView,
  useSavedViews,
  type ViewKind,
  viewType,
  withoutView,
} from '../data/saved-views.ts';
import { type TypeDetail, useCatalog } from '../data/schema.ts';
import { openedMember } from '../data/view.ts';
import { texts } from '../text/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { messages } from './toasts.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly kind: ViewKind;
  /** What follows `?` in the address of the view, if that is more than the address of the page says. */
  readonly search: string | undefined;
}

/** Nothing for those who may not save views. */
export function SaveViewButton({ type, kind, search }: Props) {
  const { types } = useCatalog();
  const { views } = useSavedViews();
  const shown = useSearch();
  const [isOpen, setOpen] = useState(false);
  const writable = types.find(({ name }) => name === viewType)?.writable_operations ?? [];
  if (!writable.includes('create')) return null;
  const openedId = new URLSearchParams(shown).get(openedMember);
  const opened = views.find((each) => each.id === openedId && each.kind === kind && each.type === type.name);
  return (
    <>
      <Button icon="bookmark" className="narrow-icon" aria-label={texts.saveView} onClick={() => setOpen(true)}>
        <span>{texts.saveView}</span>
      </Button>
      {isOpen && (
        <SaveDialog
          view={{ kind, type: type.name, search: withoutView(search ?? shown) }}
          opened={writable.includes('update') ? opened : undefined}
          mayShare={writable.includes('associate')}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface DialogProps {
  readonly view: Pick<SavedView, 'kind' | 'type' | 'search'>;
  /** The view that can be changed to this one. */
  readonly opened: SavedView | undefined;
  readonly mayShare: boolean;
  readonly onClose: () => void;
}

function SaveDialog({ view, opened, mayShare, onClose }: DialogProps) {
  const { self } = useCatalog();
  const [name, setName] = useState(opened?.name ?? '');
  const [isPrivate, setPrivate] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [, go] = useLocation();
  const queries = useQueryClient();
  const id = useId();
  const records = api.records(viewType);
  const save = async (write: () => Promise<{ readonly data: { readonly id: string }; readonly requestId: string }>) => {
    try {
      const { data, requestId } = await write();
      messages.done(texts.viewSaved, requestId);
      await queries.invalidateQueries({ queryKey: ['records', viewType] });
      onClose();
      go(pathOf({ ...view, id: data.id }), { replace: true });
    } catch (error) {
      setFailure(error);
    }
  };
  const create = () =>
    save(async () => {
      const saved = await records.create({
        svc_name: name.trim(),
        svc_view_kind: view.kind,
        svc_object_type: view.type,
        svc_definition: definitionOf(view.search),
      });
      if (isPrivate) await records.deleteAssociation(saved.data.id, 'svc_record_to_org', String(self.org_id));
      return saved;
    });
  const change = ({ id: changed, version }: SavedView) =>
    save(() =>
      records.update(
        changed,
        { svc_name: name.trim(), svc_definition: definitionOf(view.search) },
        { ifMatch: version },
      ),
    );
  const isNamed = name.trim() !== '';
  return (
    <Dialog title={texts.saveView} onClose={onClose}>
      <form
        className="save-form"
        onSubmit={(event) => {
          event.preventDefault();
          void (opened === undefined ? create() : change(opened));
        }}
      >
        <label className="label" htmlFor={id}>
          {texts.name}
          <input id={id} className="input" required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        {mayShare && opened === undefined && (
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
          {opened !== undefined && (
            <Button disabled={!isNamed} onClick={() => void create()}>
              {texts.saveAsNew}
            </Button>
          )}
          <button type="submit" className="button primary" disabled={!isNamed}>
            {opened === undefined ? texts.save : texts.saveChanges}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
