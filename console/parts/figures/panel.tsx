// A part of a page with a heading of its own. What cannot be read says so in its place, and the rest of the page stays.
import { type ReactNode, useId } from 'react';
import { texts } from '../../text/texts.ts';
import { ErrorNote } from '../broken.tsx';

interface Props {
  readonly heading: string;
  /** Choices at the end of the heading. */
  readonly choices?: ReactNode;
  readonly isPending?: boolean;
  readonly error?: unknown;
  readonly onRetry?: () => void;
  readonly className?: string;
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({
  heading,
  choices,
  isPending = false,
  error = null,
  onRetry,
  className,
  foot,
  children,
}: Props) {
  const id = useId();
  const isBroken = error !== null && error !== undefined;
  return (
    <section
      className={className === undefined ? 'card-panel' : `card-panel ${className}`}
      aria-labelledby={id}
      aria-busy={isPending && !isBroken}
    >
      <header className="card-panel-head">
        <h2 id={id}>{heading}</h2>
        <span className="grow" />
        {choices}
      </header>
      <div className="card-panel-body">
        {isBroken ? (
          <ErrorNote error={error} {...(onRetry === undefined ? {} : { onRetry })} />
        ) : isPending ? (
          <Waiting />
        ) : (
          children
        )}
      </div>
      {foot !== undefined && <footer className="card-panel-foot">{foot}</footer>}
    </section>
  );
}

function Waiting() {
  return (
    <div className="panel-waiting">
      <span className="sr-only">{texts.loading}</span>
      {[70, 45, 85, 60].map((share) => (
        <span key={share} className="bar-grey" style={{ inlineSize: `${share}%` }} />
      ))}
    </div>
  );
}

interface SwitchProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly (readonly [value: Value, label: string])[];
  readonly current: Value | undefined;
  readonly onChoose: (value: Value) => void;
}

/** One of a few, side by side. Nothing if there is nothing to choose. */
export function Switch<Value extends string>({ label, choices, current, onChoose }: SwitchProps<Value>) {
  if (choices.length < 2) return null;
  return (
    <div className="tabs small-tabs" role="group" aria-label={label}>
      {choices.map(([value, text]) => (
        <button
          key={value}
          type="button"
          className="tab"
          aria-pressed={value === current}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
