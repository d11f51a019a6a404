// The pages of the documentation as whole documents: the guide, the reference, and the one for paths without a page.
import { type AssetPaths, type Chapter, framed, type SitePage } from './frame.ts';
import type { GuidePage } from './guide.ts';
import { escapeHtml } from './html.ts';
import { methodMark } from './reference/operation-page.ts';
import { pagesOf, type Reference } from './reference/reference.ts';

const elsewhere: Chapter = {
  title: 'Elsewhere',
  entries: [
    { path: '/console/', html: 'Console' },
    { path: '/rest/v1/openapi.json', html: 'OpenAPI document' },
    { path: '/docs/postman.json', html: 'Postman collection' },
    { path: '/llms.txt', html: 'llms.txt' },
  ],
};

export class SitePages {
  readonly #guide: readonly GuidePage[];
  readonly #reference: Reference;
  readonly #assets: AssetPaths;

  constructor(guide: readonly GuidePage[], reference: Reference, assets: AssetPaths) {
    this.#guide = guide;
    this.#reference = reference;
    this.#assets = assets;
  }

  guideHtml(page: GuidePage): string {
    const entries = page.headings
      .filter(({ level }) => level <= 3)
      .map(({ id, level, html }) => `<li class="level-${level}"><a href="#${id}">${html}</a></li>`);
    const aside = `<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>
<ol>${entries.join('\n')}</ol></details></nav>
`;
    return framed({
      page: { ...page, html: `<article>\n${page.html}</article>` },
      chapters: [this.#guideChapter(), ...this.#referenceChapters(), elsewhere],
      neighbours: neighboursOf(this.#guide, page),
      head: `<link rel="alternate" type="text/markdown" href="/docs/${page.name}.md">\n`,
      aside,
      footer: `<p><a href="/docs/${page.name}.md">This page as Markdown</a></p>`,
      assets: this.#assets,
    });
  }

  referenceHtml(page: SitePage): string {
    return framed({
      page,
      chapters: [...this.#referenceChapters(), this.#guideChapter(), elsewhere],
      neighbours: neighboursOf(pagesOf(this.#reference), page),
      assets: this.#assets,
    });
  }

  /** For a path without a page. */
  missingHtml(): string {
    const html = `<article>
<h1>Page not found</h1>
<p>There is no page at this address. Check the address, search above, or begin with the
<a href="/docs/quick-start/">guide</a>, the <a href="/docs/">reference</a> or the <a href="/console/">console</a>.</p>
</article>`;
    return framed({
      page: { path: '', title: 'Page not found', summary: 'There is no page at this address.', html },
      chapters: [this.#guideChapter(), ...this.#referenceChapters(), elsewhere],
      assets: this.#assets,
    });
  }

  #guideChapter(): Chapter {
    return { title: 'Guide', entries: this.#guide.map(({ path, title }) => ({ path, html: escapeHtml(title) })) };
  }

  #referenceChapters(): readonly Chapter[] {
    const { overview, objectTypes, operations } = this.#reference;
    const first = [
      { path: overview.path, html: 'Overview' },
      { path: objectTypes.path, html: escapeHtml(objectTypes.title) },
    ];
    const tags = [...new Set(operations.map(({ tag }) => tag))];
    return [
      { title: 'Reference', entries: first },
      ...tags.map((tag) => ({
        title: tag,
        entries: operations
          .filter((each) => each.tag === tag)
          .map(({ path, title, operation }) => ({
            path,
            html: `<span>${escapeHtml(title)}</span>${methodMark(operation)}`,
          })),
      })),
    ];
  }
}

function neighboursOf<Page>(pages: readonly Page[], page: Page): readonly [Page | undefined, Page | undefined] {
  const index = pages.indexOf(page);
  return [pages[index - 1], pages[index + 1]];
}
