// The contract of an operation: one declaration gives its route, its checks and its page in the OpenAPI document. An
// operation knows no request and no response: it gets checked input and returns data.
import type { TSchema } from 'typebox';
import type { Json } from '../base/json.ts';
import type { Fault, ProblemCode } from '../base/problem.ts';
import type { Shape } from '../base/shape.ts';
import type { Call } from '../engine/process/call.ts';
import type { Conditions, RequestHeader } from './request/headers.ts';
import type { Parameter } from './request/parameter.ts';

/** Every path below carries the version of the interface. */
export const basePath = '/rest/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What was sent, after the checks that every operation shares: only declared parameters, each at most once. */
export interface Input {
  readonly path: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** The body, which fits the declared shape; undefined where none is taken. */
  readonly body: unknown;
  readonly conditions: Conditions;
}

/** Facts of this service that answers are made of. */
export interface ServiceFacts {
  readonly release: string;
  /** Scheme and host as the client knows them, without a slash at the end. */
  readonly origin: string;
  /** The text of the OpenAPI document; printed from the table of operations, which is why it comes from above. */
  readonly document: () => string;
}

/** `data` is wrapped in the envelope, a JsonText as it is; a `document` is sent bare (contract 2: the one exception). */
export type Answer = DataAnswer | { readonly document: string };

export interface DataAnswer {
  readonly data: unknown;
  /** If it is another one than the declared status. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pagination?: { readonly next_cursor: string | null; readonly changes_cursor?: string };
  /** Nothing of it was stored (Svc-Dry-Run). */
  readonly dryRun?: true;
}

interface Declaration {
  readonly id: string;
  readonly method: Method;
  /** As in the OpenAPI document, below `/rest/v1`. */
  readonly path: string;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  readonly pathParameters?: Readonly<Record<string, Parameter>>;
  readonly query?: Readonly<Record<string, Parameter>>;
  /** The headers that it heeds. */
  readonly headers?: readonly RequestHeader[];
  readonly body?: BodyDeclaration;
  /** A `bare` answer is sent as it is, without the envelope. */
  readonly answer: {
    readonly status: number;
    readonly description: string;
    readonly schema: TSchema;
    readonly bare?: true;
    /** Whether the answer is a page, with `pagination` beside `data`. */
    readonly paged?: true;
    readonly headers?: readonly AnswerHeader[];
    /** Another status under which the same shape is answered. */
    readonly or?: {
      readonly status: number;
      readonly description: string;
      readonly headers?: readonly AnswerHeader[];
    };
  };
  /** The problems that this operation adds to those of every operation. */
  readonly problems?: readonly ProblemCode[];
  /** By name. Tools fill in the first one for a first try: it asks for nothing that only some orgs have. */
  readonly examples: Readonly<Record<string, Example>>;
}

/**
 * A request as a caller would send it, and what it gets. The OpenAPI document shows it, and a test sends it and holds the
 * answer against it, so that no example lies. What only the caller can know, such as ids, is of `examples/records.ts`.
 */
export interface Example {
  /** What it asks for. */
  readonly summary: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Partial<Record<RequestHeader, string>>>;
  readonly body?: Json;
  /** Where it is worth showing. */
  readonly answer?: Answer;
  /** The answer shows some entries of its lists, and some members of its objects. */
  readonly excerpt?: true;
}

export interface BodyDeclaration {
  readonly description: string;
  /** What the OpenAPI document says. */
  readonly schema: TSchema;
  /** What is checked before the operation runs; an operation that takes items checks each of them itself. */
  readonly shape: Shape<unknown>;
  readonly bytesMax: number;
}

export type AnswerHeader = 'ETag' | 'Location' | 'Svc-Idempotent-Replay';

export interface PublicOperation extends Declaration {
  readonly access: 'public';
  run(facts: ServiceFacts, input: Input): Answer | Promise<Answer>;
}

export interface KeyOperation extends Declaration {
  readonly access: 'key';
  /** The faults of parameters that only the caller's catalog or the database can tell; told with all others. */
  faults?(call: Call, input: Input): readonly Fault[] | Promise<readonly Fault[]>;
  /** Units of the rate limit, where it is not one (contract 9). */
  cost?(input: Input): number;
  run(call: KeyCall, input: Input): Answer | Promise<Answer>;
}

/** A call, with what an answer needs to know of the service. */
export interface KeyCall extends Call {
  /** Scheme and host as the client knows them. */
  readonly origin: () => string;
  /** Whether the client has gone away, so that nobody waits for the answer. */
  readonly isAbandoned: () => boolean;
}

export type Operation = PublicOperation | KeyOperation;

export const tags = {
  Service: 'What this service is, and who is calling.',
  Schema: "The org's object types, properties, field types and association types, as the key can see them.",
  Records: 'The records of every object type: read, written one by one or in batches.',
  Associations: 'The links between records, stages among them.',
  Changes: 'What has changed, in order: for copies, integrations and histories.',
} as const;
