// The types of queries and aggregations. The service checks them again, with everything that types cannot express.
import type { AssociationName, Ends, PropertyName, SchemaShape, Stored } from './schema.ts';
import type { AggregationFunction, Direction, Granularity, Operator, SortDirection } from './wire.ts';

export interface Query<S extends SchemaShape<S>, T extends keyof S> {
  readonly filter?: Filter<S, T>;
  /** Finds records in which each of these words is the beginning of some word. */
  readonly search?: string;
  readonly sort?: readonly { readonly property: PropertyName<S, T>; readonly direction: SortDirection }[];
  readonly properties?: readonly PropertyName<S, T>[];
  readonly include?: readonly AssociationName<S, T>[];
  /** Records per page, up to 500. */
  readonly limit?: number;
  /** Where to start; by default, at the first page. */
  readonly cursor?: string;
}

export type Filter<S extends SchemaShape<S>, T extends keyof S> =
  | { readonly and: readonly Filter<S, T>[] }
  | { readonly or: readonly Filter<S, T>[] }
  | { readonly not: Filter<S, T> }
  | IdCondition
  | ExternalIdCondition
  | Condition<S, T>
  | AssociationCondition<S, T, AssociationName<S, T>>;

type IdCondition =
  | { readonly property: 'id'; readonly operator: 'eq'; readonly value: string }
  | { readonly property: 'id'; readonly operator: 'in'; readonly value: readonly string[] };

/** The record that has this id in another system. */
interface ExternalIdCondition {
  readonly external_id: string;
  /** The other system, as it was named when the id was given. */
  readonly source: string;
}

type Condition<S extends SchemaShape<S>, T extends keyof S> =
  string extends PropertyName<S, T>
    ? { readonly property: string; readonly operator: Operator; readonly value?: unknown }
    : { [P in PropertyName<S, T>]: PropertyCondition<P, Element<Stored<S, T>[P]>> }[PropertyName<S, T>];

type Element<V> = V extends readonly (infer E)[] ? E : V;

type PropertyCondition<P extends string, V> =
  | { readonly property: P; readonly operator: 'is_set' | 'is_not_set' }
  | { readonly property: P; readonly operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: V }
  | { readonly property: P; readonly operator: 'in' | 'not_in'; readonly value: readonly V[] }
  | { readonly property: P; readonly operator: 'between'; readonly value: readonly [low: V, high: V] }
  | {
      readonly property: P;
      readonly operator: 'contains' | 'not_contains' | 'starts_with' | 'ends_with';
      readonly value: string;
    };

type AssociationCondition<S extends SchemaShape<S>, T extends keyof S, A extends string> = A extends string
  ? {
      readonly association: A;
      /** Needed only if both ends have the same type. */
      readonly direction?: Direction;
      readonly operator: 'exists' | 'not_exists';
      readonly target_id?: string;
      /** A condition on the record at the other end. */
      readonly filter?: FilterOf<S, Ends<S, T, A>>;
    }
  : never;

type FilterOf<S extends SchemaShape<S>, N> = N extends keyof S ? Filter<S, N> : never;

export interface Aggregate<S extends SchemaShape<S>, T extends keyof S> {
  readonly filter?: Filter<S, T>;
  readonly search?: string;
  readonly group_by?: readonly GroupKey<S, T>[];
  readonly aggregations: readonly Aggregation<S, T>[];
  readonly having?: readonly {
    readonly as: string;
    readonly operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';
    /** A number as a string. */
    readonly value: string;
  }[];
  readonly sort?: readonly GroupSort[];
  /** Groups per page, up to 1,000. */
  readonly limit?: number;
  readonly cursor?: string;
}

type GroupKey<S extends SchemaShape<S>, T extends keyof S> =
  | { readonly property: PropertyName<S, T>; readonly granularity?: Granularity; readonly timezone?: string }
  | { readonly association: AssociationName<S, T>; readonly direction?: Direction };

interface Aggregation<S extends SchemaShape<S>, T extends keyof S> {
  readonly function: AggregationFunction;
  /** Without it, `count` counts records. */
  readonly property?: PropertyName<S, T>;
  /** The name of the value; by default `count` or `<function>_<property>`. */
  readonly as?: string;
}

type GroupSort =
  | { readonly as: string; readonly direction: SortDirection }
  | { readonly key: number; readonly direction: SortDirection };
