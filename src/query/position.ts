// The position at which a page of a query ended: the sort values of its last record, and its id. A cursor contains it,
// so it means the same however the next page is found.
import { isId } from '../base/id.ts';

export interface Position {
  /** The sort values as text; null if unset. */
  readonly parts: readonly (string | null)[];
  readonly id: string;
}

export function positionText({ parts, id }: Position): string {
  return JSON.stringify([id, ...parts]);
}

/** Parses a text from a cursor, which only this service can have written. */
export function parsePosition(text: string): Position | undefined {
  const [id, ...parts] = JSON.parse(text) as [string, ...(string | null)[]];
  return isId(id) ? { id, parts } : undefined;
}
