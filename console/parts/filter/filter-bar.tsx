// Search and filters: a chip for each condition, and a builder with the operators of each field type.
import { useEffect, useRef, useState } from 'react';
import type { TypeDetail } from '../../data/schema.ts';
import type { Condition, View } from '../../data/view.ts';
import { texts } from '../../text/texts.ts';
import { Key } from '../button.tsx';
import { Float } from '../float.tsx';
import { Icon } from '../icon.tsx';
import { ConditionEditor } from './condition-editor.tsx';
import { isGone, nameOf } from './condition-text.ts';
import { ConditionWords } from './condition-words.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly view: View;
  readonly onChange: (change: Partial<View>) => void;
}

export function FilterBar({ type, view, onChange }: Props) {
  const { conditions } = view;
  const replace = (index: number, condition: Condition | undefined) =>
    onChange({
      conditions: conditions.flatMap((each, at) => {
        if (at !== index) return [each];
        return condition === undefined ? [] : [condition];
      }),
    });
  return (
    <>
      <SearchBox type={type} search={view.search} onChange={(search) => onChange({ search })} />
      {conditions.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition is known by its place.
        <Chip key={index} type={type} condition={condition} onChange={(next) => replace(index, next)} />
      ))}
      <AddFilter type={type} onAdd={(condition) => onChange({ conditions: [...conditions, condition] })} />
    </>
  );
}

/** What is typed is asked for a moment after the last key. */
const typingMs = 200;

function SearchBox({
  type,
  search,
  onChange,
}: {
  readonly type: TypeDetail;
  readonly search: string;
  readonly onChange: (search: string) => void;
}) {
  const [typed, setTyped] = useState(search);
  const box = useRef<HTMLInputElement>(null);
  const newest = useRef(onChange);
  newest.current = onChange;
  useEffect(() => setTyped(search), [search]);
  useEffect(() => {
    if (typed === search) return;
    const timer = setTimeout(() => newest.current(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed, search]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <label className="search-box">
      <Icon name="search" />
      <input
        ref={box}
        type="search"
        aria-label={texts.searchIn(type.plural_label)}
        placeholder={texts.searchIn(type.plural_label)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Key>/</Key>
    </label>
  );
}

function Chip({
  type,
  condition,
  onChange,
}: {
  readonly type: TypeDetail;
  readonly condition: Condition;
  readonly onChange: (condition: Condition | undefined) => void;
}) {
  const name = nameOf(type, condition);
  return (
    <span className={isGone(type, condition) ? 'chip invalid' : 'chip'}>
      <Float
        label={name}
        role="dialog"
        className="popup"
        button={{
          className: 'chip-text',
          content: (
            <>
              {isGone(type, condition) && <Icon name="warning" />}
              <ConditionWords type={type} condition={condition} />
            </>
          ),
        }}
      >
        {(close) => (
          <ConditionEditor
            type={type}
            condition={condition}
            onSave={(next) => {
              onChange(next);
              close();
            }}
          />
        )}
      </Float>
      <button
        type="button"
        className="chip-close"
        aria-label={texts.removeFilter(name)}
        onClick={() => onChange(undefined)}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

function AddFilter({ type, onAdd }: { readonly type: TypeDetail; readonly onAdd: (condition: Condition) => void }) {
  return (
    <Float
      label={texts.filter}
      role="dialog"
      className="popup"
      button={{
        className: 'button quiet add-filter',
        content: (
          <>
            <Icon name="plus" />
            {texts.filter}
          </>
        ),
      }}
    >
      {(close) => (
        <ConditionEditor
          type={type}
          onSave={(condition) => {
            onAdd(condition);
            close();
          }}
        />
      )}
    </Float>
  );
}
