// A dialog in front of the page: the browser keeps the focus within it, and gives it back.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { texts } from '../text/texts.ts';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly className?: string;
  readonly onClose: () => void;
  /** What stands in the head beside the title. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}

export function Dialog({ title, className = '', onClose, head, children }: DialogProps) {
  const id = useId();
  return (
    <Modal label={id} className={`dialog ${className}`} onClose={onClose}>
      <header className="dialog-head">
        <h2 id={id} className="dialog-title">
          {title}
        </h2>
        {head}
        <span className="grow" />
        <Button look="quiet" icon="close" aria-label={texts.close} onClick={onClose} />
      </header>
      {children}
    </Modal>
  );
}

interface ModalProps {
  /** The id of the element that names it. */
  readonly label: string;
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Modal({ label, className, onClose, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  /** Text that is selected up to the veil does not close it. */
  const pressed = useRef<EventTarget>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The first thing to type into, rather than the button that closes it.
    dialog?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea)')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well.
    <dialog
      ref={element}
      className={className}
      aria-labelledby={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The dialog itself is pressed only where its veil is: its content covers the rest.
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={(event) => event.target === element.current && pressed.current === element.current && onClose()}
      // A browser may close it by itself; it is still asked for.
      onClose={() => element.current?.isConnected === true && element.current.showModal()}
    >
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
