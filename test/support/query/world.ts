// The org that the model of query knows: types, records, links, and who sees what of them (contract 2, 6 and 7).

export interface ModelProperty {
  readonly name: string;
  readonly field_type: string;
  readonly multi_valued: boolean;
  readonly options?: readonly { readonly value: string }[];
}

export interface ModelType {
  readonly name: string;
  readonly properties: ReadonlyMap<string, ModelProperty>;
}

/** One concrete pair of types of an association type. */
export interface ModelPair {
  readonly name: string;
  readonly source_type: string;
  readonly target_type: string;
}

export interface ModelRecord {
  readonly id: string;
  readonly object_type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface ModelLink {
  readonly name: string;
  readonly source: string;
  readonly target: string;
}

export interface ModelWorld {
  readonly types: ReadonlyMap<string, ModelType>;
  readonly pairs: readonly ModelPair[];
  /** Those that are not in the trash. */
  readonly records: ReadonlyMap<string, ModelRecord>;
  /** By the id of the source, and by that of the target; links of records in the trash may be among them. */
  readonly outgoing: ReadonlyMap<string, readonly ModelLink[]>;
  readonly incoming: ReadonlyMap<string, readonly ModelLink[]>;
}

export interface ModelCaller {
  /** The types that it may read; `svc_user` and `svc_org` can be ends of a link without being among them. */
  readonly knows: (type: string) => boolean;
  /** The user of a key of reach `user`; undefined sees the whole org. */
  readonly userId: string | undefined;
}

export type Direction = 'outgoing' | 'incoming';

/** Types that are ends of links and have no records that can be read. */
export const hiddenTypes: readonly string[] = ['svc_user', 'svc_org'];

export function isVisible(world: ModelWorld, caller: ModelCaller, record: ModelRecord): boolean {
  if (!caller.knows(record.object_type)) return false;
  if (caller.userId === undefined) return true;
  return (world.outgoing.get(record.id) ?? []).some(
    ({ name, target }) => name === 'svc_record_to_org' || (name === 'svc_record_to_user' && target === caller.userId),
  );
}

/** The records of the type that the caller sees, in the order of their creation. */
export function visibleRecords(world: ModelWorld, caller: ModelCaller, type: string): readonly ModelRecord[] {
  return [...world.records.values()]
    .filter((record) => record.object_type === type && isVisible(world, caller, record))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** The pairs of which the caller sees both ends. */
export function pairsOf(world: ModelWorld, caller: ModelCaller): readonly ModelPair[] {
  const seen = (type: string) => caller.knows(type) || hiddenTypes.includes(type);
  return world.pairs.filter(({ source_type, target_type }) => seen(source_type) && seen(target_type));
}

/** The types at the other end of the association, seen from any of `types`. */
export function endTypes(
  world: ModelWorld,
  caller: ModelCaller,
  types: readonly string[],
  association: string,
  direction: Direction,
): readonly string[] {
  const [near, far] =
    direction === 'outgoing' ? (['source_type', 'target_type'] as const) : (['target_type', 'source_type'] as const);
  const pairs = pairsOf(world, caller).filter((pair) => pair.name === association && types.includes(pair[near]));
  return [...new Set(pairs.map((pair) => pair[far]))];
}

/** Contract 5: the direction of the type; outgoing where it is both ends. */
export function defaultDirection(
  world: ModelWorld,
  caller: ModelCaller,
  types: readonly string[],
  association: string,
): Direction {
  return endTypes(world, caller, types, association, 'outgoing').length > 0 ? 'outgoing' : 'incoming';
}
