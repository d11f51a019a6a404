// Something that floats beside the button that opens it: a menu, or a small form. The browser keeps it on top, closes it by
// Escape or a press elsewhere, and gives the focus back; here it only gets its place.
import { type ReactNode, type ToggleEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';

export interface FloatButton {
  readonly className: string;
  readonly label?: string;
  readonly content: ReactNode;
}

export interface FloatProps {
  readonly button: FloatButton;
  /** The name of what floats. */
  readonly label: string;
  readonly role: 'menu' | 'dialog';
  readonly className: string;
  readonly side?: 'below' | 'above';
  readonly align?: 'start' | 'end';
  /** Made when it opens, and forgotten when it closes. */
  readonly children: (close: () => void) => ReactNode;
}

const gap = 4;
const edge = 8;

export function Float({ button, label, role, className, side = 'below', align = 'start', children }: FloatProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const floating = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = (event?: Event) => {
    // Its own scrolling moves nothing.
    if (event?.target instanceof Node && floating.current?.contains(event.target)) return;
    if (opener.current !== null && floating.current !== null) putBeside(floating.current, opener.current, side, align);
  };
  useLayoutEffect(() => {
    if (isOpen) place();
  });
  useEffect(() => {
    if (!isOpen) return;
    addEventListener('resize', place);
    addEventListener('scroll', place, true);
    return () => {
      removeEventListener('resize', place);
      removeEventListener('scroll', place, true);
    };
  });
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={button.className}
        aria-label={button.label}
        aria-haspopup={role}
        aria-expanded={isOpen}
        popoverTarget={id}
        data-open={isOpen || undefined}
      >
        {button.content}
      </button>
      <div
        ref={floating}
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        className={`float ${className}`}
        onToggle={(event: ToggleEvent<HTMLDivElement>) => setOpen(event.newState === 'open')}
      >
        {isOpen && children(() => floating.current?.hidePopover())}
      </div>
    </>
  );
}

/** Beside the opener, on the other side if there is more room, and never outside the window. */
const narrow = matchMedia('(max-width: 760px)');

function putBeside(floating: HTMLElement, opener: HTMLElement, side: 'below' | 'above', align: 'start' | 'end'): void {
  const scrolled = floating.scrollTop;
  floating.style.cssText = '';
  // There it comes from below.
  if (narrow.matches) return;
  const from = opener.getBoundingClientRect();
  const above = from.top - edge - gap;
  const below = innerHeight - from.bottom - edge - gap;
  floating.style.maxHeight = `${Math.max(above, below)}px`;
  const { width, height } = floating.getBoundingClientRect();
  const isBelow = side === 'below' ? height <= below || below >= above : height > above && below > above;
  const top = isBelow ? from.bottom + gap : from.top - gap - Math.min(height, above);
  const left = align === 'start' ? from.left : from.right - width;
  floating.style.top = `${Math.max(edge, top)}px`;
  floating.style.left = `${Math.max(edge, Math.min(left, innerWidth - width - edge))}px`;
  floating.style.maxHeight = `${isBelow ? below : above}px`;
  floating.scrollTop = scrolled;
}
