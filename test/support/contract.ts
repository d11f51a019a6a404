// Checks answers against an OpenAPI document: status, media type, headers and body, each as the document says. Objects
// are closed for the check, so that a member that the document does not name is found as well. It needs no test runner.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from './answer.ts';

type Node = Record<string, unknown>;

/** The first answers of each kind are all checked, then one of ten, unless every one is wanted. */
const checkedAll = 50;
const checkedEvery = 10;
/** Refusals of a request before its path or its method matters, such as one with too long a URL. */
const refusedSooner: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  429: 'rate_limited',
  503: 'unavailable',
};
type Extent = 'sample' | 'every answer';

interface Prepared {
  /** With every object shape closed. */
  readonly document: Node;
  readonly ajv: Ajv2020;
  readonly routes: readonly { readonly pattern: RegExp; readonly template: string }[];
}

/**
 * Nearly all services of a run serve the same document, and compiling its schemas takes longer than many a test. The few others
 * are those of tests of settings.
 */
const prepared = new Map<string, Prepared>();
const preparedMax = 20;

function prepare(text: string): Prepared {
  const known = prepared.get(text);
  if (known !== undefined) return known;
  const document = closeObjects(JSON.parse(text)) as Node;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'document');
  const routes = Object.keys(document['paths'] as Node)
    .sort((left, right) => left.split('{').length - right.split('{').length)
    .map((template) => ({
      template,
      pattern: new RegExp(
        `^${template
          .replace(/\/$/, '')
          .replaceAll('.', '\\.')
          .replaceAll(/\{[a-z_]+\}/g, '[^/]+')}/?$`,
      ),
    }));
  const made = { document, ajv, routes };
  if (prepared.size < preparedMax) prepared.set(text, made);
  return made;
}

export class Contract {
  /** How many answers of each kind there were, by the place of their response in the document. */
  readonly #checked = new Map<string, number>();
  readonly #extent: Extent;
  readonly #document: Node;
  readonly #ajv: Ajv2020;
  readonly #routes: Prepared['routes'];

  /** `text` is the document as it was served. */
  constructor(text: string, extent: Extent = 'sample') {
    this.#extent = extent;
    const { document, ajv, routes } = prepare(text);
    this.#document = document;
    this.#ajv = ajv;
    this.#routes = routes;
  }

  /** `path` as the client sent it, below /rest/v1, with its query. */
  check(method: string, path: string, answer: Answer): void {
    const pointer = this.#responsePointer(method, path.split('?')[0] ?? '', answer);
    const count = (this.#checked.get(pointer) ?? 0) + 1;
    this.#checked.set(pointer, count);
    // Thousands of answers of one kind would take longer to check than to get.
    if (this.#extent === 'sample' && count > checkedAll && count % checkedEvery !== 0) return;
    const response = this.#resolve(pointer);
    for (const [name, header] of Object.entries((response['headers'] ?? {}) as Record<string, { $ref: string }>)) {
      const { schema, required } = this.#resolve(header.$ref.slice(1)) as { schema: Node; required: boolean };
      const value = answer.headers.get(name);
      if (value === null && !required) continue;
      assert.notEqual(value, null, `the header ${name} of ${method} ${path} is missing`);
      this.#validate(`${header.$ref}/schema`, value, `${name}: ${JSON.stringify(schema)}`);
    }
    if (response['content'] === undefined) {
      assert.equal(answer.text, '');
      return;
    }
    const [mediaType] = Object.keys(response['content'] as Node);
    assert.equal(answer.headers.get('content-type'), `${mediaType}; charset=utf-8`);
    if (method === 'HEAD') {
      assert.equal(answer.text, '');
      return;
    }
    const step = (mediaType ?? '').replaceAll('~', '~0').replaceAll('/', '~1');
    this.#validate(`#${pointer}/content/${step}/schema`, answer.body, `${method} ${path}`);
  }

  /** The response that the document declares for this answer. Answers that belong to no operation have a component. */
  #responsePointer(method: string, path: string, answer: Answer): string {
    const route = this.#routes.find(({ pattern }) => pattern.test(path));
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const template = (route?.template ?? '').replaceAll('/', '~1');
    const operation = route && this.#resolve(`/paths/${template}`)[verb];
    if (operation === undefined) {
      const code = route === undefined ? 'not_found' : 'method_not_allowed';
      // By the status, because an answer to HEAD has no code.
      return `/components/responses/${refusedSooner[answer.status] ?? code}`;
    }
    const responses = (operation as { responses: Record<string, { $ref?: string }> }).responses;
    const declared = responses[String(answer.status)];
    assert.ok(declared !== undefined, `${method} ${path} answered ${answer.status}: ${answer.text}`);
    return declared?.$ref?.slice(1) ?? `/paths/${template}/${verb}/responses/${answer.status}`;
  }

  #resolve(pointer: string): Node {
    let node: unknown = this.#document;
    for (const step of pointer.split('/').slice(1)) {
      node = (node as Node)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    return node as Node;
  }

  #validate(reference: string, value: unknown, what: string): void {
    const validate = this.#ajv.getSchema(`document${encodeURI(reference)}`) as ValidateFunction | undefined;
    assert.ok(validate !== undefined, `${reference} is not in the document`);
    if (!validate(value)) assert.fail(`${what}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(value)}`);
  }
}

/** The document with every object shape closed, except the parts of an allOf, which only add to each other. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const closed: Node = {};
  for (const [name, part] of Object.entries(node)) {
    closed[name] = name === 'allOf' && Array.isArray(part) ? part.map((each) => ({ ...each })) : closeObjects(part);
  }
  const isShape = closed['type'] === 'object' && typeof closed['properties'] === 'object';
  if (isShape && closed['additionalProperties'] === undefined) closed['additionalProperties'] = false;
  return closed;
}
