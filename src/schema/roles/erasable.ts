// Which records can be erased. Those by which an org is administered cannot, except views: the audit must stay true. Nor can
// timers, which have no values but times.
import { stageTimerType } from '../builtin/association-types.ts';
import type { ObjectType } from '../object-type.ts';

/** The id of the type svc_view. */
const viewType = 37;

export function isErasable({ id, category }: ObjectType): boolean {
  return id !== stageTimerType && (category !== 'platform' || id === viewType);
}
