// Moments, shown and typed in the reader's time zone.
import { useState } from 'react';
import { localInputText, momentText, withOffset } from '../text/locale.ts';
import type { EditProps, Field } from './field.ts';
import { plain } from './typed.tsx';

/** Shown and typed in the reader's time zone; sent with its offset. */
function Edit({ id, value, onChange, label, invalid, autoFocus }: EditProps) {
  const [typed, setTyped] = useState(() => localInputText(plain(value)));
  return (
    <input
      id={id}
      className="input"
      type="datetime-local"
      aria-label={label}
      aria-invalid={invalid}
      // biome-ignore lint/a11y/noAutofocus: an editor that a person opens gets the focus.
      autoFocus={autoFocus}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(event.target.value === '' ? undefined : withOffset(event.target.value));
      }}
    />
  );
}

export const datetime: Field = { text: (value) => momentText(plain(value)), Edit, width: 150 };
