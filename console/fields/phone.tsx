// Phone numbers: a country and digits.
import { callingCodes } from '../text/calling-codes.ts';
import { phoneText } from '../text/locale.ts';
import { texts } from '../text/texts.ts';
import { countriesOf } from './country.tsx';
import type { EditProps, Field, Single } from './field.ts';

function partsOf(value: Single | undefined): { readonly country: string; readonly digits: string } {
  const { country_code: country = '', national_number: digits = '' } = typeof value === 'object' ? value : {};
  return { country, digits };
}

function Edit({ id, value, property, onChange, label, invalid, autoFocus }: EditProps) {
  const { country, digits } = partsOf(value);
  const change = (nextCountry: string, nextDigits: string) =>
    onChange(
      nextDigits === '' && nextCountry === ''
        ? undefined
        : { country_code: nextCountry, national_number: nextDigits.replace(/[\s().\-/]/g, '') },
    );
  return (
    <span className="input-pair">
      <select
        className="input calling"
        aria-label={texts.countryOf(label)}
        value={country}
        onChange={(event) => change(event.target.value, digits)}
      >
        <option value="" />
        {countriesOf(property, 'country_code').map(({ value: code, label: name }) => (
          <option key={code} value={code}>
            {`${code} ${callingCodes[code] ?? ''} ${name}`}
          </option>
        ))}
      </select>
      <input
        id={id}
        className="input figures"
        inputMode="tel"
        aria-label={label}
        aria-invalid={invalid}
        // biome-ignore lint/a11y/noAutofocus: an editor that a person opens gets the focus.
        autoFocus={autoFocus}
        autoComplete="off"
        value={digits}
        onChange={(event) => change(country, event.target.value)}
      />
    </span>
  );
}

export const phone: Field = {
  text: (value) => {
    const { country, digits } = partsOf(value);
    return phoneText(country, digits);
  },
  Edit,
  width: 160,
};
