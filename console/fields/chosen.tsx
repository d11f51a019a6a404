// The editor of values that are chosen from a list.
import type { EditProps, KnownProperty } from './field.ts';
import { plain } from './typed.tsx';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function chosen(choicesOf: (property: KnownProperty) => readonly Choice[]) {
  return function Chosen({ id, value, property, onChange, label, invalid, autoFocus }: EditProps) {
    const choices = choicesOf(property);
    const current = plain(value);
    const isGone = current !== '' && !choices.some((choice) => choice.value === current);
    return (
      <select
        id={id}
        className="input"
        aria-label={label}
        aria-invalid={invalid}
        // biome-ignore lint/a11y/noAutofocus: an editor that a person opens gets the focus.
        autoFocus={autoFocus}
        value={current}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      >
        <option value="" />
        {isGone && <option value={current}>{current}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    );
  };
}
