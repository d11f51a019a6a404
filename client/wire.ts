// The answers of the service, with the names that they have in JSON. Members that are added to answers later are passed
// on unchanged.

export interface Service {
  readonly name: string;
  readonly version: string;
  readonly release: string;
  readonly status: string;
  readonly openapi_url: string;
  readonly docs_url: string;
}

export type GrantOperation = 'read' | WriteOperation;
export type WriteOperation = 'create' | 'update' | 'delete' | 'associate';

export interface Grant {
  readonly object_types: readonly string[];
  readonly operations: readonly GrantOperation[];
  readonly locked_properties?: readonly string[];
}

export interface Limits {
  readonly body_bytes: number;
  readonly batch_body_bytes: number;
  readonly batch_operations: number;
  readonly page_size_default: number;
  readonly page_size: number;
  readonly changes_page_size: number;
  readonly filter_conditions: number;
  readonly filter_depth: number;
  readonly in_values: number;
  readonly sort_keys: number;
  readonly group_keys: number;
  readonly aggregations: number;
  readonly groups: number;
  readonly values_per_property: number;
  readonly properties_per_type: number;
  readonly statement_seconds: number;
  readonly rate_limit: { readonly quota: number; readonly window_seconds: number };
}

export interface Self {
  readonly org_id: number;
  readonly principal_id: string;
  readonly reach: 'user' | 'org';
  readonly credential: { readonly id: string; readonly name: string; readonly expires_at?: string };
  readonly grants: readonly Grant[];
  readonly limits: Limits;
}

export interface ObjectType {
  readonly name: string;
  readonly label: string;
  readonly plural_label: string;
  readonly description: string;
  readonly category: 'core' | 'pipeline' | 'synced' | 'activity' | 'generated' | 'platform' | 'custom';
  readonly kind: string | null;
  readonly writable_operations: readonly WriteOperation[];
  readonly title_property: string | null;
  readonly unique_properties: readonly string[];
}

export interface ObjectTypeDetail extends ObjectType {
  readonly properties: readonly Property[];
}

export interface Property {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly field_type: string;
  readonly multi_valued: boolean;
  readonly read_only: boolean;
  readonly required: boolean;
  readonly unique: boolean;
  readonly options?: readonly Option[];
  readonly custom: boolean;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface FieldType {
  readonly name: string;
  readonly label: string;
  /** A JSON Schema (2020-12) for one value. */
  readonly value_shape: Readonly<Record<string, unknown>>;
  readonly example: unknown;
  readonly filter_operators: readonly Operator[];
  readonly aggregations: readonly AggregationFunction[];
  readonly sortable: boolean;
  readonly groupable: boolean;
  readonly granularities?: readonly Granularity[];
}

export type Operator =
  | 'is_set'
  | 'is_not_set'
  | 'eq'
  | 'neq'
  | 'in'
  | 'not_in'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'ends_with'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'between';

export type AggregationFunction = 'count' | 'count_distinct' | 'sum' | 'avg' | 'min' | 'max' | 'median';
export type Granularity = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
export type Direction = 'outgoing' | 'incoming';
export type SortDirection = 'asc' | 'desc';

export interface AssociationType {
  readonly name: string;
  readonly label: string;
  readonly source_type: string;
  readonly target_type: string;
  readonly direction: Direction;
  readonly cardinality: 'many_to_many' | 'many_to_one';
  readonly stage: boolean;
  readonly writable: boolean;
}

export interface AssociationEnd {
  readonly object_type: string;
  readonly id: string;
}

export interface Association {
  readonly association_type: string;
  readonly source: AssociationEnd;
  readonly target: AssociationEnd;
  /** Whether the request changed anything; a repeated request does not. */
  readonly changed: boolean;
  readonly replaced_target_id?: string;
  /** The timer that was written because the record left a stage. */
  readonly stage_timer_id?: string;
}

export interface DeletedRecord {
  readonly id: string;
  readonly object_type: string;
  readonly deleted: true;
}

export interface Group {
  /** One member for each group key; null if it is unset or unlinked. */
  readonly key: readonly unknown[];
  /** Numbers are numeric strings. Sums, averages and the like of currencies are lists of amounts, one for each unit. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface BatchResult {
  readonly results: readonly BatchItemResult[];
  readonly succeeded: number;
  readonly failed: number;
}

export interface BatchItemResult extends Partial<Reverted> {
  readonly index: number;
  /** The status that the operation would have outside a batch. */
  readonly status: number;
  readonly id?: string;
  readonly version?: string;
  /** The key whose secret the item has made. */
  readonly properties?: { readonly svc_key: string };
  /** What an erasure leaves, in sentences. */
  readonly note?: string;
  readonly problem?: ProblemBody;
}

/** What became of the records of a request that was taken back. A record can be in several lists. */
export interface Reverted {
  /** Records of which something went back; at most 1,000 are listed here, as in the other lists. */
  readonly reverted: readonly RevertedRecord[];
  /** Records of which something stays, because a later request has changed it. */
  readonly kept: readonly RevertedRecord[];
  /** Records of which something could not go back. */
  readonly refused: readonly (RevertedRecord & { readonly reason: string })[];
  /** How many records each list would have in full. */
  readonly counts: { readonly reverted: number; readonly kept: number; readonly refused: number };
}

export interface RevertedRecord {
  readonly object_type: string;
  readonly id: string;
}

export type ChangeType =
  | 'record.created'
  | 'record.updated'
  | 'record.deleted'
  | 'record.restored'
  | 'association.created'
  | 'association.deleted';

export interface Change {
  readonly id: string;
  readonly type: ChangeType;
  /** The type of the record or, for a link, of its source. */
  readonly object_type: string;
  readonly record_id: string;
  readonly version: string;
  /** The old and the new value of each changed property; absent if it was or is unset. */
  readonly changed?: Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>;
  readonly association_type?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly at: string;
  readonly principal_id: string;
  readonly request_id: string;
}

/** The closed list of problem codes with their statuses. A test compares it with the served document. */
export const problemStatuses = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  timeout: 504,
} as const;

export type ProblemCode = keyof typeof problemStatuses;

/** One error in a request: in its body (`pointer`), or in a parameter or header (`parameter`). */
export interface ProblemFault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly property?: string;
  readonly reason: string;
  readonly detail: string;
  readonly expected?: Readonly<Record<string, unknown>>;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
}

export interface Conflict {
  readonly object_type: string;
  /** The unique property; absent for an external id. */
  readonly property?: string;
  readonly existing_id?: string;
}

/** RFC 9457, with the members of this service. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  /** From an open list: new reasons can appear at any time. */
  readonly reason?: string;
  readonly request_id: string;
  readonly errors?: readonly ProblemFault[];
  readonly conflict?: Conflict;
}
