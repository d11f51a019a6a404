// The filters above a list, each a choice. What is chosen is in the address, so that it can be sent to somebody.
import type { ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { AnySchema, Filter } from '../../../../client/main.ts';
import type { Choice } from '../../../fields/chosen.tsx';
import { texts } from '../../../text/texts.ts';

export function useChosen(): readonly [(name: string) => string, (name: string, value: string) => void] {
  const search = useSearch();
  const [location, go] = useLocation();
  const read = (name: string) => new URLSearchParams(search).get(name) ?? '';
  const choose = (name: string, value: string) => {
    const query = new URLSearchParams(search);
    if (value === '') query.delete(name);
    else query.set(name, value);
    const text = query.toString();
    go(text === '' ? location : `${location}?${text}`, { replace: true });
  };
  return [read, choose];
}

export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <div className="settings-filters" role="group" aria-label={texts.filter}>
      {children}
    </div>
  );
}

interface Props {
  readonly label: string;
  /** What stands there if nothing is chosen. */
  readonly all: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

export function FilterChoice({ label, all, choices, value, onChoose }: Props) {
  const isGone = value !== '' && !choices.some((choice) => choice.value === value);
  return (
    <select
      className="input filter-choice"
      aria-label={label}
      data-chosen={value !== '' || undefined}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{all}</option>
      {isGone && <option value={value}>{value}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/** All of these; undefined if there are none. */
export function allOf(
  conditions: readonly (Filter<AnySchema, string> | undefined)[],
): { readonly filter: Filter<AnySchema, string> } | object {
  const all = conditions.filter((condition) => condition !== undefined);
  const [first] = all;
  if (first === undefined) return {};
  return { filter: all.length === 1 ? first : ({ and: all } as Filter<AnySchema, string>) };
}
