// A page that cannot be shown says why, in the problem's own words, and offers to try again.
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { messageOf, requestIdOf } from '../data/api.ts';
import { texts } from '../text/texts.ts';
import { Button } from './button.tsx';

interface Props {
  readonly children: ReactNode;
  readonly reset: () => void;
}

class Boundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <ErrorNote
        error={error}
        onRetry={() => {
          this.props.reset();
          this.setState({ error: undefined });
        }}
      />
    );
  }
}

export function Broken({ children }: { readonly children: ReactNode }) {
  const { reset } = useQueryErrorResetBoundary();
  return <Boundary reset={reset}>{children}</Boundary>;
}

export function ErrorNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const requestId = requestIdOf(error);
  return (
    <div className="note-box" role="alert">
      <p>{messageOf(error)}</p>
      {requestId !== undefined && <p className="quiet figures">{`${texts.request} ${requestId}`}</p>}
      {onRetry !== undefined && <Button onClick={onRetry}>{texts.retry}</Button>}
    </div>
  );
}
