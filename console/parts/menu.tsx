// A menu of actions or choices, used by pointer and by keyboard: arrows, Home, End and the first letter.
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Float, type FloatButton } from './float.tsx';
import { Icon } from './icon.tsx';

interface MenuProps {
  readonly button: FloatButton;
  readonly label: string;
  readonly side?: 'below' | 'above';
  readonly align?: 'start' | 'end';
  readonly children: (close: () => void) => ReactNode;
}

export function Menu({ children, ...rest }: MenuProps) {
  return (
    <Float {...rest} role="menu" className="menu">
      {(close) => <MenuBody close={close}>{children(close)}</MenuBody>}
    </Float>
  );
}

function MenuBody({ close, children }: { readonly close: () => void; readonly children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  const items = () => [
    ...(body.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not([aria-disabled="true"])') ?? []),
  ];
  useEffect(() => {
    const all = [...(body.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    (all.find((item) => item.ariaChecked === 'true') ?? all[0])?.focus();
  }, []);
  const press = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = nextItem(event, all, at);
    if (event.key === 'Tab') close();
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the element around it is the menu.
    <div ref={body} onKeyDown={press}>
      {children}
    </div>
  );
}

function nextItem(event: KeyboardEvent, all: readonly HTMLElement[], at: number): HTMLElement | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey) return undefined;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at - 1 + all.length) % all.length,
    Home: 0,
    End: all.length - 1,
  };
  const step = steps[event.key];
  if (step !== undefined) return all[step];
  if (event.key.length !== 1 || event.key === ' ') return undefined;
  const letter = event.key.toLowerCase();
  return [...all.slice(at + 1), ...all].find((item) => item.textContent?.trim().toLowerCase().startsWith(letter));
}

interface ItemProps {
  readonly children: ReactNode;
  readonly onChoose: () => void;
  readonly look?: 'danger';
  readonly isDisabled?: boolean;
}

export function MenuItem({ children, onChoose, look, isDisabled = false }: ItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={look === undefined ? 'menu-item' : `menu-item ${look}`}
      aria-disabled={isDisabled}
      onClick={() => !isDisabled && onChoose()}
    >
      {children}
    </button>
  );
}

interface CheckProps {
  readonly children: ReactNode;
  readonly isChecked: boolean;
  readonly onChoose: () => void;
  /** One of several, or each for itself. */
  readonly kind: 'one' | 'each';
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

export function MenuCheck({ children, isChecked, onChoose, kind, onKeyDown }: CheckProps) {
  return (
    <button
      type="button"
      role={kind === 'one' ? 'menuitemradio' : 'menuitemcheckbox'}
      tabIndex={-1}
      aria-checked={isChecked}
      className="menu-item"
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      <span className="menu-tick">{isChecked && <Icon name="check" />}</span>
      {children}
    </button>
  );
}
