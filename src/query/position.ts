// Where a page of a query ended: what its last record is ordered by, part by part, and its id. It is what a cursor
// carries, so it means the same whichever way the next page is found.
import { isId } from '../base/id.ts';

export interface Position {
  /** The texts of what the record is ordered by; null where it is unset. */
  readonly parts: readonly (string | null)[];
  readonly id: string;
}

export function positionText({ parts, id }: Position): string {
  return JSON.stringify([id, ...parts]);
}

/** The position of a cursor, which nobody but us has written. */
export function parsePosition(text: string): Position | undefined {
  const [id, ...parts] = JSON.parse(text) as [string, ...(string | null)[]];
  return isId(id) ? { id, parts } : undefined;
}
