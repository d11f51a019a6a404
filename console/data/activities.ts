// Records that happen at a moment: meetings, calls, notes and the like. Notes with a due date are tasks.
import type { TypeDetail } from './schema.ts';

/** The property that says when a record of the type happened. */
export function momentOf({ byName }: TypeDetail): string | undefined {
  return ['svc_started_at', 'svc_created_at'].find((name) => byName.has(name));
}

/** Types whose records happen at a moment, and stand in the timeline: activities, and notes. */
export function isTold({ kind, name }: { readonly kind: string | null; readonly name: string }): boolean {
  return kind === 'activity' || name === 'svc_note';
}
export const noteType = 'svc_note';
export const dueProperty = 'svc_due_at';
