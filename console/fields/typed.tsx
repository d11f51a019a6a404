// The editor of values that are typed as text.
import type { EditProps } from './field.ts';

interface Typing {
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'tel';
  readonly inputMode?: 'decimal' | 'email' | 'url' | 'numeric' | 'tel';
  readonly placeholder?: string;
  readonly maxLength?: number;
}

/** An input for one value of text. */
export function typed(typing: Typing) {
  return function Typed({ id, value, onChange, label, invalid, autoFocus }: EditProps) {
    return (
      <input
        {...typing}
        id={id}
        className="input"
        aria-label={label}
        aria-invalid={invalid}
        // biome-ignore lint/a11y/noAutofocus: an editor that a person opens gets the focus.
        autoFocus={autoFocus}
        autoComplete="off"
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      />
    );
  };
}

export function plain(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
