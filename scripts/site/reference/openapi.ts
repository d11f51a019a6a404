// The parts of the OpenAPI document that its pages read. The document is the one that the service serves.
import type { Json } from '../../../src/base/json.ts';
import { printDocument } from '../../../src/http/openapi/document.ts';

type Scalar = string | number | boolean | null;

export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Of a map, the schema of its values. */
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly Scalar[];
  readonly const?: Scalar;
  readonly default?: Scalar;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema & { readonly examples?: readonly Scalar[] };
  /** What a first try can send as it is. */
  readonly example?: Scalar;
}

interface MediaType {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: Json }>>;
}

interface Reference {
  readonly $ref: string;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface OpenapiDocument {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

export const jsonType = 'application/json';
export const problemType = 'application/problem+json';

export function readDocument(): OpenapiDocument {
  return JSON.parse(JSON.stringify(printDocument({ release: '', publicUrl: undefined }))) as OpenapiDocument;
}

/** The last part of a reference, such as `Record` or `not_found`. */
export function referenceName($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

export function isReference(value: Response | Reference): value is Reference {
  return '$ref' in value;
}
