// Which types have stages, which are stages, and which are the pipelines of stages: read off a catalog's pairs.
import type { AssociationPair } from '../association-type.ts';
import type { Catalog } from '../catalog.ts';

export interface StageRoles {
  /** The stage association types that begin at the type: one pair for each type of stage. */
  readonly stages: readonly AssociationPair[];
  /** The association types by which records are in a stage of this type. */
  readonly stageOf: readonly number[];
  /** The association types by which stages belong to a pipeline of this type. */
  readonly pipelineOf: readonly number[];
}

const known = new WeakMap<Catalog, Map<string, StageRoles>>();

export function stageRoles(catalog: Catalog, typeName: string): StageRoles {
  const roles = known.get(catalog) ?? new Map<string, StageRoles>();
  known.set(catalog, roles);
  const found = roles.get(typeName) ?? findRoles(catalog, typeName);
  roles.set(typeName, found);
  return found;
}

/** Every stage association type of the catalog. */
export function stageAssociationTypes({ pairs }: Catalog): readonly number[] {
  return distinct(pairs.filter(({ stage }) => stage));
}

/**
 * The types with stages that a narrowed catalog has, if there are others in the org and it has timers: those of the others
 * are not for its eyes.
 */
export function timedTypes(narrowed: Catalog, org: Catalog): readonly number[] | undefined {
  const known = timed.get(narrowed);
  if (known !== undefined) return known.types;
  const staged = new Set(org.pairs.filter(({ stage }) => stage).map(({ sourceType }) => sourceType));
  const seen = [...staged].flatMap((name) => narrowed.objectTypes.get(name)?.id ?? []);
  const whole = seen.length === staged.size || !narrowed.objectTypes.has('svc_stage_timer');
  const types = whole ? undefined : seen;
  timed.set(narrowed, { types });
  return types;
}

const timed = new WeakMap<Catalog, { readonly types: readonly number[] | undefined }>();

function findRoles({ pairs, objectTypes }: Catalog, typeName: string): StageRoles {
  const stages = pairs.filter(({ stage }) => stage);
  const stageTypes = new Set(stages.map(({ targetType }) => targetType));
  const isPipeline = objectTypes.get(typeName)?.category === 'pipeline';
  return {
    stages: stages.filter(({ sourceType }) => sourceType === typeName),
    stageOf: distinct(stages.filter(({ targetType }) => targetType === typeName)),
    pipelineOf: isPipeline
      ? distinct(pairs.filter(({ sourceType, targetType }) => targetType === typeName && stageTypes.has(sourceType)))
      : [],
  };
}

function distinct(pairs: readonly AssociationPair[]): readonly number[] {
  return [...new Set(pairs.map(({ id }) => id))];
}
