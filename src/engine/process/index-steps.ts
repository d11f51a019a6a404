// One step in the life of an automatic index: a step is one transaction, so that a process can end at any point and the
// next one continues. Every step that changes what others do with the index raises the revision of the org.
import { bounds } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { IndexKind } from '../../schema/field-type.ts';
import { indexKeys } from '../../schema/indexing/record-keys.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import type { Transaction } from '../../store/database.ts';
import { raiseRevision } from '../../store/org/revision.ts';
import {
  clearIndex,
  emptyIndex,
  fillIndex,
  finishIndex,
  lockIndexBuilding,
  lockUnfilled,
  passBarrier,
  removeIndex,
  startDropping,
} from '../../store/query/index-building.ts';
import { type IndexReport, listIndexes } from '../../store/query/property-indexes.ts';
import type { Connections } from '../shares/connections.ts';
import type { Directory } from './directory.ts';

/** `idle`: there is nothing to do. `later`: another process does it, or it must wait. */
export type Outcome = 'idle' | 'later' | 'more';

/** How long other processes and running requests may take to learn of a change. */
interface GracePeriods {
  /** The time for writers. */
  readonly writersMs: number;
  /** The time for queries, which may wait for longer. */
  readonly queriesMs: number;
}

/** What a step has done for an index that is being built. */
export interface IndexStep {
  readonly orgId: number;
  readonly typeName: string;
  readonly property: string;
  /** How many records have their rows. */
  readonly filled: number;
  readonly ready: boolean;
}

/** Takes one step of an index that need not wait, of each org in turn and of its oldest index first. */
export function openIndexSteps(
  connections: Connections,
  directory: Directory,
  grace: GracePeriods,
  onFault: (error: unknown) => void,
  onStep: (step: IndexStep) => void,
): () => Promise<Outcome> {
  let lastOrg = 0;
  const attempt = (index: MovingIndex): Promise<Outcome | 'busy'> =>
    stepOf(connections, directory, grace, index, onStep).catch((error: unknown) => {
      // A lock that was not available, or a database that is briefly away, is tried again later.
      if (!(error instanceof Problem)) onFault(error);
      return error instanceof Problem && error.reason === 'overloaded' ? 'busy' : 'later';
    });
  return async () => {
    const moving = (await listIndexes(connections.service)).filter(isMoving);
    const past = (orgId: number) => (orgId > lastOrg ? 0 : 1);
    let busyOrg: number | undefined;
    for (const index of moving.toSorted((a, b) => past(a.orgId) - past(b.orgId) || a.orgId - b.orgId)) {
      // An org that has just kept one of its indexes waiting would do the same with the others, while other orgs wait.
      if (index.orgId === busyOrg) continue;
      const outcome = await attempt(index);
      if (outcome === 'busy') busyOrg = index.orgId;
      if (outcome !== 'more') continue;
      lastOrg = index.orgId;
      return 'more';
    }
    return moving.length === 0 ? 'idle' : 'later';
  };
}

/** An index on its way. */
type MovingIndex = IndexReport & { readonly state: 'building' | 'retired' | 'dropping' };

function isMoving(index: IndexReport): index is MovingIndex {
  return index.state !== 'ready';
}

/** An index with what its rows are made of. */
interface Located {
  readonly index: MovingIndex;
  readonly type: ObjectType;
  readonly property: Property;
  readonly kind: IndexKind;
}

async function stepOf(
  connections: Connections,
  directory: Directory,
  { writersMs, queriesMs }: GracePeriods,
  index: MovingIndex,
  onStep: (step: IndexStep) => void,
): Promise<Outcome> {
  const known = await directory.find(index.orgId);
  const type = known?.typesById.get(index.typeId);
  const property = [...(type?.properties.values() ?? []), ...(type?.removed ?? [])].find(
    ({ id }) => id === index.propertyId,
  );
  // This process may not know a new property yet.
  const kind = property?.fieldType.index?.kind;
  if (type === undefined || property === undefined || kind === undefined) return 'later';
  let built: IndexStep | undefined;
  const outcome = await connections.of(index.orgId).transaction(async (transaction): Promise<Outcome> => {
    if (!(await lockIndexBuilding(transaction))) return 'later';
    const graceMs = index.state === 'retired' ? queriesMs : writersMs;
    if (!(await passBarrier(transaction, index.orgId, index, graceMs))) return 'later';
    const changed = await steps[index.state](transaction, { index, type, property, kind });
    if (changed) await raiseRevision(transaction, index.orgId);
    if (index.state === 'building') {
      built = {
        orgId: index.orgId,
        typeName: type.name,
        property: property.name,
        filled: index.filled,
        ready: changed,
      };
    }
    return 'more';
  });
  if (built !== undefined) onStep(built);
  return outcome;
}

/** What is done in each state; each returns whether the state has changed. */
const steps: Readonly<Record<MovingIndex['state'], (transaction: Transaction, located: Located) => Promise<boolean>>> =
  {
    building: build,
    retired: async (transaction, { index }) => {
      await startDropping(transaction, index.orgId, index);
      return true;
    },
    dropping: async (transaction, { index, kind }) => {
      if (await emptyIndex(transaction, index.orgId, index, kind)) return false;
      await removeIndex(transaction, index.orgId, index);
      return true;
    },
  };

async function build(transaction: Transaction, { index, type, property, kind }: Located): Promise<boolean> {
  const { orgId } = index;
  await clearIndex(transaction, orgId, index, kind);
  const records = await lockUnfilled(transaction, orgId, index, property.key);
  if (records.length > 0) {
    const alone = type.with({
      properties: new Map([[property.name, { ...property, index: 'building' }]]),
      removed: [],
    });
    const rows = records.flatMap(({ id, value }) =>
      indexKeys(alone, { [property.key]: value }).map((key) => ({ ...key, typeId: type.id, recordId: id })),
    );
    await fillIndex(transaction, orgId, index, rows, records);
  }
  if (records.length === bounds.store.indexedAtOnce) return false;
  await finishIndex(transaction, orgId, index);
  return true;
}
