// Writes a note that is linked with the record, or a task, if the caller may. What was typed stays until it is saved.
import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { dueProperty, noteType } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { type TypeDetail, useMaybeType } from '../../data/schema.ts';
import { Key } from '../../parts/button.tsx';
import { messages } from '../../parts/toasts.tsx';
import { withOffset } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { noteLink } from './tasks.ts';

/** A first line that is longer is the beginning of the body. */
const titleMost = 120;

export function Composer({ type, id }: { readonly type: TypeDetail; readonly id: string }) {
  const note = useMaybeType(noteType);
  const link = noteLink(type);
  const [kind, setKind] = useState<'note' | 'task'>('note');
  const [text, setText] = useState('');
  const [due, setDue] = useState('');
  const [isSaving, setSaving] = useState(false);
  const queries = useQueryClient();
  const may = note?.writable_operations.includes('create') && note.writable_operations.includes('associate');
  if (note === undefined || link === undefined || may !== true) return null;
  const isComplete = text.trim() !== '' && (kind === 'note' || due !== '');
  const save = async () => {
    if (!isComplete || isSaving) return;
    setSaving(true);
    try {
      const { requestId } = await api
        .records(noteType)
        .create(
          { ...partsOf(text.trim()), ...(kind === 'task' ? { [dueProperty]: withOffset(`${due}T17:00`) } : {}) },
          { associations: [{ association_type: link.name, target_id: id }] },
        );
      setText('');
      setDue('');
      messages.done(kind === 'task' ? texts.taskSaved : texts.noteSaved, requestId);
      await queries.invalidateQueries({ queryKey: ['records', type.name, 'linked', id] });
    } catch (error) {
      messages.failed(error);
    } finally {
      setSaving(false);
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
  };
  return (
    <div className="composer" data-open={text !== '' || undefined}>
      <div className="tabs plain-tabs composer-tabs">
        {(['note', 'task'] as const).map((each) => (
          <button key={each} type="button" className="tab" aria-pressed={kind === each} onClick={() => setKind(each)}>
            {texts.composed[each]}
          </button>
        ))}
      </div>
      <textarea
        className="composer-text"
        rows={text === '' ? 1 : 4}
        aria-label={texts.write[kind]}
        placeholder={texts.write[kind]}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        readOnly={isSaving}
      />
      {text !== '' && (
        <div className="editor-foot">
          {kind === 'task' && (
            <label className="due">
              {texts.dueOn}
              <input
                className="input"
                type="date"
                required
                value={due}
                onChange={(event) => setDue(event.target.value)}
              />
            </label>
          )}
          <span className="grow" />
          <Key>Ctrl Enter</Key>
          <button
            type="button"
            className="button primary"
            disabled={isSaving || !isComplete}
            onClick={() => void save()}
          >
            {isSaving ? texts.saving : texts.saveComposed[kind]}
          </button>
        </div>
      )}
    </div>
  );
}

/** The first line is the title, unless it is long. */
function partsOf(text: string): { readonly svc_title: string; readonly svc_body?: string } {
  const [first = '', ...others] = text.split('\n');
  if (first.length > titleMost) return { svc_title: `${first.slice(0, titleMost - 1)}…`, svc_body: text };
  const body = others.join('\n').trim();
  return body === '' ? { svc_title: first } : { svc_title: first, svc_body: body };
}
