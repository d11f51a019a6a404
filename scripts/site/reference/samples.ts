// An example of an operation as code that can be pasted: for curl, @orrery/client and Python. A test runs each of them.
import type { Json } from '../../../src/base/json.ts';
import { exampleOrigin } from '../../../src/operations/examples/records.ts';
import { basePath, type Example, type Operation } from '../../../src/operations/operation.ts';
import { clientCall } from './client-calls.ts';
import { javascriptLiteral, jsonLiteral, pythonLiteral } from './literals.ts';

export const sampleLanguages = [
  { language: 'sh', label: 'curl' },
  { language: 'js', label: 'JavaScript' },
  { language: 'python', label: 'Python' },
] as const;

interface Sample {
  readonly language: (typeof sampleLanguages)[number]['language'];
  readonly code: string;
}

export function samplesOf(operation: Operation, example: Example): readonly Sample[] {
  return [
    { language: 'sh', code: curlSample(operation, example) },
    { language: 'js', code: clientSample(operation, example) },
    { language: 'python', code: pythonSample(operation, example) },
  ];
}

function curlSample({ method, path, access }: Operation, { headers = {}, body, ...rest }: Example): string {
  const shown = access === 'key' ? { Authorization: 'Bearer $ORRERY_KEY' } : {};
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellText(`${exampleOrigin}${targetOf(path, rest)}`)}`,
    ...Object.entries({ ...shown, ...json }).map(([name, value]) => `-H "${name}: ${value}"`),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`-d '${jsonLiteral(body, 1).replaceAll("'", "'\\''")}'`]),
  ];
  return parts.join(' \\\n  ');
}

/** Quotes only what the shell would change. */
function shellText(text: string): string {
  return /^[\w:/.,-]*$/.test(text) ? text : `"${text}"`;
}

function targetOf(path: string, { path: places = {}, query }: Pick<Example, 'path' | 'query'>): string {
  const filled = filledIn(path, places);
  return query === undefined ? filled : `${filled}?${new URLSearchParams(query).toString().replaceAll('%2C', ',')}`;
}

function filledIn(path: string, places: Readonly<Record<string, string>>): string {
  return basePath + path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(places[name] ?? ''));
}

function clientSample({ id, access }: Operation, example: Example): string {
  const { records, method, arguments: values, isPaged } = clientCall(id, example);
  const key = access === 'key' ? ', key: process.env.ORRERY_KEY' : '';
  const target = records === undefined ? 'client' : `client.records('${records}')`;
  const call = `${target}.${method}(${values.map((each) => javascriptLiteral(each)).join(', ')})`;
  const lines =
    isPaged === undefined
      ? [`const { data } = await ${call};`, 'console.log(data);']
      : [`const { data, nextCursor } = await ${call}.first();`, 'console.log(data, nextCursor);'];
  return [
    "import { createClient } from '@orrery/client';",
    '',
    `const client = createClient({ url: '${exampleOrigin}'${key} });`,
    ...lines,
  ].join('\n');
}

function pythonSample({ method, path, access, answer }: Operation, example: Example): string {
  const { path: places = {}, query, headers = {}, body } = example;
  const named: Readonly<Record<string, string | undefined>> = headers;
  const sent = [
    ...(access === 'key' ? ['"Authorization": "Bearer " + os.environ["ORRERY_KEY"]'] : []),
    ...Object.entries(named).map(([name, value = '']) => `"${name}": ${pythonLiteral(value)}`),
  ];
  const lines = [
    pythonLiteral(`${exampleOrigin}${filledIn(path, places)}`),
    ...(sent.length === 0 ? [] : [`headers=${inBraces(sent)}`]),
    ...(query === undefined ? [] : [`params=${pythonLiteral(query as Json, 1)}`]),
    ...(body === undefined ? [] : [`json=${pythonLiteral(body, 1)}`]),
    'timeout=30',
  ];
  return [
    ...(access === 'key' ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...lines.map((line) => `    ${line},`),
    ')',
    'response.raise_for_status()',
    `print(response.json()["${answer.bare ? 'info' : 'data'}"])`,
  ].join('\n');
}

function inBraces(entries: readonly string[]): string {
  if (entries.length === 1) return `{${entries[0]}}`;
  return `{\n${entries.map((entry) => `        ${entry},`).join('\n')}\n    }`;
}
