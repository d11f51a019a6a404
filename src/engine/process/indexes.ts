// The automatic indexes: a property gets one when queries of a large type keep asking for it, and loses it to another when
// nobody asks for it any more (see `shares/index-slots`). Indexes are filled and emptied while the service runs: a little at a
// time, in one process at a time. When a process ends, another one continues.
import type { Caller } from '../../access/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import { beginIndex, lockSlots, retireIndex, touchIndex } from '../../store/query/property-indexes.ts';
import type { Connections } from '../shares/connections.ts';
import { chooseSlot, openWishes } from '../shares/index-slots.ts';
import type { Directory } from './directory.ts';
import { type IndexStep, type Outcome, openIndexSteps } from './index-steps.ts';
import { openLateNotes } from './late-notes.ts';

export interface Indexes {
  /** Called when a query of a large type would be faster with an index of the property. */
  want(caller: Caller, type: ObjectType, property: Property): void;
  /** Called when a query uses the automatic index of the property, or will when it is ready. */
  noteUse(orgId: number, type: ObjectType, property: Property): void;
  /** Checks whether there is an index to fill or to empty; called when one may have been begun elsewhere. */
  attend(): void;
  close(): Promise<void>;
}

export interface IndexOptions {
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** How long other processes and running requests may take to learn of a change; shorter for tests. */
  readonly graceMs?: number;
  /** Told of each step of an index that is being built. */
  readonly onIndexStep?: (step: IndexStep) => void;
}

/** A property of an org. */
interface Place {
  readonly orgId: number;
  readonly typeId: number;
  readonly propertyId: number;
}

export function openIndexes(
  connections: Connections,
  directory: Directory,
  { clock, onFault, graceMs, onIndexStep = () => {} }: IndexOptions,
): Indexes {
  const wishes = openWishes(clock);
  const granting = new Set<Promise<void>>();
  const uses = openLateNotes<Place>({
    clock,
    everyMs: bounds.engine.indexUseEveryMs,
    write: (place) => touchIndex(connections.of(place.orgId), place.orgId, place),
    // An org that is too busy for it notes its next use.
    onFault: unlessRefused(onFault),
  });
  let closed = false;
  const grace = {
    writersMs: graceMs ?? bounds.engine.indexGraceMs,
    queriesMs: graceMs ?? bounds.engine.indexRetiredMs,
  };
  const takeStep = openIndexSteps(connections, directory, grace, onFault, onIndexStep);
  const builder = openBuilder(clock, Math.max(50, Math.min(bounds.engine.indexWaitMs, grace.writersMs)), () =>
    takeStep().catch((error: unknown): Outcome => {
      unlessRefused(onFault)(error);
      return 'later';
    }),
  );
  // The process that began an index may have ended since: another one continues it.
  const look = setInterval(builder.attend, bounds.engine.indexLookMs).unref();

  return {
    attend: builder.attend,
    want: ({ orgId, credentialId }, type, property) => {
      if (closed || !wishes.repeats(credentialId, `${type.id}/${property.id}`)) return;
      const granted = grant(connections, { orgId, typeId: type.id, propertyId: property.id }, credentialId)
        // An org that is too busy for it wishes again.
        .then(builder.attend, unlessRefused(onFault))
        .finally(() => granting.delete(granted));
      granting.add(granted);
    },
    noteUse: (orgId, type, property) =>
      uses.note(`${orgId}/${type.id}/${property.id}`, { orgId, typeId: type.id, propertyId: property.id }),
    close: async () => {
      closed = true;
      clearInterval(look);
      const built = builder.close();
      await Promise.all(granting);
      await built;
      await uses.close();
    },
  };
}

function unlessRefused(onFault: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Problem)) onFault(error);
  };
}

/** Begins the index if there is a slot for it. */
async function grant(connections: Connections, place: Place, credentialId: string): Promise<void> {
  const { orgId, typeId } = place;
  await connections.of(orgId).transaction(async (transaction) => {
    const slots = await lockSlots(transaction, orgId, typeId);
    if (slots.some(({ propertyId }) => propertyId === place.propertyId)) return;
    const choice = chooseSlot(slots, credentialId);
    if (choice === undefined) return;
    const { inPlaceOf } = choice;
    if (inPlaceOf !== undefined) await retireIndex(transaction, orgId, { typeId, propertyId: inPlaceOf });
    await beginIndex(transaction, orgId, place, credentialId);
    await raiseRevision(transaction, orgId);
  });
}

/** Takes step after step, from a call of `attend` until there is nothing left to do. */
function openBuilder(clock: Clock, waitMs: number, step: () => Promise<Outcome>) {
  let closed = false;
  let again = false;
  let running: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    while (!closed) {
      const startedMs = clock.monotonicMs();
      again = false;
      const outcome = await step();
      // A call of `attend` in the meantime may be about another index.
      if (closed || (outcome === 'idle' && !again)) return;
      // The work takes at most half of the time: requests need the database as well.
      await sleep(outcome === 'later' ? waitMs : clock.monotonicMs() - startedMs);
    }
  };

  return {
    attend: (): void => {
      again = true;
      if (closed || running !== undefined) return;
      running = run().finally(() => {
        running = undefined;
      });
    },
    close: async (): Promise<void> => {
      closed = true;
      wake?.();
      await running;
    },
  };
}
