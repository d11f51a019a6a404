// Counts the requests of each org that wait, whatever they wait for, so that no org fills the memory with them.
import { bounds } from '../../base/limits.ts';
import { overloaded } from '../../base/problem.ts';

export interface WaitingRoom {
  /** Throws a Problem if too many requests of the org are waiting. */
  enter(orgId: number): void;
  leave(orgId: number): void;
}

export function openWaitingRoom(): WaitingRoom {
  const counts = new Map<number, number>();
  return {
    enter: (orgId) => {
      const count = counts.get(orgId) ?? 0;
      if (count >= bounds.shares.waitingOfOrg)
        throw overloaded('Too many requests of the org are waiting already; send fewer at once.');
      counts.set(orgId, count + 1);
    },
    leave: (orgId) => {
      const count = counts.get(orgId) ?? 0;
      if (count > 1) counts.set(orgId, count - 1);
      else counts.delete(orgId);
    },
  };
}
