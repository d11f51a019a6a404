// The frame of every page of the documentation: the header, the list of pages, the contents of the page, and links to
// the next and previous pages. Only the reference needs a script.
import { escapeHtml, type GuidePage } from './guide.ts';

/** The paths of the assets, which contain the digests of their contents. */
export type AssetPaths = Readonly<
  Record<'icon.svg' | 'site.css' | 'reference.css' | 'reference.js' | Renderer, string>
>;
type Renderer = 'swagger-ui.css' | 'swagger-ui-bundle.js';

export function guideHtml(page: GuidePage, pages: readonly GuidePage[], assets: AssetPaths): string {
  const index = pages.indexOf(page);
  const headings = page.headings
    .filter(({ level }) => level <= 3)
    .map(({ id, level, html }) => `<li class="level-${level}"><a href="#${id}">${html}</a></li>`);
  const content = `${listOf(pages, page)}
<div class="columns">
<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>
<ol>${headings.join('\n')}</ol></details></nav>
<main id="content">
${page.html}
<footer>${step('Previous', 'prev', pages[index - 1])}${step('Next', 'next', pages[index + 1])}
<a href="/docs/${page.name}.md">This page as Markdown</a></footer>
</main>
</div>`;
  const head = `<link rel="alternate" type="text/markdown" href="/docs/${page.name}.md">`;
  return frame({ title: `${page.title} · Orrery`, summary: page.summary, here: page.name, head, content, assets });
}

/** For a path without a page. */
export function missingHtml(pages: readonly GuidePage[], assets: AssetPaths): string {
  const content = `${listOf(pages)}
<div class="columns">
<main id="content">
<h1>Page not found</h1>
<p>There is no page at this address. Check the address, or begin with the <a href="/docs/quick-start/">guide</a> or the
<a href="/docs/">reference</a>.</p>
</main>
</div>`;
  const summary = 'There is no page at this address.';
  return frame({ title: 'Page not found · Orrery', summary, here: 'missing', head: '', content, assets });
}

export function referenceHtml(assets: AssetPaths): string {
  const head = `<link rel="stylesheet" href="${assets['swagger-ui.css']}">
<link rel="stylesheet" href="${assets['reference.css']}">
<script defer src="${assets['swagger-ui-bundle.js']}"></script>
<script defer src="${assets['reference.js']}"></script>`;
  const content = `<main id="content"><div id="reference"><p class="wait">Loading the reference …</p></div>
<noscript><p>The reference needs JavaScript. Without it, read the <a href="/docs/quick-start/">guide</a> and the
<a href="/rest/v1/openapi.json">OpenAPI document</a> itself.</p></noscript></main>`;
  const summary = 'Every operation of the service with its parameters, bodies and answers. Try them with your key.';
  return frame({ title: 'Reference · Orrery', summary, here: 'reference', head, content, assets });
}

interface Frame {
  readonly title: string;
  readonly summary: string;
  /** The name of the page, which the header marks as the current one. */
  readonly here: string;
  readonly head: string;
  readonly content: string;
  readonly assets: AssetPaths;
}

function frame({ title, summary, here, head, content, assets }: Frame): string {
  const place = ['reference', 'errors', 'missing'].includes(here) ? here : 'guide';
  const links = [
    ['guide', '/docs/quick-start/', 'Guide'],
    ['reference', '/docs/', 'Reference'],
    ['errors', '/docs/errors/', 'Errors'],
    ['document', '/rest/v1/openapi.json', 'openapi.json'],
  ].map(([name, href, text]) => `<a href="${href}"${name === place ? ' aria-current="true"' : ''}>${text}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(summary)}">
<link rel="icon" type="image/svg+xml" href="${assets['icon.svg']}">
<link rel="stylesheet" href="${assets['site.css']}">
${head}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><a class="brand" href="/docs/">Orrery</a><nav aria-label="Documentation">${links.join('')}</nav></header>
${content}
</body>
</html>
`;
}

function listOf(pages: readonly GuidePage[], current?: GuidePage): string {
  const rows = pages.map((each) => `<li>${linkTo(each, each === current ? ' aria-current="page"' : '')}</li>`);
  return `<nav class="pages" aria-label="Guide"><ol>${rows.join('')}</ol></nav>`;
}

function linkTo({ name, title }: GuidePage, more: string): string {
  return `<a href="/docs/${name}/"${more}>${escapeHtml(title)}</a>`;
}

function step(word: string, relation: string, page: GuidePage | undefined): string {
  return page === undefined ? '' : `<span class="${relation}">${word}: ${linkTo(page, ` rel="${relation}"`)}</span>`;
}
