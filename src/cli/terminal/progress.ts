// The progress of a long command on standard error: one line that is redrawn on a terminal, a plain line every few seconds
// elsewhere, and nothing for a command that ends sooner. It never contains data.

import { systemClock } from '../../base/clock.ts';
import { counted } from '../../base/counted.ts';
import { bounds } from '../../base/limits.ts';

export interface ProgressState {
  /** The count so far, including that of an earlier run. */
  readonly done: number;
  /** The part of the whole from 0 to 1, if the whole is known. */
  readonly fraction?: number;
  /** A remark, such as "3 refused". */
  readonly note?: string;
}

interface Progress {
  show(state: ProgressState): void;
  /** Removes the line from the terminal, so that other text can be written. */
  clear(): void;
}

/** The stream of the line; a terminal has columns. */
interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** `what` is counted, such as "rows"; `before` is the state before this run. */
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

/** Such as 0:07, 12:34 or 1:02:03. */
function timeText(seconds: number): string {
  const whole = Math.min(359_999, Math.max(0, Math.round(seconds)));
  const two = (part: number) => String(part).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}
