// Prints the Postman collection (format 2.1) from what the OpenAPI document is printed from, the declarations of the
// operations and their examples: a folder for each tag, a request for each operation, and a test of each status.
import { operations } from '../../operations/all.ts';
import { isPlaceholder } from '../../operations/examples/records.ts';
import { basePath, type Operation, tags } from '../../operations/operation.ts';
import { requestHeaders } from '../../operations/request/headers.ts';
import { parameterExample } from '../openapi/examples.ts';
import { cleanUp, type Step, steps, variableOf, variables } from './steps.ts';

type Node = Readonly<Record<string, unknown>>;

export function printCollection(origin: string): Node {
  return {
    info: {
      name: 'Orrery',
      description:
        'Every operation of the API, ready to send. Set the variable `key` to a key of your org. Run the whole collection from ' +
        'top to bottom, or send single requests: ids that earlier requests have answered are carried on in variables. What ' +
        'a run writes is moved to the trash by its last request.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'url', value: origin, description: 'The address of the service.' },
      { key: 'key', value: '', description: 'A key of the org, as printed by `orrery key create`.' },
      ...Object.entries(variables).map(([key, description]) => ({ key, value: '', description })),
    ],
    item: [...Object.keys(tags).map(printFolder), printCleanUp()],
  };
}

function printFolder(tag: string): Node {
  const items = steps.flatMap((step) => {
    const operation = operationOf(step.operation);
    return operation.tag === tag ? [printItem(operation, step)] : [];
  });
  return { name: tag, description: tags[tag as keyof typeof tags], item: items };
}

function printItem(operation: Operation, step: Step): Node {
  const [example = { summary: '' }] = Object.values(operation.examples);
  const { answer } = operation;
  // A batch with some items that fail is an answer too, but not one to its first example.
  const created = answer.or !== undefined && answer.or.status < answer.status ? [answer.or.status] : [];
  return {
    name: operation.summary,
    event: [printTest([...created, answer.status], step.keeps ?? {})],
    request: {
      method: operation.method,
      ...(operation.access === 'public' ? { auth: { type: 'noauth' } } : {}),
      description: operation.description,
      header: printHeaders(operation),
      url: printUrl(operation, step),
      ...(example.body === undefined ? {} : { body: printBody(example.body) }),
    },
  };
}

function printCleanUp(): Node {
  const batch = operationOf('batch');
  const request = {
    method: batch.method,
    header: [contentType],
    url: printUrl(batch, { operation: batch.id }),
    body: printBody(cleanUp),
  };
  const item = { name: 'Move what this run wrote to the trash', event: [printTest([200], {})], request };
  return { name: 'Clean up', description: 'Leaves the org as it was before the run.', item: [item] };
}

/** The status that must come, and the values that later requests need. */
function printTest(statuses: readonly number[], keeps: NonNullable<Step['keeps']>): Node {
  const exec = [
    `pm.test('The status is ${statuses.join(' or ')}', () => {`,
    `  pm.expect(pm.response.code, pm.response.text()).to.be.oneOf([${statuses.join(', ')}]);`,
    '});',
  ];
  const kept = Object.entries(keeps).map(
    ([name, place]) => `  pm.collectionVariables.set('${name}', pm.response.json().${place});`,
  );
  if (kept.length > 0) exec.push('if (pm.response.code < 300) {', ...kept, '}');
  return { listen: 'test', script: { type: 'text/javascript', exec } };
}

const contentType = { key: 'Content-Type', value: 'application/json' };

/** Headers that the first example does not need are there, but disabled. */
function printHeaders(operation: Operation): readonly Node[] {
  const more = (operation.headers ?? []).map((name) => ({
    key: name,
    value: shown(operation, 'headers', name),
    description: requestHeaders[name].description,
    disabled: true,
  }));
  return operation.body === undefined ? more : [contentType, ...more];
}

function printUrl(operation: Operation, step: Step): Node {
  const [first = { summary: '' }] = Object.values(operation.examples);
  const path = `${basePath}${operation.path.replaceAll(/\{([a-z_]+)\}/g, ':$1')}`;
  const query = Object.entries(operation.query ?? {}).map(([key, { description }]) => ({
    key,
    value: first.query?.[key] ?? shown(operation, 'query', key),
    description,
    ...(first.query?.[key] === undefined ? { disabled: true } : {}),
  }));
  const sent = query.filter((each) => !('disabled' in each)).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `{{url}}${path}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{url}}'],
    path: path.split('/').slice(1),
    variable: Object.entries(operation.pathParameters ?? {}).map(([key, { description }]) => ({
      key,
      value: withVariables(step.path?.[key] ?? first.path?.[key] ?? ''),
      description,
    })),
    query,
  };
}

/** The value of a parameter in any example; empty for an id or a cursor, which only the reader knows. */
function shown(operation: Operation, place: 'query' | 'headers', name: string): string {
  const { value = '' } = parameterExample(operation, place, name);
  return isPlaceholder(value) ? '' : value;
}

function printBody(body: unknown): Node {
  return { mode: 'raw', raw: withVariables(JSON.stringify(body, null, 2)), options: { raw: { language: 'json' } } };
}

function withVariables(text: string): string {
  return [...variableOf].reduce((sent, [id, name]) => sent.replaceAll(id, `{{${name}}}`), text);
}

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`The Postman collection names the operation ${id}, which does not exist.`);
  return found;
}
