// One of several, chosen from a list.
interface Props {
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly current: string | undefined;
  readonly onChoose: (value: string) => void;
}

/** Nothing if there is nothing to choose. */
export function Choice({ label, choices, current, onChoose }: Props) {
  if (choices.length < 2) return null;
  return (
    <select
      className="input pipeline"
      aria-label={label}
      value={current}
      onChange={(event) => onChoose(event.target.value)}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
