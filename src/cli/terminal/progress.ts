// How far something long has come, on standard error: one line that is written over and over on a terminal, a plain line
// every few seconds elsewhere, and nothing at all for what is over sooner. It never holds anything of the data.
import { systemClock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';

export interface ProgressState {
  /** How many there are by now, those of an earlier run included. */
  readonly done: number;
  /** Which part of the whole that is, from 0 to 1, where the whole is known. */
  readonly fraction?: number;
  /** What else there is to say, such as "3 refused". */
  readonly note?: string;
}

export interface Progress {
  show(state: ProgressState): void;
  /** Takes the line off the terminal, for others to write. */
  clear(): void;
}

/** Where the line goes; a terminal has columns. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** `what` is counted, such as "rows"; `before` is what was done before this run. */
export function openProgress(
  what: string,
  before: ProgressState = { done: 0, fraction: 0 },
  stream: ProgressStream = process.stderr,
  clock = systemClock,
): Progress {
  const beganMs = clock.monotonicMs();
  const everyMs = stream.isTTY === true ? bounds.cli.progressDrawnMs : bounds.cli.progressPrintedMs;
  let lastMs = beganMs;
  let drawn = false;
  const clear = () => {
    if (drawn) stream.write('\r\u001b[K');
    drawn = false;
  };
  return {
    show: (state) => {
      const nowMs = clock.monotonicMs();
      if (nowMs - lastMs < everyMs) return;
      lastMs = nowMs;
      const parts = partsOf(what, before, state, (nowMs - beganMs) / 1_000);
      if (stream.isTTY !== true) {
        stream.write(`${parts.join(', ')}\n`);
        return;
      }
      const bar = state.fraction === undefined ? '' : `${barOf(state.fraction)} `;
      stream.write(`\r\u001b[K${(bar + parts.join('  ')).slice(0, (stream.columns ?? 80) - 1)}`);
      drawn = true;
    },
    clear,
  };
}

function partsOf(what: string, before: ProgressState, state: ProgressState, seconds: number): readonly string[] {
  const rate = (state.done - before.done) / seconds;
  const parts = [`${counted(state.done)} ${what}`, `${counted(Math.round(rate))}/s`];
  if (state.fraction !== undefined) {
    parts.unshift(`${Math.floor(state.fraction * 100)} %`);
    const perSecond = (state.fraction - (before.fraction ?? 0)) / seconds;
    if (perSecond > 0) parts.push(`${timeText((1 - state.fraction) / perSecond)} left`);
  }
  return state.note === undefined ? parts : [...parts, state.note];
}

const barWidth = 20;

function barOf(fraction: number): string {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * barWidth);
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`;
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}

/** Such as 0:07, 12:34 or 1:02:03. */
function timeText(seconds: number): string {
  const whole = Math.min(359_999, Math.max(0, Math.round(seconds)));
  const two = (part: number) => String(part).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
