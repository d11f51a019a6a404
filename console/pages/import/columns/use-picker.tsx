// One of many, found by its words: a button that shows what is chosen, and a list that is made when it opens. A file has hundreds of
// columns and a type hundreds of properties, so that a list for each column would be too much to draw.
import { useState } from 'react';
import { Float } from '../../../parts/float.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useOptions } from '../../../parts/use-options.ts';
import { texts } from '../../../text/texts.ts';
import type { UseChoice } from './column-uses.ts';

interface Props {
  /** What is chosen here. */
  readonly label: string;
  readonly current: string;
  readonly currentKey: string;
  readonly isQuiet: boolean;
  readonly choices: readonly UseChoice[];
  readonly onChoose: (choice: UseChoice) => void;
}

export function UsePicker({ label, current, currentKey, isQuiet, choices, onChoose }: Props) {
  return (
    <Float
      role="dialog"
      className="popup"
      label={label}
      button={{
        className: isQuiet ? 'input use-button quiet' : 'input use-button',
        label: `${label}: ${current}`,
        content: (
          <>
            <span className="one-line grow">{current}</span>
            <Icon name="down" />
          </>
        ),
      }}
    >
      {(close) => (
        <Choices
          label={label}
          currentKey={currentKey}
          choices={choices}
          onChoose={(choice) => {
            close();
            onChoose(choice);
          }}
        />
      )}
    </Float>
  );
}

function Choices({ label, currentKey, choices, onChoose }: Omit<Props, 'current' | 'isQuiet'>) {
  const [words, setWords] = useState('');
  const wanted = words.trim().toLowerCase();
  const found = choices.filter(({ text, group }) => `${text} ${group}`.toLowerCase().includes(wanted));
  const options = useOptions({
    count: found.length,
    start: choices.findIndex(({ key }) => key === currentKey),
    onTake: (index) => {
      const chosen = found[index];
      if (chosen !== undefined) onChoose(chosen);
    },
  });
  return (
    <div className="editor">
      <input
        className="input"
        {...options.input}
        aria-label={label}
        placeholder={texts.search}
        // biome-ignore lint/a11y/noAutofocus: the person has opened it to choose.
        autoFocus
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          options.moveTo(0);
        }}
      />
      <div {...options.list} className="use-list" aria-label={label}>
        {found.map((choice, index) => (
          <div key={choice.key} role="presentation">
            {found[index - 1]?.group !== choice.group && <p className="menu-label">{choice.group}</p>}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input. */}
            <div
              {...options.option(index)}
              role="option"
              tabIndex={-1}
              className="menu-item use-choice"
              onClick={() => onChoose(choice)}
            >
              <span className="menu-tick">{choice.key === currentKey && <Icon name="check" />}</span>
              <span className="one-line">{choice.text}</span>
            </div>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="quiet">{texts.nothingFound}</p>}
    </div>
  );
}
