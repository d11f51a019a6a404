// A run over the whole file: how far it is, what becomes of the rows, and what can be done when it ends.
import type { ReactNode } from 'react';
import type { Progress } from '../../../data/import/messages.ts';
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { importTexts, timeLeftText } from '../../../text/import-texts.ts';
import { numberText } from '../../../text/locale.ts';
import { isUnderWay } from '../steps.ts';
import { shareOf, titleOf } from './announcement.ts';

interface Props {
  readonly progress: Progress;
  readonly children: ReactNode;
}

export function RunPanel({ progress, children }: Props) {
  const { state, kind, detail, secondsLeft, rowsPerSecond } = progress;
  const isRunning = isUnderWay(progress);
  return (
    <section className="import-run" data-look={lookOf(state)}>
      <h2 data-lead tabIndex={-1}>
        <Icon name={iconOf(progress)} />
        {titleOf(progress)}
      </h2>
      {(isRunning || state === 'stopped') && (
        <progress aria-label={titleOf(progress)} value={shareOf(progress)} max={1} />
      )}
      {kind !== 'undo' && (
        <p className="import-facts figures">
          <span>{importTexts.progressOf(progress.rows, progress.total)}</span>
          {state === 'running' && rowsPerSecond > 0 && <span>{importTexts.rate(rowsPerSecond)}</span>}
          {state === 'running' && secondsLeft !== undefined && (
            <span>{importTexts.leftAbout(timeLeftText(secondsLeft))}</span>
          )}
        </p>
      )}
      {detail !== undefined && <p className={state === 'failed' ? 'problem' : undefined}>{detail}</p>}
      {state === 'waiting' && <p className="quiet">{importTexts.waitingHelp}</p>}
      <Figures progress={progress} />
      {isRunning && kind === 'import' && <p className="quiet">{importTexts.keepOpen}</p>}
      {children}
    </section>
  );
}

function lookOf(state: Progress['state']): 'ok' | 'warn' | 'bad' | undefined {
  if (state === 'done') return 'ok';
  if (state === 'failed') return 'bad';
  return state === 'waiting' || state === 'in doubt' ? 'warn' : undefined;
}

function iconOf({ kind, state }: Progress): IconName {
  if (state === 'done') return 'check';
  if (state === 'failed' || state === 'waiting' || state === 'in doubt') return 'warning';
  return kind === 'dry run' ? 'search' : kind === 'undo' ? 'undo' : 'upload';
}

const always = ['created', 'updated', 'unchanged', 'refused'] as const;
const ifAny = ['linked', 'unlinked', 'targetsCreated'] as const;

function Figures({ progress }: { readonly progress: Progress }) {
  const { kind, undone } = progress;
  if (kind === 'undo') {
    const { reverted = 0, kept = 0, refused = 0 } = undone ?? {};
    const texts = importTexts.wasUndone;
    return (
      <dl className="import-figures">
        <Figure value={reverted} label={texts.reverted} />
        {kept > 0 && <Figure value={kept} label={texts.kept} />}
        {refused > 0 && <Figure value={refused} label={texts.refused} look="bad" />}
      </dl>
    );
  }
  const texts = kind === 'dry run' ? importTexts.willBe : importTexts.was;
  const shown = [...always, ...ifAny.filter((name) => progress[name] > 0)];
  return (
    <dl className="import-figures">
      {shown.map((name) => (
        <Figure
          key={name}
          value={progress[name]}
          label={texts[name]}
          {...(name === 'refused' && progress.refused > 0 ? { look: 'bad' } : {})}
        />
      ))}
    </dl>
  );
}

function Figure({ value, label, look }: { readonly value: number; readonly label: string; readonly look?: 'bad' }) {
  return (
    <div className="import-figure" data-look={look} data-none={value === 0 || undefined}>
      <dt>{label}</dt>
      <dd className="figures">{numberText(String(value))}</dd>
    </div>
  );
}
