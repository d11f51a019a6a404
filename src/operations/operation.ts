// The contract of an operation: one declaration gives its route, its checks and its page in the OpenAPI document. An
// operation never sees a request or a response object: it is given parsed input and returns data.
import type { TSchema } from 'typebox';
import type { Json, JsonText } from '../base/json.ts';
import type { Fault, ProblemCode } from '../base/problem.ts';
import type { Shape } from '../base/shape.ts';
import type { Call } from '../engine/process/call.ts';
import type { Session } from '../engine/process/session.ts';
import type { Conditions, RequestHeader } from './request/headers.ts';
import type { Parameter } from './request/parameters.ts';

/** The path of the API's version, below which every path is declared. */
export const basePath = '/rest/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The parts of a request after the checks that every operation shares: only declared parameters, each at most once. */
export interface Input<PathName extends string = string, QueryName extends string = string, Body = unknown> {
  readonly path: Readonly<Record<PathName, string>>;
  readonly query: ReadonlyMap<QueryName, string>;
  /** Undefined if the operation takes no body, or if the body has faults (see `BodyDeclaration.read`). */
  readonly body: Body | undefined;
  readonly conditions: Conditions;
}

/** Facts about this service that answers contain. */
interface ServiceFacts {
  readonly release: string;
  /** Scheme and host as the client knows them, without a slash at the end. */
  readonly origin: string;
  /** The OpenAPI document. It is printed from the table of operations, so it is passed in from above. */
  readonly document: () => DocumentAnswer;
}

/** `data` is wrapped in the envelope; a JsonText is sent as it is. A `document` has no envelope (contract 2). */
export type Answer = DataAnswer | DocumentAnswer;

export interface DocumentAnswer {
  readonly document: string;
  /** The weak ETag of its content: the request id is another one in each answer. */
  readonly tag?: string;
}

export interface DataAnswer {
  readonly data: unknown;
  /** The same with what only this answer has: it is sent instead of `data`, and never kept. */
  readonly once?: JsonText;
  /** The form in which it is kept for repeated requests, if not the one in which it is sent. */
  readonly kept?: object;
  /** Present if it differs from the declared status. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pagination?: { readonly next_cursor: string | null; readonly changes_cursor?: string };
  /** Nothing was stored (Svc-Dry-Run). */
  readonly dryRun?: true;
}

interface Declaration<PathName extends string, QueryName extends string, Body> {
  readonly id: string;
  readonly method: Method;
  /** As in the OpenAPI document, below `/rest/v1`. */
  readonly path: string;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  readonly pathParameters?: Readonly<Record<PathName, Parameter>>;
  readonly query?: Readonly<Record<QueryName, Parameter>>;
  /** The request headers that it supports. */
  readonly headers?: readonly RequestHeader[];
  readonly body?: BodyDeclaration<Body>;
  readonly answer: AnswerDeclaration;
  /** The problems that this operation adds to those of every operation. */
  readonly problems?: readonly ProblemCode[];
  /** By name. Tools fill in the first one for a first try, so it needs nothing that only some orgs have. */
  readonly examples: Examples;
}

interface AnswerDeclaration {
  readonly status: number;
  readonly description: string;
  readonly schema: TSchema;
  /** The answer is sent without the envelope, and a client that has it already, as its ETag tells, gets a 304. */
  readonly bare?: true;
  /** The answer is a page, with `pagination` beside `data`. */
  readonly paged?: true;
  readonly headers?: readonly AnswerHeader[];
  /** Another status with which the same shape is answered. */
  readonly or?: {
    readonly status: number;
    readonly description: string;
    readonly headers?: readonly AnswerHeader[];
  };
}

type AnswerHeader = 'ETag' | 'Location' | 'Svc-Idempotent-Replay';

/**
 * A request as a caller would send it, and its answer. The OpenAPI document shows it, and a test sends it and compares the
 * answer, so that every example is true. Ids and other things that only the caller knows come from `examples/records.ts`.
 */
export interface Example {
  readonly summary: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Partial<Record<RequestHeader, string>>>;
  readonly body?: Json;
  /** Present where it is worth showing. */
  readonly answer?: Answer;
  /** The answer shows only some entries of its lists and some members of its objects. */
  readonly excerpt?: true;
}

export type Examples = Readonly<Record<string, Example>>;

export interface BodyDeclaration<Body> {
  readonly description: string;
  /** The schema that the OpenAPI document shows. */
  readonly schema: TSchema;
  readonly bytesMax: number;
  /** The most members and elements that it can have. */
  readonly valuesMax: number;
  /** Adds the faults of the JSON that was sent. Returns the body to parse further; undefined if it cannot be parsed. */
  read(sent: unknown, faults: Fault[]): Body | undefined;
}

/** Reads a body that is parsed further only if it has its shape. */
export function readAs<Body>(shape: Shape<Body>): BodyDeclaration<Body>['read'] {
  return (sent, faults) => {
    if (shape.admits(sent)) return sent;
    faults.push(...shape.check(sent));
    return undefined;
  };
}

export interface PublicOperation extends Declaration<string, string, unknown> {
  readonly access: 'public';
  run(facts: ServiceFacts): Answer | Promise<Answer>;
}

export interface KeyOperation<
  Request,
  PathName extends string = string,
  QueryName extends string = string,
  Body = unknown,
> extends Declaration<PathName, QueryName, Body> {
  readonly access: 'key';
  /** Throws a Problem if the path alone shows that the caller may not do this: the body is then not read. */
  authorise?(session: Session, path: Readonly<Record<PathName, string>>): void;
  /**
   * Turns the input into a request. Faults are added to the list, so that all of them are reported together; the request may
   * then be undefined. A Problem that is thrown, such as for an unknown object type, counts only if there are no faults.
   */
  parse(
    call: Call,
    input: Input<PathName, QueryName, Body>,
    faults: Fault[],
  ): Request | undefined | Promise<Request | undefined>;
  /** Units of the rate limit, if it is not one (contract 9). */
  cost?(request: Request): number;
  run(call: KeyCall, request: Request): Answer | Promise<Answer>;
}

/** Infers the names of parameters, the body and the request of an operation from its declaration. */
export function keyOperation<Request, PathName extends string = never, QueryName extends string = never, Body = never>(
  operation: KeyOperation<Request, PathName, QueryName, Body>,
): KeyOperation<Request, PathName, QueryName, Body> {
  return operation;
}

/** A call, with the facts about the service that an answer needs. */
export interface KeyCall extends Call {
  /** Scheme and host as the client knows them. */
  readonly origin: () => string;
  /** Whether the client has closed the connection, so that nobody waits for the answer. */
  readonly isAbandoned: () => boolean;
  /** The session of the same key as it is now; throws a Problem if the key is no longer valid. */
  readonly renewSession: () => Session | Promise<Session>;
  /** Spends what is missing until the request has cost as many units. Throws a Problem if the quota does not cover them. */
  readonly charge: (units: number) => Promise<void>;
  /** The session with a schema that has come meanwhile; undefined if there is none. */
  readonly newerSession: () => Promise<Session | undefined>;
}

export type Operation = PublicOperation | KeyOperation<unknown>;

export const tags = {
  Service: 'What this service is, and who is calling.',
  Schema: "The org's object types, properties, field types and association types, as far as the key can see them.",
  Records: 'Records of every object type: read, query, aggregate and write them, one by one or in batches.',
  Associations: 'Links between records, including stages.',
  Changes: 'The change feed: every change in order, for copies, integrations and histories.',
} as const;
