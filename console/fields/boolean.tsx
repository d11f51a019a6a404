// Yes or no.
import { texts } from '../text/texts.ts';
import type { EditProps, Field } from './field.ts';

function Edit({ id, value, onChange, label, invalid, autoFocus }: EditProps) {
  return (
    <select
      id={id}
      className="input"
      aria-label={label}
      aria-invalid={invalid}
      // biome-ignore lint/a11y/noAutofocus: an editor that a person opens gets the focus.
      autoFocus={autoFocus}
      value={value === undefined ? '' : value === true ? 'true' : 'false'}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value === 'true')}
    >
      <option value="" />
      <option value="true">{texts.yes}</option>
      <option value="false">{texts.no}</option>
    </select>
  );
}

export const boolean: Field = {
  text: (value) => (value === true ? texts.yes : texts.no),
  Edit,
  width: 90,
  isChosen: true,
};
