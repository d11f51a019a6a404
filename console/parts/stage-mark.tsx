// A stage as a phase: the ring fills by its position; a tick for one that is won, a cross for one that is closed otherwise.
export interface Stage {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly probability: number | undefined;
  readonly isClosed: boolean;
  readonly pipelineId: string | undefined;
}

export function isWon({ isClosed, probability }: Stage): boolean {
  return isClosed && probability !== 0;
}

/** `share` is how far the stage is along the way, from 0 to 1. */
export function StageMark({ stage, share }: { readonly stage: Stage; readonly share: number }) {
  if (stage.isClosed) {
    return (
      <svg className={isWon(stage) ? 'stage won' : 'stage lost'} viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.5" fill="currentColor" />
        <path
          d={isWon(stage) ? 'm5 8.2 2.1 2.1L11 6' : 'm5.8 5.8 4.4 4.4m0-4.4-4.4 4.4'}
          fill="none"
          stroke="var(--bg)"
          strokeWidth="1.5"
          strokeLinecap="round"
        />
      </svg>
    );
  }
  const angle = Math.min(share, 0.999) * 2 * Math.PI;
  const [x, y] = [8 + 3.5 * Math.sin(angle), 8 - 3.5 * Math.cos(angle)];
  return (
    <svg className="stage" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      {share >= 0.999 ? (
        <circle cx="8" cy="8" r="3.5" fill="currentColor" />
      ) : (
        <path d={`M8 8V4.5A3.5 3.5 0 ${share > 0.5 ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}Z`} fill="currentColor" />
      )}
    </svg>
  );
}
