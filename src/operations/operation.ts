// The contract of an operation: one declaration gives its route, its checks and its page in the OpenAPI document. An
// operation knows no request and no response: it gets checked input and returns data.
import type { TSchema } from 'typebox';
import type { ProblemCode } from '../base/problem.ts';
import type { Session } from '../engine/session.ts';

/** Every path below carries the version of the interface. */
export const basePath = '/rest/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Parameter {
  readonly description: string;
  readonly schema: TSchema;
}

/** What was sent, after the checks that every operation shares: only declared parameters, each at most once. */
export interface Input {
  readonly path: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
}

/** Facts of this service that answers are made of. */
export interface ServiceFacts {
  readonly release: string;
  /** Scheme and host as the client knows them, without a slash at the end. */
  readonly origin: string;
  /** The OpenAPI document; printed from the table of operations, which is why it comes from above. */
  readonly document: () => Readonly<Record<string, unknown>>;
}

/** `data` is wrapped in the envelope; a `document` is sent as it is (contract 2: the one exception). */
export type Answer = { readonly data: unknown } | { readonly document: Readonly<Record<string, unknown>> };

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
  /** A `bare` answer is sent as it is, without the envelope. */
  readonly answer: {
    readonly status: number;
    readonly description: string;
    readonly schema: TSchema;
    readonly bare?: true;
  };
  /** The problems that this operation adds to those of every operation. */
  readonly problems?: readonly ProblemCode[];
}

export interface PublicOperation extends Declaration {
  readonly access: 'public';
  run(facts: ServiceFacts, input: Input): Answer | Promise<Answer>;
}

export interface KeyOperation extends Declaration {
  readonly access: 'key';
  run(session: Session, input: Input): Answer | Promise<Answer>;
}

export type Operation = PublicOperation | KeyOperation;

export const tags = {
  Service: 'What this service is, and who is calling.',
  Schema: "The org's object types, properties, field types and association types, as the key can see them.",
} as const;
