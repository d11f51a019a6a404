// The page of one operation: what it does, its parameters, body, answer and problems as tables, and beside them its
// examples as code and the form that sends them.
import type { Json } from '../../../src/base/json.ts';
import { problemCodes } from '../../../src/base/problem.ts';
import { basePath, type Example, type Operation } from '../../../src/operations/operation.ts';
import { codeBlock } from '../code.ts';
import type { SitePage } from '../frame.ts';
import { escapeHtml, inlineHtml, plainText } from '../html.ts';
import { jsonLiteral } from './literals.ts';
import { MemberTables, type NamedPlace } from './members.ts';
import {
  type DocumentedOperation,
  isReference,
  jsonType,
  type OpenapiDocument,
  problemType,
  type Response,
  referenceName,
} from './openapi.ts';
import { sampleLanguages, samplesOf } from './samples.ts';
import { tryForm } from './try-form.ts';

export interface OperationPage extends SitePage {
  readonly operation: Operation;
  readonly tag: string;
  /** The members of its parameters, body and answer. */
  readonly places: readonly NamedPlace[];
}

export function operationPath(id: string): string {
  return `/docs/reference/${id}/`;
}

export function operationPage(operation: Operation, document: OpenapiDocument): OperationPage {
  const documented = document.paths[operation.path]?.[operation.method.toLowerCase()];
  if (documented === undefined) throw new Error(`The OpenAPI document has no ${operation.id}.`);
  const tables = new MemberTables(document.components.schemas);
  const { lead, rest } = described(documented.description);
  const sections = [
    parameterSection(documented, tables),
    bodySection(documented, tables),
    answerSection(documented, document, tables),
    problemSection(documented, document),
  ];
  const html = `<article class="operation">
<div class="intro">
<p class="kind">${escapeHtml(operation.tag)}</p>
<h1>${escapeHtml(operation.summary)}</h1>
<p class="endpoint">${methodMark(operation)} <code>${pathHtml(operation)}</code></p>
<p class="lead">${inlineHtml(lead)}</p>
${rest.map((part) => `<p>${inlineHtml(part)}</p>`).join('\n')}
</div>
<div class="beside">
${tryForm(operation, documented)}
${exampleSection(operation, documented)}
</div>
<div class="details">
${sections.join('\n')}
</div>
</article>`;
  return {
    path: operationPath(operation.id),
    title: operation.summary,
    summary: plainText(lead),
    html,
    operation,
    tag: operation.tag,
    places: tables.places,
  };
}

/** The name of the operation in a list, with its method. */
export function methodMark({ method }: Pick<Operation, 'method'>): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function pathHtml({ path }: Operation): string {
  return escapeHtml(basePath + path)
    .replaceAll(/(?<=\/)/g, '<wbr>')
    .replaceAll(/\{[a-z_]+\}/g, (name) => `<span class="place">${name}</span>`);
}

/** The first two sentences say what it does; the others, three to a paragraph, what is good to know. */
function described(description: string): { readonly lead: string; readonly rest: readonly string[] } {
  const [first = '', second = '', ...others] = description.split(/(?<=[.!?]) (?=[A-Z`])/);
  const rest = others.flatMap((_, index) => (index % 3 === 0 ? [others.slice(index, index + 3).join(' ')] : []));
  return { lead: `${first} ${second}`.trim(), rest };
}

function section(id: string, title: string, content: string): string {
  return `<section aria-labelledby="${id}">
<h2 id="${id}"><a class="anchor" href="#${id}">${title}</a></h2>
${content}
</section>`;
}

const places = { path: 'In the path', query: 'In the query', header: 'Headers' } as const;

function parameterSection({ parameters }: DocumentedOperation, tables: MemberTables): string {
  if (parameters.length === 0) return '';
  const parts = (['path', 'query', 'header'] as const).flatMap((place) => {
    const those = parameters.filter((parameter) => parameter.in === place);
    if (those.length === 0) return [];
    const members = those.map(({ name, description, schema, required = false }) => ({
      name,
      description,
      schema,
      isRequired: required,
    }));
    return [`<h3>${places[place]}</h3>`, tables.print(place, places[place], members)];
  });
  return section('parameters', 'Parameters', parts.join('\n'));
}

function bodySection({ requestBody }: DocumentedOperation, tables: MemberTables): string {
  const schema = requestBody?.content[jsonType]?.schema;
  if (requestBody === undefined || schema === undefined) return '';
  const table = tables.printSchema('body', 'Body', schema);
  return section('request-body', 'Body', `<p>${inlineHtml(requestBody.description)}</p>\n${table}`);
}

function answerSection(documented: DocumentedOperation, document: OpenapiDocument, tables: MemberTables): string {
  const answers = Object.entries(documented.responses).filter(
    (entry): entry is [string, Response] => !isReference(entry[1]),
  );
  const told = answers.map(([status, { description }]) => `<li>${statusMark(status)} ${inlineHtml(description)}</li>`);
  const [, first] = answers[0] ?? [];
  const schema = first?.content?.[jsonType]?.schema;
  const table = schema === undefined ? '' : tables.printSchema('answer', 'Answer', schema);
  const headers = Object.entries(first?.headers ?? {}).map(([name, { $ref }]) => ({
    name,
    description: document.components.headers[referenceName($ref)]?.description,
    schema: { type: 'string' },
    isRequired: false,
  }));
  const more = `<details class="fold"><summary>Headers of the answer</summary>${tables.print('answer-header', 'Headers of the answer', headers)}</details>`;
  return section('answer', 'Answer', `<ul class="statuses">${told.join('')}</ul>\n${table}\n${more}`);
}

function statusMark(status: string): string {
  const kind = status.startsWith('2') ? 'good' : status.startsWith('3') ? 'same' : 'bad';
  return `<span class="status ${kind}">${status}</span>`;
}

function problemSection({ responses }: DocumentedOperation, document: OpenapiDocument): string {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    if (!isReference(response)) return [];
    const code = referenceName(response.$ref);
    const { title, reasons } = problemCodes[code as keyof typeof problemCodes];
    const example = Object.values(document.components.responses[code]?.content?.[problemType]?.examples ?? {})[0];
    const more = `${reasonsHtml(reasons)}${example === undefined ? '' : problemExample(example)}`;
    const opened =
      more === '' ? '' : `<details class="fold"><summary>${countText(reasons.length)}</summary>${more}</details>`;
    return [
      `<tr><th scope="row">${statusMark(status)} <a href="/docs/errors/#${code}"><code>${code}</code></a></th><td><p>${escapeHtml(title)}.</p>${opened}</td></tr>`,
    ];
  });
  const table = `<table class="members problems"><caption class="unseen">Problems</caption><colgroup><col><col></colgroup>
<thead class="unseen"><tr><th scope="col">Status and code</th><th scope="col">Meaning and reasons</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`;
  return section('problems', 'Problems', table);
}

function reasonsHtml(reasons: readonly string[]): string {
  if (reasons.length === 0) return '';
  return `<p class="reasons">${reasons.map((each) => `<code>${each}</code>`).join(' ')}</p>`;
}

function countText(reasons: number): string {
  if (reasons === 0) return 'An example';
  return reasons === 1 ? 'The reason, and an example' : `${reasons} reasons, and an example`;
}

function problemExample({ summary, value }: { readonly summary: string; readonly value: Json }): string {
  return codeBlock({ code: jsonLiteral(value), language: 'json', caption: inlineHtml(summary) });
}

/** The languages are chosen without a script: each is shown while its button is pressed. */
function exampleSection(operation: Operation, documented: DocumentedOperation): string {
  const buttons = sampleLanguages.map(
    ({ language, label }, index) =>
      `<label><input type="radio" name="language" value="${language}"${index === 0 ? ' checked' : ''}><span>${label}</span></label>`,
  );
  const [first, ...others] = Object.entries(operation.examples).map(([name, example]) => ({
    summary: inlineHtml(example.summary),
    code: `${requestHtml(operation, example)}${answerHtml(documented, name)}`,
  }));
  const more =
    others.length === 0
      ? ''
      : others
          .map(({ summary, code }) => `<details class="another"><summary>${summary}</summary>${code}</details>`)
          .join('\n');
  return `<section class="examples" aria-labelledby="examples">
<div class="bar"><h2 id="examples">Examples</h2><fieldset class="languages"><legend class="unseen">Language of the examples</legend>${buttons.join('')}</fieldset></div>
<p class="title">${first?.summary ?? ''}</p>
${first?.code ?? ''}${more}
</section>`;
}

function requestHtml(operation: Operation, example: Example): string {
  return samplesOf(operation, example)
    .map(({ language, code }) =>
      codeBlock({ code, language, caption: 'Request', attributes: `data-language="${language}"` }),
    )
    .join('');
}

/** The answer to the example of this name, if the document shows it. */
function answerHtml({ responses }: DocumentedOperation, name: string): string {
  const shown = Object.entries(responses).flatMap(([status, response]) => {
    const example = isReference(response) ? undefined : response.content?.[jsonType]?.examples[name];
    if (example === undefined) return [];
    const code = jsonLiteral(example.value);
    return [codeBlock({ code, language: 'json', caption: `Answer ${statusMark(status)}` })];
  });
  return shown.join('');
}
