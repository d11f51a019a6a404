// Finds a record of a type by its words, and hands it over.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findRecords } from '../data/other-end.ts';
import type { Row } from '../data/paged-rows.ts';
import { type TypeDetail, titleOf } from '../data/schema.ts';
import { texts } from '../text/texts.ts';

interface Props {
  readonly type: TypeDetail;
  /** A record that is not offered. */
  readonly except?: string;
  readonly onChoose: (row: Row) => void;
}

export function RecordSearch({ type, except, onChoose }: Props) {
  const [words, setWords] = useState('');
  const { data: found, isSuccess } = useQuery({
    queryKey: ['records', type.name, 'find', words],
    queryFn: ({ signal }) => findRecords(type, words, signal),
    placeholderData: (before) => before,
    throwOnError: false,
  });
  const offered = (found ?? []).filter(({ id }) => id !== except);
  return (
    <div className="editor">
      <input
        className="input"
        type="search"
        // biome-ignore lint/a11y/noAutofocus: the person has opened it to type.
        autoFocus
        aria-label={texts.searchIn(type.plural_label)}
        placeholder={texts.searchIn(type.plural_label)}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <ul className="found">
        {offered.map((row) => (
          <li key={row.id}>
            <button type="button" className="menu-item" onClick={() => onChoose(row)}>
              <span className="one-line">{titleOf(type, row.properties) || texts.noName}</span>
            </button>
          </li>
        ))}
      </ul>
      {isSuccess && offered.length === 0 && <p className="quiet">{texts.nothingFound}</p>}
    </div>
  );
}
