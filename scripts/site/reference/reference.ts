// The pages of the reference in reading order: the overview with the rules of every operation, then the operations, by
// subject.
import { Marked } from 'marked';
import { operations } from '../../../src/operations/all.ts';
import { exampleOrigin } from '../../../src/operations/examples/records.ts';
import { basePath } from '../../../src/operations/operation.ts';
import { codeBlock } from '../code.ts';
import type { SitePage } from '../frame.ts';
import { escapeHtml, inlineHtml } from '../html.ts';
import { type ObjectTypesPage, objectTypesPage } from './object-types.ts';
import { type OpenapiDocument, readDocument } from './openapi.ts';
import { methodMark, type OperationPage, operationPage } from './operation-page.ts';

export interface Reference {
  readonly overview: SitePage;
  readonly objectTypes: ObjectTypesPage;
  readonly operations: readonly OperationPage[];
}

export function buildReference(): Reference {
  const document = readDocument();
  const pages = document.tags.flatMap(({ name }) =>
    operations.filter(({ tag }) => tag === name).map((operation) => operationPage(operation, document)),
  );
  return { overview: overviewPage(document, pages), objectTypes: objectTypesPage(), operations: pages };
}

/** In reading order. */
export function pagesOf({ overview, objectTypes, operations: pages }: Reference): readonly SitePage[] {
  return [overview, objectTypes, ...pages];
}

const firstRequest = `curl ${exampleOrigin}${basePath}/self/ \\
  -H "Authorization: Bearer $ORRERY_KEY"`;

function overviewPage({ info, tags }: OpenapiDocument, pages: readonly OperationPage[]): SitePage {
  const rules = new Marked().parse(info.description, { async: false });
  const lists = tags.map(({ name, description }) => {
    const rows = pages
      .filter(({ tag }) => tag === name)
      .map(
        ({ path, title, operation }) =>
          `<li><a href="${path}">${methodMark(operation)}<span class="name">${escapeHtml(title)}</span> <code class="path">${escapeHtml(operation.path).replaceAll(/(?<=\/)/g, '<wbr>')}</code></a></li>`,
      );
    return `<h3>${name}</h3>\n<p>${inlineHtml(description)}</p>\n<ul class="operations">${rows.join('\n')}</ul>`;
  });
  const html = `<article class="overview">
<h1>Reference</h1>
${rules}
<h2 id="address"><a class="anchor" href="#address">Address</a></h2>
<p>Every path below begins with this address. Send your key with each request:</p>
${codeBlock({ code: `${exampleOrigin}${basePath}`, language: 'text' })}${codeBlock({ code: firstRequest, language: 'sh' })}
<p>The <a href="${basePath}/openapi.json">OpenAPI document</a> says the same to tools, and there is
a <a href="/docs/postman.json">Postman collection</a>.</p>
<h2 id="operations"><a class="anchor" href="#operations">Operations</a></h2>
${lists.join('\n')}
</article>`;
  const summary = 'Every operation of the service with its parameters, bodies and answers. Try them with your key.';
  return { path: '/docs/', title: 'Reference', summary, html };
}
