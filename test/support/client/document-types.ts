// The schemas of an OpenAPI document as plain TypeScript, so that the compiler can compare the client's types with them.

type Node = Readonly<Record<string, unknown>>;

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Node>>;
    readonly responses: Readonly<Record<string, Node>>;
  };
}

export interface DocumentOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' | 'header' }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Node }>> };
}

/** The body of an operation, as a schema. */
export function bodyOf({ requestBody }: DocumentOperation): Node | undefined {
  return requestBody?.content['application/json']?.schema;
}

/** One exported type for each component, and for each body under the id of its operation. */
export function printDocumentTypes({ paths, components }: Document): string {
  const bodies = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => {
      const body = bodyOf(operation);
      return body === undefined ? [] : [[`${operation.operationId}Body`, body] as const];
    }),
  );
  return [...Object.entries(components.schemas), ...bodies]
    .map(([name, schema]) => `export type ${name} = ${printSchema(schema)};\n`)
    .join('');
}

function printSchema(schema: Node): string {
  const {
    $ref,
    anyOf,
    enum: values,
    const: value,
    type,
    items,
    properties,
    required = [],
    additionalProperties,
  } = schema;
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? '';
  if (Array.isArray(anyOf)) return `(${anyOf.map(printSchema).join(' | ')})`;
  if (Array.isArray(values)) return `(${values.map((each) => JSON.stringify(each)).join(' | ')})`;
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(type)) return `(${type.map((each) => printSchema({ type: each })).join(' | ')})`;
  if (type === 'array') return `readonly ${items === undefined ? 'unknown' : printSchema(items as Node)}[]`;
  if (type === 'object' && properties !== undefined) {
    const members = Object.entries(properties as Record<string, Node>).map(
      ([name, each]) => `readonly ${name}${(required as string[]).includes(name) ? '' : '?'}: ${printSchema(each)}`,
    );
    return `{ ${members.join('; ')} }`;
  }
  if (type === 'object') {
    return `{ readonly [name: string]: ${printSchema((additionalProperties ?? {}) as Node)} }`;
  }
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'unknown';
}
