// Gives a property an index when a query of a large type uses it, and fills the index while the service runs: a little at
// a time, in one process at a time. When a process ends, another one continues.
import type { Clock } from '../../base/clock.ts';
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { indexKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import {
  beginIndex,
  clearIndex,
  fillIndex,
  finishIndex,
  type IndexReport,
  listIndexes,
  lockIndexBuilding,
  lockUnfilled,
  passBarrier,
} from '../../store/query/property-indexes.ts';
import type { Connections } from '../shares/connections.ts';
import type { Directory } from './directory.ts';

export interface Indexes {
  /** Called when a query uses the property and would be faster with an index. */
  want(orgId: number, type: ObjectType, property: Property): void;
  /** Checks whether there is an index to build; called when one may have been begun elsewhere. */
  attend(): void;
  close(): Promise<void>;
}

export interface IndexOptions {
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** How long other processes and running requests may take to learn of a new index. */
  readonly graceMs?: number;
}

/** `idle`: there is nothing to build. `later`: another process builds it, or it must wait. */
type Outcome = 'idle' | 'later' | 'more';

export function openIndexes(
  connections: Connections,
  directory: Directory,
  { clock, onFault, graceMs = bounds.engine.indexGraceMs }: IndexOptions,
): Indexes {
  const asked = new Set<string>();
  const beginning = new Set<Promise<void>>();
  let closed = false;
  const builder = openBuilder(clock, graceMs, () =>
    step(connections, directory, graceMs, onFault).catch((error: unknown): Outcome => {
      if (!(error instanceof Problem)) onFault(error);
      return 'later';
    }),
  );
  // The process that began an index may have ended since: another one continues it.
  const look = setInterval(builder.attend, bounds.engine.indexLookMs).unref();

  return {
    attend: builder.attend,
    want: (orgId, type, property) => {
      const key = `${orgId}/${type.id}/${property.id}`;
      if (closed || asked.has(key)) return;
      if (asked.size >= bounds.engine.askedIndexes) asked.clear();
      asked.add(key);
      const begun = begin(connections, orgId, type.id, property.id)
        .then(builder.attend, (error: unknown) => {
          asked.delete(key);
          onFault(error);
        })
        .finally(() => beginning.delete(begun));
      beginning.add(begun);
    },
    close: async () => {
      closed = true;
      clearInterval(look);
      const built = builder.close();
      await Promise.all(beginning);
      await built;
    },
  };
}

/** Builds indexes step by step, from a call of `attend` until there is nothing left to build. */
function openBuilder(clock: Clock, graceMs: number, build: () => Promise<Outcome>) {
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
      const outcome = await build();
      // A call of `attend` in the meantime may be about another index.
      if (closed || (outcome === 'idle' && !again)) return;
      // Building takes at most half of the time: requests need the database as well.
      const tookMs = clock.monotonicMs() - startedMs;
      await sleep(outcome === 'later' ? Math.min(bounds.engine.indexWaitMs, Math.max(graceMs, 50)) : tookMs);
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

async function begin(connections: Connections, orgId: number, typeId: number, propertyId: number): Promise<void> {
  await connections.of(orgId).transaction(async (transaction) => {
    if (await beginIndex(transaction, orgId, typeId, propertyId)) await raiseRevision(transaction, orgId);
  });
}

/** One step of the oldest index that is not ready and need not wait. */
async function step(
  connections: Connections,
  directory: Directory,
  graceMs: number,
  onFault: (error: unknown) => void,
): Promise<Outcome> {
  const building = (await listIndexes(connections.service)).filter(({ state }) => state === 'building');
  for (const index of building) {
    const outcome = await stepOf(connections, directory, graceMs, index).catch((error: unknown): Outcome => {
      // A lock that was not available, or a database that is briefly away, is tried again later.
      if (!(error instanceof Problem)) onFault(error);
      return 'later';
    });
    if (outcome === 'more') return 'more';
  }
  return building.length === 0 ? 'idle' : 'later';
}

async function stepOf(
  connections: Connections,
  directory: Directory,
  graceMs: number,
  index: IndexReport,
): Promise<Outcome> {
  const { orgId } = index;
  const known = await directory.find(orgId);
  const type = known?.typesById.get(index.typeId);
  const property = [...(type?.properties.values() ?? [])].find(({ id }) => id === index.propertyId);
  // This process may not know a new property yet.
  const kind = property?.fieldType.index?.kind;
  if (type === undefined || property === undefined || kind === undefined) return 'later';
  const alone = type.with({ properties: new Map([[property.name, { ...property, index: 'building' }]]) });
  return connections.of(orgId).transaction(async (transaction) => {
    if (!(await lockIndexBuilding(transaction))) return 'later';
    if (!(await passBarrier(transaction, orgId, index, graceMs))) return 'later';
    await clearIndex(transaction, orgId, index, kind);
    const records = await lockUnfilled(transaction, orgId, index, property.name);
    if (records.length > 0) {
      const rows = records.flatMap(({ id, value }) =>
        indexKeys(alone, { [property.name]: value }).map((key) => ({ ...key, typeId: type.id, recordId: id })),
      );
      await fillIndex(transaction, orgId, index, rows, records);
    }
    if (records.length === bounds.store.indexedAtOnce) return 'more';
    await finishIndex(transaction, orgId, index);
    await raiseRevision(transaction, orgId);
    return 'more';
  });
}
