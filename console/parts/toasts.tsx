// Short messages at the bottom: what was done, with Undo, or what failed. Failures stay until they are closed.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { messageOf, requestIdOf } from '../data/api.ts';
import { undo } from '../data/write.ts';
import { texts } from '../text/texts.ts';
import { Button } from './button.tsx';

interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly title: string;
  readonly text?: string;
  /** The request that can be taken back. */
  readonly requestId?: string;
}

const shownMs = 8_000;
const most = 3;

let toasts: readonly Toast[] = [];
let nextId = 0;
const listeners = new Set<() => void>();

function become(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function add(toast: Omit<Toast, 'id'>): void {
  const all = [...toasts, { ...toast, id: nextId++ }];
  const over = all.length - most;
  // What was done goes first; failures stay until they are closed, or there are too many.
  const going = new Set([...all.filter(({ kind }) => kind === 'done'), ...all].slice(0, Math.max(0, over)));
  become(all.filter((each) => !going.has(each)));
}

function close(id: number): void {
  become(toasts.filter((toast) => toast.id !== id));
}

export const messages = {
  /** What was done. With the id of its request it can be undone. */
  done: (title: string, requestId?: string): void =>
    add({ kind: 'done', title, ...(requestId === undefined ? {} : { requestId }) }),
  failed: (error: unknown): void => {
    const requestId = requestIdOf(error);
    const text = requestId === undefined ? {} : { text: `${texts.request} ${requestId}` };
    add({ kind: 'failed', title: messageOf(error), ...text });
  },
};

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section className="toasts" aria-label={texts.messages}>
      <div role="status">
        {shown.map((toast) => toast.kind === 'done' && <ToastLine key={toast.id} toast={toast} />)}
      </div>
      <div role="alert">
        {shown.map((toast) => toast.kind === 'failed' && <ToastLine key={toast.id} toast={toast} />)}
      </div>
    </section>
  );
}

function ToastLine({ toast }: { readonly toast: Toast }) {
  const { id, kind, title, text, requestId } = toast;
  // It waits while somebody points at it.
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (kind === 'failed' || isHeld) return;
    const timer = setTimeout(() => close(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, kind, isHeld]);
  const takeBack = async (request: string) => {
    close(id);
    try {
      messages.done((await undo(request)) ?? texts.undone);
    } catch (error) {
      messages.failed(error);
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only keeps it there.
    <div
      className={`toast ${kind}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className="grow">
        <p className="toast-title">{title}</p>
        {text !== undefined && <p className="quiet figures">{text}</p>}
      </div>
      {requestId !== undefined && (
        <Button look="quiet" size="small" onClick={() => void takeBack(requestId)}>
          {texts.undo}
        </Button>
      )}
      <Button look="quiet" size="small" icon="close" aria-label={texts.close} onClick={() => close(id)} />
    </div>
  );
}
