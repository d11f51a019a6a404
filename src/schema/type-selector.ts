// One end of an association type as it is declared, before it is expanded to concrete object types.

/**
 * A type by name, every type of a kind, every type, or the types that custom stage association types join (contract 6:
 * `svc_stage_timer_to_record` and `svc_stage_timer_to_stage`).
 */
export type TypeSelector =
  | { readonly type: string }
  | { readonly kind: string }
  | { readonly every: 'record' }
  | { readonly every: 'custom_stage_source' }
  | { readonly every: 'custom_stage_target' };

interface NamedType {
  readonly name: string;
  readonly kind: string | null;
}

interface NamedPair {
  readonly sourceType: string;
  readonly targetType: string;
}

/** The names of the object types that an end stands for. */
export function selectedTypes(
  end: TypeSelector,
  objectTypes: Iterable<NamedType>,
  customStages: readonly NamedPair[],
): readonly string[] {
  if ('type' in end) return [end.type];
  const types = [...objectTypes];
  if ('kind' in end) return types.filter((type) => type.kind === end.kind).map((type) => type.name);
  if (end.every === 'record') return types.map((type) => type.name);
  const side = end.every === 'custom_stage_source' ? 'sourceType' : 'targetType';
  return [...new Set(customStages.map((pair) => pair[side]))];
}
