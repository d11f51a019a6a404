// Writes of the console. Each names the version that the person saw, so that nobody's work is overwritten, and can be undone.
import { OrreryProblem, type Value } from '../../client/main.ts';
import { texts } from '../text/texts.ts';
import { api } from './api.ts';
import type { Row } from './paged-rows.ts';

export type Changes = Readonly<Record<string, Value | null>>;

/** What a write did; `requestId` undoes it. */
export interface Written {
  readonly row: Row;
  readonly requestId: string;
}

/** Somebody else has changed the same properties since: theirs is what the record has now. */
export class Conflict extends Error {
  readonly theirs: Row;

  constructor(theirs: Row) {
    super(texts.changedMeanwhile);
    this.theirs = theirs;
  }
}

/**
 * Changes properties of a record as the person saw it. If it has changed since, but not in these properties, the change is made
 * all the same: two people can work on one record.
 */
export async function changeRecord(objectType: string, seen: Row, changes: Changes): Promise<Written> {
  try {
    return await send(objectType, seen, changes);
  } catch (error) {
    if (!(error instanceof OrreryProblem) || error.reason !== 'version_mismatch') throw error;
    const { data } = await api.records(objectType).get(seen.id);
    const isSame = Object.keys(changes).every((name) => sameValue(seen.properties[name], data.properties[name]));
    if (!isSame) throw new Conflict(data);
    return send(objectType, data, changes);
  }
}

async function send(objectType: string, { id, version }: Row, changes: Changes): Promise<Written> {
  const answer = await api.records(objectType).update(id, changes, { ifMatch: version });
  return { row: answer.data, requestId: answer.requestId };
}

export function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Takes back what a request wrote, as far as nobody has changed it since. Returns what could not go back, in words. */
export async function undo(requestId: string): Promise<string | undefined> {
  const { data } = await api.revert({ requestId });
  const { reverted, kept, refused } = data.counts;
  const stays = kept + refused;
  if (stays === 0) return undefined;
  return reverted === 0 ? texts.nothingBack : texts.someBack(reverted, stays);
}
