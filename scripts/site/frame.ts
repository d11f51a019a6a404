// The frame of every page of the documentation: the header with the search, the list of all pages, and links to the next
// and previous pages. Everything can be read without the script, which adds the search, the copy buttons and the trying.
import { escapeHtml } from './html.ts';

/** A page of the guide or the reference. */
export interface SitePage {
  /** Its path, which ends with a slash. */
  readonly path: string;
  readonly title: string;
  /** For search engines, and for the search of the documentation. */
  readonly summary: string;
  /** What is inside `main`. */
  readonly html: string;
}

/** The paths of the assets, which contain the digests of their contents. */
export type AssetPaths = Readonly<Record<'icon.svg' | 'site.css' | 'site.js' | 'search.json', string>>;

/** A part of the list of pages. */
export interface Chapter {
  readonly title: string;
  readonly entries: readonly { readonly path: string; readonly html: string }[];
}

interface Frame {
  readonly page: SitePage;
  readonly chapters: readonly Chapter[];
  /** The pages before and after it. */
  readonly neighbours?: readonly [before: SitePage | undefined, after: SitePage | undefined];
  /** More lines of the head. */
  readonly head?: string;
  /** HTML between the list of pages and the page, such as its contents. */
  readonly aside?: string;
  /** HTML at the end of the page. */
  readonly footer?: string;
  readonly assets: AssetPaths;
}

export function framed({ page, chapters, neighbours, head = '', aside = '', footer = '', assets }: Frame): string {
  const [before, after] = neighbours ?? [];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Orrery</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" type="image/svg+xml" href="${assets['icon.svg']}">
<link rel="stylesheet" href="${assets['site.css']}">
<script defer src="${assets['site.js']}"></script>
${head}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${header(page, assets)}
<div class="frame">
<nav class="pages" id="pages" aria-label="Pages" popover>${chapters.map((chapter) => chapterHtml(chapter, page)).join('\n')}</nav>
${aside}<main id="content" tabindex="-1">
${page.html}
<footer class="end">${step('Previous', 'prev', before)}${step('Next', 'next', after)}${footer}</footer>
</main>
</div>
</body>
</html>
`;
}

function header({ path }: SitePage, assets: AssetPaths): string {
  const place =
    path === '/docs/' || path.startsWith('/docs/reference/') ? '/docs/' : path === '/docs/errors/' ? path : '';
  const links = [
    ['/docs/quick-start/', 'Guide'],
    ['/docs/', 'Reference'],
    ['/docs/errors/', 'Errors'],
    ['/rest/v1/openapi.json', 'openapi.json'],
    ['/console/', 'Console'],
  ].map(([href, text]) => `<a href="${href}"${href === place ? ' aria-current="true"' : ''}>${text}</a>`);
  return `<header class="top">
<button class="menu" type="button" popovertarget="pages">Pages</button>
<a class="brand" href="/docs/"><img src="${assets['icon.svg']}" alt="" width="20" height="20">Orrery</a>
<form class="search" role="search" data-index="${assets['search.json']}" hidden>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
<div class="found" hidden><p class="count" role="status"></p><ul></ul></div>
</form>
<nav class="places" aria-label="Documentation">${links.join('')}</nav>
</header>`;
}

function chapterHtml({ title, entries }: Chapter, { path }: SitePage): string {
  const rows = entries.map(
    (entry) => `<li><a href="${entry.path}"${entry.path === path ? ' aria-current="page"' : ''}>${entry.html}</a></li>`,
  );
  return `<p class="chapter">${escapeHtml(title)}</p><ul>${rows.join('\n')}</ul>`;
}

function step(word: string, relation: string, page: SitePage | undefined): string {
  if (page === undefined) return '';
  return `<a class="step ${relation}" rel="${relation}" href="${page.path}"><small>${word}</small> ${escapeHtml(page.title)}</a>`;
}
