// A list of options below an input: the arrow keys go round in it and Enter takes one, while the words stay in the input.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';

interface Options {
  readonly count: number;
  /** The option at which the list begins. */
  readonly start?: number;
  readonly onTake: (index: number, event: KeyboardEvent) => void;
}

/** What the input, the list and each of its options need; `moveTo` goes to another option. */
export function useOptions({ count, start = 0, onTake }: Options) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [at, moveTo] = useState(start);
  const current = Math.max(0, Math.min(at, count - 1));
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) moveTo((current + step + count) % Math.max(1, count));
    else if (event.key === 'Enter' && count > 0) onTake(current, event);
    else return;
    event.preventDefault();
  };
  const optionId = (index: number) => `${id}-${index}`;
  return {
    moveTo,
    input: {
      role: 'combobox',
      'aria-expanded': true,
      'aria-controls': id,
      'aria-activedescendant': count === 0 ? undefined : optionId(current),
      onKeyDown,
    },
    list: { ref: list, id, role: 'listbox', tabIndex: -1 },
    option: (index: number) => ({ id: optionId(index), 'aria-selected': index === current }),
  } as const;
}
