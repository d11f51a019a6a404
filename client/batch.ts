// The types of the operations in a batch: one shape for each operation and object type.
import type { Allowed, Changes, ExternalId, Link, LinkName, NewValues, SchemaShape, TypeName } from './schema.ts';

/** The id of a record, a reference to an earlier operation of the batch, or one unique property with its value. */
export type BatchId = string | { readonly ref: string } | { readonly match: Readonly<Record<string, unknown>> };

/** The id that a record has in another system. A batch adds such ids to those that the record has. */
interface WithExternalIds {
  readonly external_ids?: readonly ExternalId[];
}

export type BatchOperation<S extends SchemaShape<S>> = { [T in TypeName<S>]: OperationOn<S, T> }[TypeName<S>] | Revert;

/** Takes back what a request or an import wrote. */
type Revert =
  | { readonly operation: 'revert'; readonly request_id: string }
  | { readonly operation: 'revert'; readonly job_id: string };

interface On<N extends string, T> {
  readonly operation: N;
  readonly object_type: T;
  /** A name for the record that later operations can refer to. */
  readonly ref?: string;
}

type OperationOn<S extends SchemaShape<S>, T extends TypeName<S>> =
  | (On<'create', T> &
      WithExternalIds & {
        readonly properties: NewValues<S, T>;
        readonly associations?: readonly Link<S, T, BatchId>[];
      })
  | (On<'update', T> & WithExternalIds & { readonly id: BatchId; readonly properties: Changes<S, T> })
  | (On<'upsert', T> &
      WithExternalIds & {
        readonly match: S[T]['unique'];
        readonly properties: NewValues<S, T>;
        readonly associations?: readonly Link<S, T, BatchId>[];
      })
  | (On<'delete' | 'restore' | 'erase', T> & { readonly id: Allowed<S, T, 'delete', BatchId> })
  | (On<'merge', T> & { readonly id: Allowed<S, T, 'delete', BatchId>; readonly duplicate_id: BatchId })
  | (On<'associate' | 'dissociate', T> & {
      readonly id: BatchId;
      readonly association_type: LinkName<S, T>;
      readonly target_id: BatchId;
    });
