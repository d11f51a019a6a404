// The types of queries and aggregations: with printed types, what a field type does not offer does not compile. The service
// checks them again, with everything that types cannot express.
import type { AssociationName, Ends, FieldOf, FieldShape, PropertyName, SchemaShape, Stored } from './schema.ts';
import type { AggregationFunction, Direction, Granularity, Operator, SortDirection } from './wire.ts';

export interface Query<S extends SchemaShape<S>, T extends keyof S> {
  readonly filter?: Filter<S, T>;
  /** Finds records in which each of these words is the beginning of some word. */
  readonly search?: string;
  readonly sort?: readonly { readonly property: SortableName<S, T>; readonly direction: SortDirection }[];
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

/** Properties with several values have no order. */
type SortableName<S extends SchemaShape<S>, T extends keyof S> =
  string extends PropertyName<S, T>
    ? string
    : {
        [P in PropertyName<S, T>]: FieldOf<S, T, P>['sortable'] extends false
          ? never
          : Stored<S, T>[P] extends readonly unknown[]
            ? never
            : P;
      }[PropertyName<S, T>];

type Condition<S extends SchemaShape<S>, T extends keyof S> =
  string extends PropertyName<S, T>
    ? { readonly property: string; readonly operator: Operator; readonly value?: unknown }
    : {
        [P in PropertyName<S, T>]: PropertyCondition<P, Element<Stored<S, T>[P]>, FieldOf<S, T, P>['filter_operators']>;
      }[PropertyName<S, T>];

type Element<V> = V extends readonly (infer E)[] ? E : V;

/** The conditions on a property with values `V` whose field type has the operators `O`. */
type PropertyCondition<P extends string, V, O extends Operator> =
  | { readonly property: P; readonly operator: O & ('is_set' | 'is_not_set') }
  | Compared<P, O & ('eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'), V>
  | Compared<P, O & ('in' | 'not_in'), readonly V[]>
  | Compared<P, O & 'between', readonly [low: V, high: V]>
  | Compared<P, O & ('contains' | 'not_contains' | 'starts_with' | 'ends_with'), string>;

type Compared<P extends string, O extends Operator, V> = [O] extends [never]
  ? never
  : { readonly property: P; readonly operator: O; readonly value: V };

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
  | (string extends PropertyName<S, T>
      ? { readonly property: string; readonly granularity?: Granularity; readonly timezone?: string }
      : { [P in PropertyName<S, T>]: GroupedProperty<P, FieldOf<S, T, P>> }[PropertyName<S, T>])
  | { readonly association: AssociationName<S, T>; readonly direction?: Direction };

type GroupedProperty<P extends string, F extends FieldShape> = F['groupable'] extends false
  ? never
  : [F['granularities']] extends [never]
    ? { readonly property: P }
    : {
        readonly property: P;
        readonly granularity?: F['granularities'];
        /** Only what has hours depends on a time zone. */
        readonly timezone?: 'hour' extends F['granularities'] ? string : never;
      };

type Aggregation<S extends SchemaShape<S>, T extends keyof S> =
  string extends PropertyName<S, T>
    ? Measure<AggregationFunction> & { readonly property?: string }
    :
        | Measure<'count'>
        | {
            [P in PropertyName<S, T>]: PropertyMeasure<FieldOf<S, T, P>['aggregations'], P>;
          }[PropertyName<S, T>];

/** Without a property, `count` counts records. */
interface Measure<F extends AggregationFunction> {
  readonly function: F;
  /** The name of the value; by default `count` or `<function>_<property>`. */
  readonly as?: string;
}

interface PropertyMeasure<F extends AggregationFunction, P extends string> extends Measure<F> {
  readonly property: P;
}

type GroupSort =
  | { readonly as: string; readonly direction: SortDirection }
  | { readonly key: number; readonly direction: SortDirection };
