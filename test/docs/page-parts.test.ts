// What the pages of the documentation have besides their texts: the parameters and problems of each operation, code in colour,
// and links to the pages before and after.
import { beforeAll, expect, test } from 'vitest';
import { readGuide } from '../../scripts/site/build.ts';
import type { AssetPaths, SitePage } from '../../scripts/site/frame.ts';
import { SitePages } from '../../scripts/site/pages.ts';
import { isReference, readDocument, referenceName } from '../../scripts/site/reference/openapi.ts';
import type { OperationPage } from '../../scripts/site/reference/operation-page.ts';
import { buildReference, pagesOf } from '../../scripts/site/reference/reference.ts';
import { readStyle } from '../../scripts/site/style.ts';
import { type ProblemCode, problemCodes } from '../../src/base/problem.ts';
import { operations } from '../../src/operations/all.ts';
import { textOf } from '../support/docs/page-text.ts';
import { root } from '../support/repository.ts';

const document = readDocument();
const reference = buildReference();
const assets: AssetPaths = { 'icon.svg': '/i', 'site.css': '/c', 'site.js': '/j', 'search.json': '/s' };

/** Every page as it is served, in reading order. */
let shown: { readonly reference: readonly Shown[]; readonly guide: readonly Shown[] };
beforeAll(async () => {
  const guide = await readGuide(root);
  const pages = new SitePages(guide, reference, assets);
  shown = {
    reference: pagesOf(reference).map((page) => ({ page, html: pages.referenceHtml(page) })),
    guide: guide.map((page) => ({ page, html: pages.guideHtml(page) })),
  };
});

interface Shown {
  readonly page: SitePage;
  readonly html: string;
}

const pageOf = new Map(reference.operations.map((page) => [page.operation.id, page]));

test.each(operations.map(({ id }) => id))('the page of %s has a row for each of its parameters', (id) => {
  const { page, documented } = operationPage(id);
  const titles = { path: 'In the path', query: 'In the query', header: 'Headers' };
  const rows = [
    ...sectionOf(page, 'parameters').matchAll(/<h3>(.*?)<\/h3>|<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g),
  ];
  let place = '';
  const told = rows.flatMap(([, title, head = '', meaning = '']) => {
    if (title !== undefined) place = title;
    const name = textOf(/<code>(.*?)<\/code>/.exec(head)?.[1] ?? '');
    const need = textOf(head).endsWith(' required');
    return title === undefined ? [{ place, name, need, meaning: textOf(meaning) }] : [];
  });
  const declared = (['path', 'query', 'header'] as const).flatMap((each) =>
    documented.parameters
      .filter((parameter) => parameter.in === each)
      .map(({ name, required = false, description }) => ({
        place: titles[each],
        name,
        need: required,
        meaning: expect.stringContaining(description.replaceAll('`', '').slice(1)),
      })),
  );
  expect(told).toEqual(declared);
});

test.each(operations.map(({ id }) => id))(
  'the page of %s has its problems, with their reasons and an example',
  (id) => {
    const { page, documented } = operationPage(id);
    const row =
      /<span class="status bad">(\d+)<\/span> <a href="\/docs\/errors\/#(\w+)"><code>(\w+)<\/code><\/a><\/th><td><p>(.*?)<\/p>(.*?)<\/td><\/tr>/gs;
    const told = [...sectionOf(page, 'problems').matchAll(row)].map(([, status, anchor, code, title, more = '']) => ({
      ...{ status, anchor, code, title },
      reasons: [...(/<p class="reasons">(.*?)<\/p>/.exec(more)?.[1] ?? '').matchAll(/<code>(\w+)<\/code>/g)].map(
        ([, reason]) => reason,
      ),
      example: /"code": "(\w+)"/.exec(textOf(more))?.[1],
    }));
    const declared = Object.entries(documented.responses).flatMap(([status, response]) => {
      if (!isReference(response)) return [];
      const code = referenceName(response.$ref) as ProblemCode;
      const { title, reasons } = problemCodes[code];
      return [{ status, anchor: code, code, title: `${title}.`, reasons, example: code }];
    });
    expect(declared.length).toBeGreaterThan(4);
    expect(told).toEqual(declared);
  },
);

test('every page leads to the one before and to the one after it', () => {
  for (const pages of [shown.reference, shown.guide]) {
    expect(pages.length).toBeGreaterThan(10);
    for (const [index, { page, html }] of pages.entries()) {
      const step = (relation: string) => new RegExp(`rel="${relation}" href="(.*?)"`).exec(html)?.[1];
      expect([step('prev'), step('next')], page.path).toEqual([
        pages[index - 1]?.page.path,
        pages[index + 1]?.page.path,
      ]);
    }
  }
});

/** The languages that have colours, and parts of each that the pages show at least. */
const coloured: Readonly<Record<string, readonly string[]>> = {
  js: ['name', 'number', 'string', 'word'],
  json: ['name', 'number', 'string', 'word'],
  python: ['name', 'number', 'string', 'word'],
  sh: ['comment', 'name', 'string', 'word'],
  sql: ['number', 'string', 'word'],
  ts: ['comment', 'name', 'string', 'word'],
};

test('code is coloured in every language, and the style has a colour for each kind of part', async () => {
  const found = new Map<string, Set<string>>();
  const blocks = [...shown.reference, ...shown.guide].flatMap(({ html }) => [
    ...html.matchAll(/<pre tabindex="0"><code class="(\w+)">(.*?)<\/code>/gs),
  ]);
  for (const [, language = '', code = ''] of blocks) {
    const kinds = [...code.matchAll(/<span class="(\w+)">/g)].map(([, kind = '']) => kind);
    if (!(language in coloured)) expect(kinds).toEqual([]);
    else if (code.includes('\n')) expect(kinds, textOf(code)).not.toEqual([]);
    found.set(language, new Set([...(found.get(language) ?? []), ...kinds]));
  }
  for (const [language, kinds] of Object.entries(coloured)) {
    expect([...(found.get(language) ?? [])], language).toEqual(expect.arrayContaining([...kinds]));
  }
  const style = await readStyle(root);
  for (const kind of new Set([...found.values()].flatMap((kinds) => [...kinds]))) {
    expect(style, kind).toMatch(new RegExp(`\\.code \\.${kind}\\b[^{}]*\\{[^}]*\\bcolor:`));
  }
});

function operationPage(id: string) {
  const page = pageOf.get(id);
  const documented = page && document.paths[page.operation.path]?.[page.operation.method.toLowerCase()];
  if (page === undefined || documented === undefined) throw new Error(`There is no page of ${id}.`);
  return { page, documented };
}

/** The section of this id; empty if the page has none. */
function sectionOf({ html }: OperationPage, id: string): string {
  return new RegExp(`<section aria-labelledby="${id}">(.*?)</section>`, 's').exec(html)?.[1] ?? '';
}
