// The client: the operations that are about no single object type, and `records` for those that are.
import { type Answer, type Page, toAnswer, toPage } from './answer.ts';
import type { BatchOperation } from './batch.ts';
import { Pages } from './pages.ts';
import { type CallOptions, type KeyedOptions, Records } from './records.ts';
import type { AnySchema, SchemaShape, TypeName } from './schema.ts';
import { Transport, type TransportOptions } from './transport.ts';
import { wait } from './wait.ts';
import type {
  AssociationType,
  BatchResult,
  Change,
  FieldType,
  ObjectType,
  ObjectTypeDetail,
  Self,
  Service,
} from './wire.ts';

export type ClientOptions = TransportOptions;

/**
 * The service looks for changes that were asked for among all others for five seconds, and answers nothing if it found
 * none so far. What is answered in less is the end of the feed.
 */
const searchMs = 4_000;

export interface ChangesOptions<S> extends CallOptions {
  /** Where a reader stands, `earliest` (the default) for all that is kept, or `latest` for what comes from now on. */
  readonly cursor?: string | undefined;
  /** How many entries a page has, up to 1,000. */
  readonly limit?: number | undefined;
  readonly objectType?: TypeName<S> | undefined;
  /** The history of one record. */
  readonly recordId?: string | undefined;
  /** Seconds, up to 25, to wait where there is nothing yet. With it the list has no end: it follows the feed. */
  readonly wait?: number | undefined;
}

/** Makes a client. `createClient<Schema>` takes the types that `orrery types` prints. */
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

  /** What the service is, and where its documents are. Needs no key. */
  async getRoot({ signal }: CallOptions = {}): Promise<Answer<Service>> {
    return toAnswer(await this.#transport.send({ operation: 'getRoot', signal }));
  }

  /** The OpenAPI document. Needs no key. */
  async getOpenapi({ signal }: CallOptions = {}): Promise<Answer<Readonly<Record<string, unknown>>>> {
    const received = await this.#transport.send({ operation: 'getOpenapi', signal });
    return toAnswer({ ...received, body: { data: received.body } });
  }

  /** Who is calling, what the key is granted, and the limits that hold for it. */
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

  /** What properties can hold, and how each can be filtered, sorted and aggregated. */
  async listFieldTypes({ signal }: CallOptions = {}): Promise<Answer<readonly FieldType[]>> {
    return toAnswer(await this.#transport.send({ operation: 'listFieldTypes', signal }));
  }

  /** One entry per pair of types, so one name can stand here more than once: match on the pair. */
  async listAssociationTypes(
    objectType: TypeName<S>,
    { signal }: CallOptions = {},
  ): Promise<Answer<readonly AssociationType[]>> {
    const path = { object_type: objectType };
    return toAnswer(await this.#transport.send({ operation: 'listAssociationTypes', path, signal }));
  }

  /** Up to 1,000 operations, in order. Those that fail are told in the results; with `atomic` the first one is thrown. */
  async batch(
    batchOperations: readonly BatchOperation<S>[],
    options: KeyedOptions & { readonly atomic?: boolean | undefined } = {},
  ): Promise<Answer<BatchResult>> {
    const { atomic, signal, dryRun, idempotencyKey } = options;
    const body = { atomic, operations: batchOperations };
    const request = { operation: 'batch', body, signal, isDryRun: dryRun, idempotencyKey } as const;
    return toAnswer(await this.#transport.send(request));
  }

  /** What has changed, in the order of commits. Without `wait` it ends with the first page that has nothing. */
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
      // A service with too many who wait answers at once: whoever follows the feed must not ask without a pause.
      const leftMs = Math.min(seconds, 1) * 1_000 - tookMs;
      if (leftMs > 0) await wait(leftMs, signal);
      return page;
    };
    return new Pages(read, cursor, (page) => seconds === 0 && page.data.length === 0);
  }
}
