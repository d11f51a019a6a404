// A list whose order people decide: by dragging, or by keyboard from the handle of an entry. What moves is told aloud.
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { messages } from '../../../parts/toasts.tsx';
import { settingsTexts } from '../../../text/settings-texts.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
}

interface Props<E extends Entry> {
  readonly label: string;
  readonly entries: readonly E[];
  /** Stores the order; undefined if the caller may not. */
  readonly onOrder: ((ids: readonly string[]) => Promise<void>) | undefined;
  readonly children: (entry: E) => ReactNode;
}

export function OrderedList<E extends Entry>({ label, entries, onOrder, children }: Props<E>) {
  const list = useId();
  /** The order while it is being changed, until it is stored. */
  const [draft, setDraft] = useState<readonly string[]>();
  const [carried, setCarried] = useState<string>();
  const [said, say] = useState('');
  const place = (id: string) => draft?.indexOf(id) ?? -1;
  const shown = draft === undefined ? entries : entries.toSorted((one, other) => place(one.id) - place(other.id));
  const ids = shown.map(({ id }) => id);
  const store = async (next: readonly string[]) => {
    setDraft(next);
    try {
      await onOrder?.(next);
    } catch (error) {
      messages.failed(error);
    }
    setDraft(undefined);
  };
  const press = (event: KeyboardEvent, { id, title }: Entry) => {
    const at = ids.indexOf(id);
    const isCarried = carried === id;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!isCarried && (event.key === ' ' || event.key === 'Enter')) {
      setCarried(id);
      setDraft(ids);
      say(settingsTexts.lifted(title, at + 1, ids.length));
    } else if (isCarried && step !== 0) {
      const to = Math.max(0, Math.min(ids.length - 1, at + step));
      setDraft(moved(ids, id, to));
      say(settingsTexts.atPlace(title, to + 1, ids.length));
    } else if (isCarried && (event.key === ' ' || event.key === 'Enter')) {
      setCarried(undefined);
      say(settingsTexts.dropped(title, at + 1));
      void store(ids);
    } else if (isCarried && event.key === 'Escape') {
      setCarried(undefined);
      setDraft(undefined);
      say(settingsTexts.putBack(title));
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <ol className="ordered" aria-label={label}>
        {shown.map((entry) => (
          <OrderedEntry
            key={entry.id}
            list={list}
            entry={entry}
            isCarried={carried === entry.id}
            isMovable={onOrder !== undefined && entries.length > 1}
            onPress={(event) => press(event, entry)}
            onLeave={() => {
              if (carried !== entry.id) return;
              setCarried(undefined);
              setDraft(undefined);
            }}
            onDrop={(id, isBelow) => {
              const rest = ids.filter((each) => each !== id);
              void store(moved(ids, id, rest.indexOf(entry.id) + (isBelow ? 1 : 0)));
            }}
          >
            {children(entry)}
          </OrderedEntry>
        ))}
      </ol>
      <p className="sr-only" role="status">
        {said}
      </p>
    </>
  );
}

function moved(ids: readonly string[], id: string, to: number): readonly string[] {
  const rest = ids.filter((each) => each !== id);
  return [...rest.slice(0, to), id, ...rest.slice(to)];
}

interface EntryProps {
  readonly list: string;
  readonly entry: Entry;
  readonly isCarried: boolean;
  readonly isMovable: boolean;
  readonly onPress: (event: KeyboardEvent) => void;
  readonly onLeave: () => void;
  readonly onDrop: (id: string, isBelow: boolean) => void;
  readonly children: ReactNode;
}

function OrderedEntry({ list, entry, isCarried, isMovable, onPress, onLeave, onDrop, children }: EntryProps) {
  const place = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const { over, isLifted } = useDragging({ list, id: entry.id, isMovable, place, handle, onDrop });
  // Reordering moves the element, which may lose the focus.
  useEffect(() => {
    if (isCarried) handle.current?.focus();
  });
  return (
    <li
      ref={place}
      className="ordered-entry"
      data-over={over}
      data-lifted={isLifted || undefined}
      data-carried={isCarried || undefined}
    >
      {isMovable && (
        <button
          ref={handle}
          type="button"
          className="ordered-handle"
          aria-label={settingsTexts.moveHandle(entry.title)}
          aria-pressed={isCarried}
          title={settingsTexts.moveHelp}
          onKeyDown={onPress}
          onBlur={(event) => event.relatedTarget !== null && onLeave()}
        >
          <Icon name="grip" />
        </button>
      )}
      {children}
    </li>
  );
}

interface Dragging {
  readonly list: string;
  readonly id: string;
  readonly isMovable: boolean;
  readonly place: RefObject<HTMLElement | null>;
  readonly handle: RefObject<HTMLElement | null>;
  readonly onDrop: (id: string, isBelow: boolean) => void;
}

function useDragging({ list, id, isMovable, place, handle, onDrop }: Dragging) {
  const [over, setOver] = useState<'above' | 'below'>();
  const [isLifted, setLifted] = useState(false);
  const drop = useRef(onDrop);
  drop.current = onDrop;
  useEffect(() => {
    const [element, dragHandle] = [place.current, handle.current];
    if (element === null || dragHandle === null || !isMovable) return;
    const sideOf = (y: number) => {
      const { top, height } = element.getBoundingClientRect();
      return y > top + height / 2 ? 'below' : 'above';
    };
    return combine(
      draggable({
        element,
        dragHandle,
        getInitialData: () => ({ list, id }),
        onDragStart: () => setLifted(true),
        onDrop: () => setLifted(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data['list'] === list && source.data['id'] !== id,
        onDrag: ({ location }) => setOver(sideOf(location.current.input.clientY)),
        onDragLeave: () => setOver(undefined),
        onDrop: ({ source, location }) => {
          setOver(undefined);
          drop.current(String(source.data['id']), sideOf(location.current.input.clientY) === 'below');
        },
      }),
    );
  }, [list, id, isMovable, place, handle]);
  return { over, isLifted };
}
