// Something that floats beside the button that opens it: a menu, or a small form. The browser keeps it on top, closes it by
// Escape or a press elsewhere, and gives the focus back; here it only gets its place.
import {
  type ReactNode,
  type RefObject,
  type ToggleEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

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

/** Only the button, until it is pressed: a table has one in each of its cells. */
export function Float(props: FloatProps) {
  const { button, role } = props;
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={button.className}
        aria-label={button.label}
        aria-haspopup={role}
        aria-expanded={isOpen}
        // Once it is open, the browser closes it when the button is pressed again, but not with this very press.
        popoverTarget={isOpen ? id : undefined}
        onClick={(event) => {
          if (isOpen) return;
          event.preventDefault();
          setOpen(true);
        }}
        data-open={isOpen || undefined}
      >
        {button.content}
      </button>
      {isOpen && <Floating {...props} id={id} opener={opener} onClosed={() => setOpen(false)} />}
    </>
  );
}

interface FloatingProps extends FloatProps {
  readonly id: string;
  readonly opener: RefObject<HTMLButtonElement | null>;
  readonly onClosed: () => void;
}

function Floating({ id, opener, onClosed, label, role, className, side, align, children }: FloatingProps) {
  const floating = useRef<HTMLDivElement>(null);
  const place = (event?: Event) => {
    // Its own scrolling moves nothing.
    if (event?.target instanceof Node && floating.current?.contains(event.target)) return;
    if (opener.current !== null && floating.current !== null) putBeside(floating.current, opener.current, side, align);
  };
  // What it contains can only get the focus once it is shown.
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => {
    floating.current?.showPopover();
    setShown(true);
  }, []);
  useLayoutEffect(() => place());
  useEffect(() => {
    addEventListener('resize', place);
    addEventListener('scroll', place, true);
    return () => {
      removeEventListener('resize', place);
      removeEventListener('scroll', place, true);
    };
  });
  return (
    <div
      ref={floating}
      id={id}
      popover="auto"
      role={role}
      aria-label={label}
      className={`float ${className}`}
      onToggle={(event: ToggleEvent<HTMLDivElement>) => {
        if (event.newState === 'closed') onClosed();
      }}
    >
      {isShown && children(() => floating.current?.hidePopover())}
    </div>
  );
}

/** Beside the opener, on the other side if there is more room, and never outside the window. */
const narrow = matchMedia('(max-width: 760px)');

function putBeside(
  floating: HTMLElement,
  opener: HTMLElement,
  side: FloatProps['side'] = 'below',
  align: FloatProps['align'] = 'start',
): void {
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
