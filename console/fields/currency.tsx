// Amounts with their currency.
import { useState } from 'react';
import { moneyText } from '../text/locale.ts';
import { texts } from '../text/texts.ts';
import { codesOf, type EditProps, type Field, type Single } from './field.ts';

interface Amount {
  readonly amount: string;
  readonly unit: string;
}

/** The currency that was chosen last: most orgs use one. */
let lastUnit = 'USD';

export function amountOf(value: Single | undefined): Amount | undefined {
  return typeof value === 'object' ? { amount: value['amount'] ?? '', unit: value['unit'] ?? '' } : undefined;
}

function Edit({ id, value, property, onChange, label, invalid, autoFocus }: EditProps) {
  const amount = amountOf(value)?.amount ?? '';
  // An amount that is typed anew keeps its currency.
  const [unit, setUnit] = useState(() => amountOf(value)?.unit ?? lastUnit);
  const change = (next: Amount) => onChange(next.amount === '' ? undefined : { ...next });
  return (
    <span className="input-pair">
      <input
        id={id}
        className="input figures"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={invalid}
        // biome-ignore lint/a11y/noAutofocus: an editor that a person opens gets the focus.
        autoFocus={autoFocus}
        autoComplete="off"
        value={amount}
        onChange={(event) => change({ amount: event.target.value.trim(), unit })}
      />
      <select
        className="input unit"
        aria-label={texts.currencyOf(label)}
        value={unit}
        onChange={(event) => {
          lastUnit = event.target.value;
          setUnit(lastUnit);
          change({ amount, unit: lastUnit });
        }}
      >
        {codesOf(property, 'unit').map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </span>
  );
}

export const currency: Field = {
  text: (value) => {
    const found = amountOf(value);
    return found === undefined ? '' : moneyText(found.amount, found.unit);
  },
  Edit,
  align: 'end',
  width: 130,
};
