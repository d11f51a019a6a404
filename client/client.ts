// The client: the operations on the org as a whole, and `records` for those on one object type.
import { type Answer, type Page, toAnswer, toPage } from './answer.ts';
import type { BatchOperation } from './batch.ts';
import { Pages } from './pages.ts';
import { type CallOptions, type KeyedOptions, Records } from './records.ts';
import type { AnySchema, SchemaShape, TypeName } from './schema.ts';
import { Transport, type TransportOptions } from './transport.ts';
import { wait } from './wait.ts';
import type {
  AssociationType,
  BatchItemResult,
  BatchResult,
  Change,
  FieldType,
  ObjectType,
  ObjectTypeDetail,
  Reverted,
  Self,
  Service,
} from './wire.ts';

export type ClientOptions = TransportOptions;

/**
 * The service searches the feed for matching entries for up to five seconds, and answers with an empty page if it has
 * found none so far. An empty page that took less time is the end of the feed.
 */
const searchMs = 4_000;

export interface ChangesOptions<S> extends CallOptions {
  /** A cursor, `earliest` (the default) for all entries that are kept, or `latest` for new entries only. */
  readonly cursor?: string | undefined;
  /** Entries per page, up to 1,000. */
  readonly limit?: number | undefined;
  readonly objectType?: TypeName<S> | undefined;
  /** Limits the feed to the history of one record. */
  readonly recordId?: string | undefined;
  /** Seconds, up to 25, to wait when there are no entries yet. With it, the list follows the feed and has no end. */
  readonly wait?: number | undefined;
}

/** Creates a client. `createClient<Schema>` uses the types that `orrery types` prints. */
export function createClient<S extends SchemaShape<S> = AnySchema>(options: ClientOptions): Client<S> {
  return new Client<S>(new Transport(options));
}

export class Client<S extends SchemaShape<S> = AnySchema> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  records<T extends TypeName<S>>(objectType: T): Records<S, T> {
    return new Records<S, T>(this.#transport, objectType);
  }

  /** The name and version of the service, and the addresses of its documentation. Needs no key. */
  async getRoot({ signal }: CallOptions = {}): Promise<Answer<Service>> {
    return toAnswer(await this.#transport.send({ operation: 'getRoot', signal }));
  }

  /** The OpenAPI document. Needs no key. */
  async getOpenapi({ signal }: CallOptions = {}): Promise<Answer<Readonly<Record<string, unknown>>>> {
    const received = await this.#transport.send({ operation: 'getOpenapi', signal });
    return toAnswer({ ...received, body: { data: received.body } });
  }

  /** The caller, the key's grants, and its limits. */
  async getSelf({ signal }: CallOptions = {}): Promise<Answer<Self>> {
    return toAnswer(await this.#transport.send({ operation: 'getSelf', signal }));
  }

  /** The object types that the key can see. */
  async listObjectTypes({ signal }: CallOptions = {}): Promise<Answer<readonly ObjectType[]>> {
    return toAnswer(await this.#transport.send({ operation: 'listObjectTypes', signal }));
  }

  /** An object type with its properties. */
  async getObjectType(objectType: TypeName<S>, { signal }: CallOptions = {}): Promise<Answer<ObjectTypeDetail>> {
    const path = { object_type: objectType };
    return toAnswer(await this.#transport.send({ operation: 'getObjectType', path, signal }));
  }

  /** The field types: what a property can hold, and how it can be filtered, sorted and aggregated. */
  async listFieldTypes({ signal }: CallOptions = {}): Promise<Answer<readonly FieldType[]>> {
    return toAnswer(await this.#transport.send({ operation: 'listFieldTypes', signal }));
  }

  /** One entry per pair of types. A name can occur more than once, so match on the pair. */
  async listAssociationTypes(
    objectType: TypeName<S>,
    { signal }: CallOptions = {},
  ): Promise<Answer<readonly AssociationType[]>> {
    const path = { object_type: objectType };
    return toAnswer(await this.#transport.send({ operation: 'listAssociationTypes', path, signal }));
  }

  /** Runs up to 1,000 operations in order. The results report failures; with `atomic`, the first failure is thrown. */
  async batch(
    batchOperations: readonly BatchOperation<S>[],
    options: KeyedOptions & { readonly atomic?: boolean | undefined } = {},
  ): Promise<Answer<BatchResult>> {
    const { atomic, signal, dryRun, idempotencyKey } = options;
    const body = { atomic, operations: batchOperations };
    const request = { operation: 'batch', body, signal, isDryRun: dryRun, idempotencyKey } as const;
    return toAnswer(await this.#transport.send(request));
  }

  /**
   * Takes back what a request or an import wrote, as far as nobody has changed it since, and reports what became of each
   * record. A dry run reports the same and changes nothing.
   */
  async revert(
    undone: { readonly requestId: string } | { readonly jobId: string },
    options: KeyedOptions = {},
  ): Promise<Answer<Reverted>> {
    const name = 'requestId' in undone ? { request_id: undone.requestId } : { job_id: undone.jobId };
    const answer = await this.batch([{ operation: 'revert', ...name }], { ...options, atomic: true });
    return { ...answer, data: answer.data.results[0] as BatchItemResult & Reverted };
  }

  /** The change feed, in commit order. Without `wait`, it ends at the first empty page. */
  listChanges(options: ChangesOptions<S> = {}): Pages<Change> {
    const { cursor, limit, objectType, recordId, wait: seconds = 0, signal } = options;
    const read = async (at: string | undefined): Promise<Page<Change>> => {
      const begunMs = performance.now();
      const query = { cursor: at, limit, object_type: objectType, record_id: recordId, wait: seconds };
      const request = { operation: 'listChanges', query, signal, waitMs: seconds * 1_000 } as const;
      const page = toPage<Change>(await this.#transport.send(request));
      if (page.data.length > 0) return page;
      const tookMs = performance.now() - begunMs;
      if (tookMs > seconds * 1_000 + searchMs) return read(page.nextCursor ?? at);
      // A service with too many waiting requests answers at once; following the feed then needs a pause of its own.
      const leftMs = Math.min(seconds, 1) * 1_000 - tookMs;
      if (leftMs > 0) await wait(leftMs, signal);
      return page;
    };
    return new Pages(read, cursor, (page) => seconds === 0 && page.data.length === 0);
  }
}
