// The catalog: every object type and every concrete association pair of an org or of a caller. An org's catalog is the
// built-in vocabulary and the org's own additions; a caller's is the same shape, narrowed. Nothing above this floor
// finds a type, a property or an association type in another way.
import type { AssociationPair } from './association-type.ts';
import type { IndexState, ObjectType, Property } from './object-type.ts';
import { activityAssociationTypes } from './roles/last-activity.ts';
import { findStages, type StageRoles, type Stages } from './roles/stages.ts';

/** A pair as it is seen from one of its types. */
interface DirectedPair {
  readonly pair: AssociationPair;
  readonly direction: 'outgoing' | 'incoming';
}

interface AssociationName {
  readonly name: string;
  /** The target if it is a hidden type, which has no number. */
  readonly hiddenTarget: string | undefined;
}

type PairGroups = ReadonlyMap<string, readonly AssociationPair[]>;

/**
 * Everything that follows from the types and pairs is worked out once for a catalog, when it is first needed: an org
 * can have thousands of pairs and a catalog for each set of grants, and most of these catalogs need only a part.
 */
export class Catalog {
  readonly objectTypes: ReadonlyMap<string, ObjectType>;
  readonly pairs: readonly AssociationPair[];
  /** The types whose stage timers are visible, if those of others are not (see narrow). */
  readonly timedTypes: readonly number[] | undefined;
  /** The keys of values that records of these types may have and the caller does not see (see narrow). */
  readonly hiddenKeys: ReadonlyMap<number, readonly string[]>;
  #bySource: PairGroups | undefined;
  #byTarget: PairGroups | undefined;
  #names: ReadonlyMap<number, AssociationName> | undefined;
  #stages: Stages | undefined;
  #activityAssociationTypes: readonly number[] | undefined;

  /** The last number that was given to a type or an association type of the org: one up to it that is not here is gone. */
  readonly lastId: number;

  constructor(
    objectTypes: ReadonlyMap<string, ObjectType>,
    pairs: readonly AssociationPair[],
    timedTypes: readonly number[] | undefined,
    lastId: number,
    hiddenKeys: ReadonlyMap<number, readonly string[]> = new Map(),
  ) {
    this.objectTypes = objectTypes;
    this.pairs = pairs;
    this.timedTypes = timedTypes;
    this.lastId = lastId;
    this.hiddenKeys = hiddenKeys;
  }

  /** The pairs in which the type is an end, as seen from it; a pair of one type with itself is seen twice. */
  pairsOf(objectType: string): readonly DirectedPair[] {
    return this.pairs.flatMap((pair) => [
      ...(pair.sourceType === objectType ? [{ pair, direction: 'outgoing' as const }] : []),
      ...(pair.targetType === objectType ? [{ pair, direction: 'incoming' as const }] : []),
    ]);
  }

  /** The pairs of an association type that begin at the type: one for each type of target. */
  pairsFrom(sourceType: string, name: string): readonly AssociationPair[] {
    this.#bySource ??= groupPairs(this.pairs, (pair) => pair.sourceType);
    return this.#bySource.get(`${sourceType}/${name}`) ?? [];
  }

  /** The pairs of an association type that end at the type: one for each type of source. */
  pairsTo(targetType: string, name: string): readonly AssociationPair[] {
    this.#byTarget ??= groupPairs(this.pairs, (pair) => pair.targetType);
    return this.#byTarget.get(`${targetType}/${name}`) ?? [];
  }

  /** The names of association types by their numbers. */
  get associationNames(): ReadonlyMap<number, AssociationName> {
    this.#names ??= new Map(
      this.pairs.map(({ id, name, targetType }) => [
        id,
        { name, hiddenTarget: this.objectTypes.has(targetType) ? undefined : targetType },
      ]),
    );
    return this.#names;
  }

  get stageAssociationTypes(): readonly number[] {
    return this.#foundStages().associationTypes;
  }

  stageRoles(objectType: string): StageRoles {
    return this.#foundStages().roles.get(objectType) ?? noStageRoles;
  }

  #foundStages(): Stages {
    this.#stages ??= findStages(this.pairs, this.objectTypes);
    return this.#stages;
  }

  /** The association types that lead from activities to records that have a last activity. */
  get activityAssociationTypes(): readonly number[] {
    this.#activityAssociationTypes ??= activityAssociationTypes(this.pairs, this.objectTypes);
    return this.#activityAssociationTypes;
  }
}

const noStageRoles: StageRoles = { stages: [], stageOf: [], pipelineOf: [] };

function groupPairs(pairs: readonly AssociationPair[], endOf: (pair: AssociationPair) => string): PairGroups {
  const groups = new Map<string, AssociationPair[]>();
  for (const pair of pairs) {
    const key = `${endOf(pair)}/${pair.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [pair]);
    else group.push(pair);
  }
  return groups;
}

export interface PropertyIndex {
  readonly typeId: number;
  readonly propertyId: number;
  readonly state: Exclude<IndexState, 'none' | 'permanent'>;
}

/** The catalog with the automatic indexes of its properties. */
export function withIndexes(catalog: Catalog, indexes: readonly PropertyIndex[]): Catalog {
  if (indexes.length === 0) return catalog;
  const states = new Map(indexes.map(({ typeId, propertyId, state }) => [`${typeId}/${propertyId}`, state]));
  const indexedTypes = new Set(indexes.map(({ typeId }) => typeId));
  const withStates = (type: ObjectType): ObjectType => {
    const withState = (property: Property): Property => {
      const state = states.get(`${type.id}/${property.id}`);
      return state === undefined ? property : { ...property, index: state };
    };
    const properties = [...type.properties].map(([name, property]) => [name, withState(property)] as const);
    return type.with({ properties: new Map(properties), removed: type.removed.map(withState) });
  };
  const objectTypes = new Map(
    [...catalog.objectTypes].map(([name, type]) => [name, indexedTypes.has(type.id) ? withStates(type) : type]),
  );
  return new Catalog(objectTypes, catalog.pairs, catalog.timedTypes, catalog.lastId, catalog.hiddenKeys);
}
