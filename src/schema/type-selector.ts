// A choice of object types in a declaration: for the ends of an association type and the sources of a computed value.

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

/** The names of the selected object types. */
export function selectedTypes(
  selector: TypeSelector,
  objectTypes: Iterable<NamedType>,
  customStages: readonly NamedPair[],
): readonly string[] {
  if ('type' in selector) return [selector.type];
  const types = [...objectTypes];
  if ('kind' in selector) return types.filter((type) => type.kind === selector.kind).map((type) => type.name);
  if (selector.every === 'record') return types.map((type) => type.name);
  const side = selector.every === 'custom_stage_source' ? 'sourceType' : 'targetType';
  return [...new Set(customStages.map((pair) => pair[side]))];
}
