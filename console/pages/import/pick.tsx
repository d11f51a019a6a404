// A choice among few, with its name above it.
import type { ReactNode } from 'react';

interface Props<Value extends string> {
  readonly label: string;
  /** What it is about, for those who do not see where it is. */
  readonly of?: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, text: string])[];
  readonly onChoose: (value: Value) => void;
  readonly isInvalid?: boolean;
  readonly children?: ReactNode;
}

export function Pick<Value extends string>({ label, of, value, choices, onChoose, isInvalid, children }: Props<Value>) {
  return (
    <div className="import-pick">
      <label className="label">
        <span>
          {of !== undefined && <span className="sr-only">{`${of}: `}</span>}
          {label}
        </span>
        <select
          className="input"
          aria-invalid={isInvalid === true || undefined}
          value={value}
          onChange={({ target }) => {
            const chosen = choices.find(([each]) => each === target.value);
            if (chosen !== undefined) onChoose(chosen[0]);
          }}
        >
          {choices.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {children}
    </div>
  );
}
