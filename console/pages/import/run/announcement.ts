// What a reader of the screen hears of a long run: each change of its state, and now and then how far it is. Not every batch.
import { useEffect, useState } from 'react';
import type { Progress } from '../../../data/import/messages.ts';
import { importTexts, timeLeftText } from '../../../text/import-texts.ts';
import { percentText } from '../../../text/locale.ts';
import { isUnderWay } from '../steps.ts';

export interface Announced {
  readonly text: string;
  readonly about: string;
  readonly tenth: number;
  readonly at: number;
}

const pauseMs = 15_000;

/** The next announcement; the one before if there is nothing new to say. */
export function announced(before: Announced | undefined, progress: Progress, now: number): Announced {
  const about = `${progress.kind} ${progress.state}`;
  const tenth = Math.floor(shareOf(progress) * 10);
  const next = { text: wordsOf(progress), about, tenth, at: now };
  if (before === undefined || before.about !== about) return next;
  return tenth > before.tenth && now - before.at >= pauseMs ? next : before;
}

/** How much of it is done, from 0 to 1. */
export function shareOf({ rows, total, undone }: Progress): number {
  const [done, all] = undone === undefined ? [rows, total] : [undone.batches, undone.of];
  return all === 0 ? 1 : Math.min(1, done / all);
}

export function titleOf({ kind, state }: Progress): string {
  if (state === 'running') return importTexts.running[kind];
  return state === 'done' ? importTexts.finished[kind] : importTexts.states[state];
}

function wordsOf(progress: Progress): string {
  if (!isUnderWay(progress)) return `${titleOf(progress)}. ${progress.detail ?? ''}`.trim();
  const { secondsLeft } = progress;
  const left = secondsLeft === undefined ? '' : `, ${importTexts.leftAbout(timeLeftText(secondsLeft))}`;
  return `${titleOf(progress)}, ${percentText(shareOf(progress))}${left}`;
}

export function useAnnouncement(progress: Progress | undefined): string {
  const [last, setLast] = useState<Announced>();
  useEffect(() => {
    if (progress !== undefined) setLast((before) => announced(before, progress, Date.now()));
  }, [progress]);
  return progress === undefined ? '' : (last?.text ?? '');
}
