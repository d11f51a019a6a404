// The public interface of `@orrery/client`. These exports are stable; everything else may change.
export type { Answer, Page, RateLimit } from './answer.ts';
export type { BatchId, BatchOperation } from './batch.ts';
export { type ChangesOptions, type Client, type ClientOptions, createClient } from './client.ts';
export {
  OrreryAnswerError,
  OrreryError,
  OrreryNetworkError,
  OrreryProblem,
  OrreryTimeoutError,
} from './errors.ts';
export type { OperationId } from './operations.ts';
export type { Pages } from './pages.ts';
export type { Aggregate, Filter, Query } from './query.ts';
export type {
  AssociatedOptions,
  CallOptions,
  GetOptions,
  KeyedOptions,
  MatchOptions,
  NewRecordOptions,
  PageOptions,
  ReadOptions,
  Records,
  WriteOptions,
} from './records.ts';
export type {
  AnySchema,
  Changes,
  Currency,
  ExternalId,
  FieldShape,
  Link,
  NewValues,
  OtherEnd,
  Phone,
  RecordOf,
  SchemaShape,
  TypeShape,
  Value,
  Values,
} from './schema.ts';
export { type SyncOptions, type SyncStep, sync } from './sync.ts';
export { type CopiedLinks, type CopiedRecord, MemoryStore, type SyncBatch, type SyncStore } from './sync-store.ts';
export type * from './wire.ts';
