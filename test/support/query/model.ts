// The meaning of query in plain JavaScript (contract 4 and 5), written from the specification alone: which records of a
// world a caller is answered for a filter, a search and a sort, and in which order. The service must agree.
import { compareValues, satisfies } from './values.ts';
import {
  type Direction,
  defaultDirection,
  endTypes,
  hiddenTypes,
  isVisible,
  type ModelCaller,
  type ModelProperty,
  type ModelRecord,
  type ModelWorld,
  visibleRecords,
} from './world.ts';

export interface PropertyCondition {
  readonly property: string;
  readonly operator: string;
  readonly value?: unknown;
}

export interface AssociationCondition {
  readonly association: string;
  readonly direction?: Direction;
  readonly operator: 'exists' | 'not_exists';
  readonly target_id?: string;
  readonly filter?: Filter;
}

export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | PropertyCondition
  | AssociationCondition;

export interface SortKey {
  readonly property: string;
  readonly direction: 'asc' | 'desc';
}

export interface Question {
  readonly filter?: Filter;
  readonly search?: string;
  readonly sort?: readonly SortKey[];
}

/** Each of these holds exactly where the other one does not. */
const complements: Readonly<Record<string, string>> = {
  neq: 'eq',
  not_in: 'in',
  not_contains: 'contains',
  is_not_set: 'is_set',
};

export class Model {
  readonly world: ModelWorld;
  readonly caller: ModelCaller;
  readonly #words = new WeakMap<ModelRecord, readonly string[]>();
  readonly #visible = new Map<string, readonly ModelRecord[]>();

  constructor(world: ModelWorld, caller: ModelCaller) {
    this.world = world;
    this.caller = caller;
  }

  /** The ids of all records that the query finds, in order. */
  answer(type: string, { filter, search, sort = [] }: Question): readonly string[] {
    const found = this.visible(type).filter(
      (record) =>
        (filter === undefined || this.holds(filter, record, [type])) &&
        (search === undefined || this.#isFound(search, record)),
    );
    return this.#sorted(type, found, sort).map((record) => record.id);
  }

  /** The records of the type that the caller sees, in the order of their creation. */
  visible(type: string): readonly ModelRecord[] {
    const visible = this.#visible.get(type) ?? visibleRecords(this.world, this.caller, type);
    this.#visible.set(type, visible);
    return visible;
  }

  /** `types` are all that the record could be of, seen from the filter: a kind has several. */
  holds(filter: Filter, record: ModelRecord, types: readonly string[]): boolean {
    if ('and' in filter) return filter.and.every((each) => this.holds(each, record, types));
    if ('or' in filter) return filter.or.some((each) => this.holds(each, record, types));
    if ('not' in filter) return !this.holds(filter.not, record, types);
    return 'association' in filter ? this.#isLinked(filter, record, types) : this.#hasValue(filter, record);
  }

  #hasValue({ property: name, operator, value }: PropertyCondition, record: ModelRecord): boolean {
    const opposite = complements[operator];
    if (opposite !== undefined) return !this.#hasValue({ property: name, operator: opposite, value }, record);
    if (name === 'id') return operator === 'eq' ? record.id === value : (value as string[]).includes(record.id);
    const property = this.#property(record, name);
    const values = property === undefined ? [] : valuesOf(record, property);
    if (property === undefined || operator === 'is_set') return values.length > 0;
    return values.some((each) => satisfies(property, operator, each, value));
  }

  #isLinked(condition: AssociationCondition, record: ModelRecord, types: readonly string[]): boolean {
    const { association, operator, target_id, filter } = condition;
    const direction = condition.direction ?? defaultDirection(this.world, this.caller, types, association);
    const others = endTypes(this.world, this.caller, types, association, direction);
    const links = (direction === 'outgoing' ? this.world.outgoing : this.world.incoming).get(record.id) ?? [];
    const exists = links
      .filter(({ name }) => name === association)
      .map(({ source, target }) => (direction === 'outgoing' ? target : source))
      .filter((id) => target_id === undefined || id === target_id)
      .some((id) => {
        if (others.some((type) => hiddenTypes.includes(type))) return true;
        const other = this.world.records.get(id);
        if (other === undefined || !isVisible(this.world, this.caller, other)) return false;
        return filter === undefined || this.holds(filter, other, others);
      });
    return exists === (operator === 'exists');
  }

  #isFound(search: string, record: ModelRecord): boolean {
    const known = this.#words.get(record) ?? this.#wordsOf(record);
    this.#words.set(record, known);
    return wordsOf(search).every((wanted) => known.some((word) => word.startsWith(wanted)));
  }

  #wordsOf(record: ModelRecord): readonly string[] {
    const searched = ['text', 'long_text', 'email', 'domain'];
    return [...(this.world.types.get(record.object_type)?.properties.values() ?? [])]
      .filter(({ field_type }) => searched.includes(field_type))
      .flatMap((property) => valuesOf(record, property))
      .flatMap((value) => wordsOf(value as string));
  }

  #sorted(type: string, records: readonly ModelRecord[], sort: readonly SortKey[]): readonly ModelRecord[] {
    const properties = this.world.types.get(type)?.properties;
    const keys = sort.map(({ property, direction }) => ({ property: properties?.get(property), direction }));
    return [...records].sort((left, right) => {
      for (const { property, direction } of keys) {
        if (property === undefined) throw new Error('The model cannot sort by a property that does not exist.');
        const [[one], [two]] = [valuesOf(left, property), valuesOf(right, property)];
        // Unset is last in both directions.
        if (one === undefined || two === undefined) {
          if (one !== two) return one === undefined ? 1 : -1;
          continue;
        }
        const compared = compareValues(property, one, two);
        if (compared !== 0) return direction === 'asc' ? compared : -compared;
      }
      return left.id < right.id ? -1 : 1;
    });
  }

  #property({ object_type }: ModelRecord, name: string): ModelProperty | undefined {
    return this.world.types.get(object_type)?.properties.get(name);
  }
}

export function valuesOf({ properties }: ModelRecord, { name, multi_valued }: ModelProperty): readonly unknown[] {
  const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (value === undefined) return [];
  return multi_valued ? (value as readonly unknown[]) : [value];
}

/** Both sides of a search are cut here, so that each word fits into an index. */
const wordCharacters = 256;

/** Contract 5: NFKD, without U+0300 to U+036F, lower case (both small sigmas are one); a run of letters and digits. */
export function wordsOf(text: string): readonly string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ς', 'σ');
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => Array.from(word).slice(0, wordCharacters).join(''));
}
