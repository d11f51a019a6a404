// Requests made from the OpenAPI document: for every operation its parameters, headers and body, as the document
// describes them. Some stay as they are, the others are spoiled in one place or in several.
import type { Random } from '../random.ts';
import { SchemaValues, wishes } from './schema-values.ts';
import { type Draft, spoil } from './spoiled-requests.ts';
import type { Schema, Vocabulary } from './vocabulary.ts';

type Kind = 'valid' | 'nearly valid' | 'hostile';
/** Whose key is sent: that of a caller with all grants, of one with few, or none that is known. */
type Caller = 'full' | 'narrow' | 'nobody';

export interface GeneratedRequest {
  readonly operation: string;
  readonly kind: Kind;
  readonly caller: Caller;
  readonly method: string;
  /** Below /rest/v1, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Served {
  readonly method: string;
  readonly template: string;
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
}

/** The document itself is long, and hardly depends on the request. */
const rare = 'getOpenapi';

export class GeneratedRequests {
  readonly #random: Random;
  readonly #values: SchemaValues;
  readonly #served: readonly Served[];

  constructor(random: Random, document: Schema, vocabulary: Vocabulary) {
    this.#random = random;
    this.#values = new SchemaValues(random, document, vocabulary);
    this.#served = servedIn(document);
  }

  next(): GeneratedRequest {
    const random = this.#random;
    const chosen = random.pick(this.#served);
    const served = chosen.operationId === rare && random.chance(0.9) ? random.pick(this.#served) : chosen;
    const kind = random.pick(['valid', 'valid', 'valid', 'nearly valid', 'nearly valid', 'hostile'] as const);
    const draft = this.#draft(served);
    if (kind === 'nearly valid') spoil(random, draft);
    if (kind === 'hostile') for (let count = random.between(2, 5); count > 0; count--) spoil(random, draft);
    const caller = random.chance(0.01) ? 'nobody' : random.chance(0.1) ? 'narrow' : 'full';
    return { ...printed(draft), operation: served.operationId, kind, caller };
  }

  #draft({ method, template, parameters, body }: Served): Draft {
    this.#values.aim();
    const text = ({ schema, name }: Parameter) => {
      const one = () => String(this.#values.value(schema, name));
      const isList = ['include', 'properties'].includes(name);
      return isList ? [...new Set(this.#random.times(this.#random.between(1, 3), one))].join() : one();
    };
    const draft: Draft = {
      method,
      template,
      path: new Map(),
      query: [],
      headers: new Map([['accept', 'application/json']]),
      body: undefined,
      hasSlash: !this.#random.chance(0.05),
    };
    for (const parameter of parameters) {
      const isWanted = parameter.required === true || this.#random.chance(wishes[parameter.name] ?? 0.2);
      if (!isWanted) continue;
      if (parameter.in === 'path') draft.path.set(parameter.name, text(parameter));
      else if (parameter.in === 'query') draft.query.push([parameter.name, text(parameter)]);
      else draft.headers.set(parameter.name.toLowerCase(), text(parameter));
    }
    if (body !== undefined) {
      draft.body = this.#values.value(body, '');
      draft.headers.set('content-type', 'application/json');
    }
    return draft;
  }
}

function servedIn(document: Schema): readonly Served[] {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content = (operation['requestBody'] as { content: Record<string, { schema: Schema }> } | undefined)
        ?.content;
      return {
        method: method.toUpperCase(),
        template,
        operationId: String(operation['operationId']),
        parameters: (operation['parameters'] ?? []) as readonly Parameter[],
        body: content?.['application/json']?.schema,
      };
    }),
  );
}

function printed({ method, template, path, query, headers, body, hasSlash }: Draft) {
  const filled = template.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => encoded(path.get(name) ?? ''));
  const place = hasSlash || filled === '/' ? filled : filled.replace(/\/$/, '');
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return {
    method,
    path: search === '' ? place : `${place}?${search}`,
    headers: Object.fromEntries([...headers].map(([name, value]) => [name, onWire(value)])),
    body: body === undefined || body instanceof Buffer ? body : Buffer.from(JSON.stringify(body)),
  };
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** What HTTP allows in the value of a header. */
function onWire(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 2_000);
}
