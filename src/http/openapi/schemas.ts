// Turns the shapes of operations into schemas of the OpenAPI document, in the form that every generator of clients
// understands.

export type Node = Record<string, unknown>;

/** The shape as plain data. Each part with an `$id` becomes a component and is replaced by a reference. */
export function hoist(schema: unknown, schemas: Node): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoist(part, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as Node;
  const plain = spelledOut(
    Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, hoist(part, schemas)])),
  );
  if (typeof $id !== 'string') return plain;
  schemas[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}

/**
 * With the type of a list of values, and with `additionalProperties` of a map. They add nothing for a validator, but without
 * them generators know neither: to openapi-zod-client a list of values without a type is `unknown`.
 */
function spelledOut(schema: Node): Node {
  const { enum: values, patternProperties, ...rest } = schema;
  if (Array.isArray(values) && schema['type'] === undefined) return { type: typeof values[0], ...schema };
  const patterns = Object.entries((patternProperties ?? {}) as Node);
  const [[pattern, each] = []] = patterns;
  return pattern === anyName && patterns.length === 1 ? { ...rest, additionalProperties: each } : schema;
}

/** The pattern of a map from any names. */
const anyName = '^.*$';
