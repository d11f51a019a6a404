// Text of several lines.
import type { EditProps, Field } from './field.ts';
import { plain } from './typed.tsx';

function Edit({ id, value, onChange, label, invalid, autoFocus }: EditProps) {
  return (
    <textarea
      id={id}
      className="input textarea"
      rows={4}
      aria-label={label}
      aria-invalid={invalid}
      // biome-ignore lint/a11y/noAutofocus: an editor that a person opens gets the focus.
      autoFocus={autoFocus}
      value={plain(value)}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    />
  );
}

export const longText: Field = { text: (value) => plain(value).replace(/\s+/g, ' '), Edit, width: 260 };
