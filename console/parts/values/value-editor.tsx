// Edits the value of a property with the editor of its field type, one line for each value of a list. What was typed stays until
// it is saved or the person leaves: a refusal keeps its words at the field, a conflict shows theirs and mine.
import { useId, useRef, useState } from 'react';
import type { Value } from '../../../client/main.ts';
import { OrreryProblem } from '../../../client/main.ts';
import { messageOf, requestIdOf } from '../../data/api.ts';
import { type Conflict, sameValue } from '../../data/write.ts';
import type { KnownProperty, Single } from '../../fields/field.ts';
import { fieldOf, valuesOf } from '../../fields/index.ts';
import { texts } from '../../text/texts.ts';
import { Button, Key } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { valueText } from './value.tsx';

interface Props {
  readonly property: KnownProperty;
  readonly value: unknown;
  /** Null clears it. Throws what was refused. */
  readonly save: (value: Value | null) => Promise<void>;
  readonly onClose: () => void;
  /** For many records at once: saved only when the person says so, and nothing is a value as well. */
  readonly isForMany?: boolean;
}

/** One value of a list while it is edited. */
interface Line {
  readonly key: number;
  readonly value: Single | undefined;
}

let lines = 0;

function newLine(value: Single | undefined): Line {
  return { key: lines++, value };
}

export function ValueEditor({ property, value, save, onClose, isForMany = false }: Props) {
  const field = fieldOf(property.field_type);
  const id = useId();
  const isByKey = useRef(false);
  const [draft, setDraft] = useState<readonly Line[]>(() => {
    const values = valuesOf(value as Value | undefined);
    return values.length === 0 ? [newLine(undefined)] : values.map(newLine);
  });
  const [state, setState] = useState<{ readonly isSaving: boolean; readonly error: unknown }>({
    isSaving: false,
    error: undefined,
  });
  const send = async (next: readonly Line[]) => {
    setState({ isSaving: true, error: undefined });
    const set = next.map((line) => line.value).filter((each): each is Single => each !== undefined);
    const single = property.multi_valued ? set : set[0];
    const sent = set.length === 0 ? null : (single as Value);
    try {
      if (isForMany || !sameValue(sent ?? undefined, value)) await save(sent);
      onClose();
    } catch (error) {
      setState({ isSaving: false, error });
    }
  };
  const change = (index: number, next: Single | undefined) => {
    const changed = draft.map((line, at) => (at === index ? { ...line, value: next } : line));
    setDraft(changed);
    // A choice by an arrow key may be on its way to the next one: Enter saves it.
    if (field.isChosen && !property.multi_valued && !isForMany && !isByKey.current) void send(changed);
  };
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void send(draft);
      }}
      onPointerDown={() => {
        isByKey.current = false;
      }}
      onKeyDown={(event) => {
        isByKey.current = true;
        if (event.key === 'Enter' && event.target instanceof HTMLSelectElement) {
          event.preventDefault();
          void send(draft);
        }
        if (event.key === 'Escape') onClose();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send(draft);
      }}
    >
      {draft.map((line, index) => (
        <div className="editor-line" key={line.key}>
          <field.Edit
            id={`${id}-${index}`}
            value={line.value}
            property={property}
            label={property.label}
            invalid={state.error !== undefined}
            autoFocus={index === 0}
            onChange={(next) => change(index, next)}
          />
          {property.multi_valued && (
            <Button
              look="quiet"
              icon="close"
              aria-label={`${texts.removeValue} ${index + 1}`}
              onClick={() =>
                setDraft(draft.length === 1 ? [newLine(undefined)] : draft.filter((_, at) => at !== index))
              }
            />
          )}
        </div>
      ))}
      {state.error !== undefined && <Problem error={state.error} property={property} />}
      <div className="editor-foot">
        {property.multi_valued && (
          <Button look="quiet" size="small" icon="plus" onClick={() => setDraft([...draft, newLine(undefined)])}>
            {texts.addValue}
          </Button>
        )}
        {state.error !== undefined && (
          <Button look="quiet" size="small" onClick={onClose}>
            {value === undefined ? texts.cancel : texts.putBack(valueText(value, property))}
          </Button>
        )}
        <span className="grow" />
        <button type="submit" className="button plain small" disabled={state.isSaving}>
          {state.isSaving ? texts.saving : state.error === undefined ? texts.save : texts.saveAgain}
          <Key>{property.field_type === 'long_text' ? 'Ctrl Enter' : 'Enter'}</Key>
        </button>
      </div>
    </form>
  );
}

/** The problem's own words for this property, and the request by which the log knows it. */
export function Problem({ error, property }: { readonly error: unknown; readonly property?: KnownProperty }) {
  const faults = error instanceof OrreryProblem ? error.errors : [];
  const own = faults.filter((fault) => property === undefined || fault.property === property.name);
  const words = own.length > 0 ? own.map(({ detail }) => detail) : [messageOf(error)];
  const requestId = requestIdOf(error);
  return (
    <div className="problem" role="alert">
      {words.map((word) => (
        <p key={word}>
          <Icon name="warning" />
          {word}
        </p>
      ))}
      {requestId !== undefined && <p className="quiet figures">{`${texts.request} …${requestId.slice(-12)}`}</p>}
    </div>
  );
}

/** Theirs and mine, side by side. */
export function ConflictNote({
  conflict,
  mine,
  property,
  onTheirs,
  onMine,
}: {
  readonly conflict: Conflict;
  readonly mine: unknown;
  readonly property: KnownProperty;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}) {
  const theirs = conflict.theirs.properties[property.name];
  return (
    <div className="conflict" role="alert">
      <p>{conflict.message}</p>
      <div className="conflict-sides">
        {(
          [
            [texts.theirs, theirs, onTheirs],
            [texts.mine, mine, onMine],
          ] as const
        ).map(([label, value, choose]) => (
          <div key={label}>
            <p className="quiet">{label}</p>
            <p className="conflict-value">{valueText(value, property) || texts.nothing}</p>
            <Button size="small" onClick={choose}>
              {label === texts.mine ? texts.keepMine : texts.keepTheirs}
            </Button>
          </div>
        ))}
      </div>
    </div>
  );
}
