// Which types have stages, which are stages, and which are pipelines of stages: all of it follows from the association
// types of a catalog.
import type { AssociationPair } from '../association-type.ts';
import type { ObjectType } from '../object-type.ts';

/** The parts that one type plays in moves between stages. */
export interface StageRoles {
  /** The stage association types that begin at the type: one pair for each type of stage. */
  readonly stages: readonly AssociationPair[];
  /** The association types by which records are in a stage of this type. */
  readonly stageOf: readonly number[];
  /** The association types by which stages belong to a pipeline of this type. */
  readonly pipelineOf: readonly number[];
}

export interface Stages {
  /** Every stage association type. */
  readonly associationTypes: readonly number[];
  /** The roles of the types that have any, by name. */
  readonly roles: ReadonlyMap<string, StageRoles>;
}

export function findStages(pairs: readonly AssociationPair[], objectTypes: ReadonlyMap<string, ObjectType>): Stages {
  const stages = pairs.filter(({ stage }) => stage);
  const stageTypes = new Set(stages.map(({ targetType }) => targetType));
  const roles = new Map<string, { stages: AssociationPair[]; stageOf: number[]; pipelineOf: number[] }>();
  const rolesOf = (typeName: string) => {
    const found = roles.get(typeName) ?? { stages: [], stageOf: [], pipelineOf: [] };
    roles.set(typeName, found);
    return found;
  };
  for (const pair of stages) {
    rolesOf(pair.sourceType).stages.push(pair);
    addOnce(rolesOf(pair.targetType).stageOf, pair.id);
  }
  for (const { id, sourceType, targetType } of pairs) {
    const isPipeline = stageTypes.has(sourceType) && objectTypes.get(targetType)?.category === 'pipeline';
    if (isPipeline) addOnce(rolesOf(targetType).pipelineOf, id);
  }
  return { associationTypes: [...new Set(stages.map(({ id }) => id))], roles };
}

function addOnce(ids: number[], id: number): void {
  if (!ids.includes(id)) ids.push(id);
}
