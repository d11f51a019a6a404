// The operations on the records of one object type. A method has the name of its operation without the word Record:
// `createRecord` is `create`.
import { type Answer, toAnswer, toPage } from './answer.ts';
import { Pages } from './pages.ts';
import type { Aggregate, Query } from './query.ts';
import type {
  Allowed,
  AssociationName,
  Changes,
  Ends,
  Link,
  LinkName,
  NewValues,
  OtherEnd,
  PropertyName,
  RecordOf,
  SchemaShape,
  TypeName,
} from './schema.ts';
import type { Request, Transport } from './transport.ts';
import type { Association, DeletedRecord, Direction, Group } from './wire.ts';

export interface CallOptions {
  /** Ends the call at any point, also while it waits for its next attempt. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Checks everything and stores nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface KeyedOptions extends WriteOptions {
  /** Makes sure that the request is done once, however often it is sent. By default, each call has its own. */
  readonly idempotencyKey?: string | undefined;
}

export interface MatchOptions {
  /** The version or ETag that the record must have; any other fails with `version_mismatch`. */
  readonly ifMatch?: string | undefined;
}

export interface ReadOptions<S extends SchemaShape<S>, T extends keyof S> extends CallOptions {
  /** The properties to return; by default, all. */
  readonly properties?: readonly PropertyName<S, T>[] | undefined;
  /** Up to 5 association types whose linked records are returned with each record. */
  readonly include?: readonly AssociationName<S, T>[] | undefined;
}

export interface GetOptions<S extends SchemaShape<S>, T extends keyof S> extends ReadOptions<S, T> {
  /** Adds `external_ids`: the ids that the record has in other systems. */
  readonly includeExternalIds?: boolean | undefined;
}

export interface PageOptions {
  /** Records per page, up to 500. */
  readonly limit?: number | undefined;
  /** Where to start; by default, at the first page. */
  readonly cursor?: string | undefined;
}

export interface AssociatedOptions extends CallOptions, PageOptions {
  /** Needed only if both ends have the same type. */
  readonly direction?: Direction | undefined;
  readonly properties?: readonly string[] | undefined;
}

export interface NewRecordOptions<S extends SchemaShape<S>, T extends keyof S> extends KeyedOptions {
  /** Up to 100 links to create with the record. */
  readonly associations?: readonly Link<S, T>[] | undefined;
}

export class Records<S extends SchemaShape<S>, T extends TypeName<S>> {
  readonly objectType: T;
  readonly #transport: Transport;

  constructor(transport: Transport, objectType: T) {
    this.#transport = transport;
    this.objectType = objectType;
  }

  /** All records, in order of creation. */
  list(options: ReadOptions<S, T> & PageOptions = {}): Pages<RecordOf<S, T>> {
    const { limit, cursor, signal } = options;
    return new Pages(async (at) => {
      const query = { ...selection(options), limit, cursor: at };
      return toPage(await this.#send({ operation: 'listRecords', query, signal }));
    }, cursor);
  }

  /** The records that match a filter and a search, in the requested order. */
  query(question: Query<S, T> = {}, { signal }: CallOptions = {}): Pages<RecordOf<S, T>> {
    return new Pages(async (cursor) => {
      return toPage(await this.#send({ operation: 'queryRecords', body: { ...question, cursor }, signal }));
    }, question.cursor);
  }

  /** Counts, sums and other aggregations by group. Without `group_by` there is one group. */
  aggregate(question: Aggregate<S, T>, { signal }: CallOptions = {}): Pages<Group> {
    return new Pages(async (cursor) => {
      return toPage(await this.#send({ operation: 'aggregateRecords', body: { ...question, cursor }, signal }));
    }, question.cursor);
  }

  async get(id: string, options: GetOptions<S, T> = {}): Promise<Answer<RecordOf<S, T>>> {
    const { signal, includeExternalIds } = options;
    const query = { ...selection(options), ...(includeExternalIds === true ? { include_external_ids: 'true' } : {}) };
    return toAnswer(await this.#send({ operation: 'getRecord', path: { id }, query, signal }));
  }

  async create(properties: NewValues<S, T>, options: NewRecordOptions<S, T> = {}): Promise<Answer<RecordOf<S, T>>> {
    const body = { properties, associations: options.associations };
    return toAnswer(await this.#send({ operation: 'createRecord', body, ...writing(options) }));
  }

  /** Updates the record that holds the value of a unique property, or creates one. */
  async upsert(
    match: S[T]['unique'],
    properties: NewValues<S, T>,
    options: NewRecordOptions<S, T> & {
      /** Creates, never updates; if a record matches, it fails with `already_exists`. */
      readonly ifNoneMatch?: '*' | undefined;
    } = {},
  ): Promise<Answer<RecordOf<S, T>>> {
    const body = { properties, associations: options.associations };
    const headers = options.ifNoneMatch === undefined ? {} : { 'If-None-Match': options.ifNoneMatch };
    const request = { ...writing(options), headers };
    return toAnswer(await this.#send({ operation: 'upsertRecord', query: { match }, body, ...request }));
  }

  /** An absent property stays unchanged; null clears it. */
  async update(
    id: string,
    properties: Changes<S, T>,
    options: KeyedOptions & MatchOptions = {},
  ): Promise<Answer<RecordOf<S, T>>> {
    const request = { path: { id }, body: { properties }, ...writing(options) };
    return toAnswer(await this.#send({ operation: 'updateRecord', ...request }));
  }

  /** Moves the record to the trash. `restore` in a batch brings it back. */
  async delete(
    id: Allowed<S, T, 'delete', string>,
    options: WriteOptions & MatchOptions = {},
  ): Promise<Answer<DeletedRecord>> {
    return toAnswer(await this.#send({ operation: 'deleteRecord', path: { id }, ...writing(options) }));
  }

  /** Links the record to another. The stage of a record is such a link. */
  async putAssociation(
    id: string,
    associationType: LinkName<S, T>,
    targetId: string,
    options: WriteOptions & MatchOptions = {},
  ): Promise<Answer<Association>> {
    const path = { id, association_type: associationType, target_id: targetId };
    return toAnswer(await this.#send({ operation: 'putAssociation', path, ...writing(options) }));
  }

  async deleteAssociation(
    id: string,
    associationType: LinkName<S, T>,
    targetId: string,
    options: WriteOptions & MatchOptions = {},
  ): Promise<Answer<Association>> {
    const path = { id, association_type: associationType, target_id: targetId };
    return toAnswer(await this.#send({ operation: 'deleteAssociation', path, ...writing(options) }));
  }

  /** The records that are linked by an association type, from either end. */
  listAssociated<A extends AssociationName<S, T>>(
    id: string,
    associationType: A,
    options: AssociatedOptions = {},
  ): Pages<OtherEnd<S, Ends<S, T, A>>> {
    const { direction, properties, limit, cursor, signal } = options;
    const path = { id, association_type: associationType };
    return new Pages(async (at) => {
      const query = { direction, properties: properties?.join(), limit, cursor: at };
      return toPage(await this.#send({ operation: 'listAssociated', path, query, signal }));
    }, cursor);
  }

  #send(request: Request) {
    return this.#transport.send({ ...request, path: { object_type: this.objectType, ...request.path } });
  }
}

function selection({
  properties,
  include,
}: {
  properties?: readonly string[] | undefined;
  include?: readonly string[] | undefined;
}) {
  // An empty `include` is not sent. An empty `properties` is: it asks for no properties.
  return { properties: properties?.join(), include: include?.length === 0 ? undefined : include?.join() };
}

/** The members of a request that follow from the options of a write. */
function writing({ signal, dryRun, idempotencyKey, ifMatch }: KeyedOptions & MatchOptions) {
  // An ETag is a version in quotes.
  const tag = ifMatch !== undefined && /^[0-9]+$/.test(ifMatch) ? `"${ifMatch}"` : ifMatch;
  return { signal, isDryRun: dryRun, idempotencyKey, headers: tag === undefined ? {} : { 'If-Match': tag } };
}
