// The pages of the guide in reading order: turns Markdown into HTML with anchors, and lists the headings for the table
// of contents. Raw HTML in a page is shown as text. Links may only lead to the guide or to other paths of this service,
// and pictures are those of the guide: nothing comes from another host.
import { Marked, Renderer, type Tokens } from 'marked';
import { codeBlock } from './code.ts';
import { checkNumbers } from './facts.ts';
import type { SitePage } from './frame.ts';
import { codeHtml, escapeHtml, plainText } from './html.ts';

export const pageNames = [
  'quick-start',
  'concepts',
  'filters',
  'sync',
  'import',
  'undo',
  'access',
  'administer',
  'sign-in',
  'console',
  'work-with-deals',
  'reports',
  'import-a-spreadsheet',
  'invite-a-colleague',
  'add-a-property',
  'erase',
  'operate',
  'cluster',
  'errors',
  'limits',
] as const;

/** Its title is the one heading of the first level, its summary the first paragraph. */
export interface GuidePage extends SitePage {
  readonly name: string;
  readonly markdown: string;
  readonly headings: readonly Heading[];
  /** The targets of its links, such as /docs/errors/#gone. */
  readonly links: readonly string[];
}

interface Heading {
  readonly id: string;
  readonly level: number;
  readonly html: string;
  /** Without markup. */
  readonly text: string;
}

/** `pictures` has the addresses of the pictures that a page can show, by the names of their files. */
export function renderPage(name: string, source: string, pictures: ReadonlyMap<string, string> = new Map()): GuidePage {
  const markdown = checkNumbers(source);
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  const renderer = new PageRenderer(pictures);
  const html = marked.parser(tokens, { renderer });
  const titles = tokens.filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 1);
  const first = tokens.find((token): token is Tokens.Paragraph => token.type === 'paragraph');
  if (titles.length !== 1) throw new Error(`${name}.md has ${titles.length} headings of level 1, expected one.`);
  return {
    name,
    path: `/docs/${name}/`,
    title: titles[0]?.text ?? '',
    summary: plainText(first?.text ?? ''),
    markdown,
    html,
    headings: renderer.headings,
    links: renderer.links,
  };
}

class PageRenderer extends Renderer {
  readonly headings: Heading[] = [];
  readonly links: string[] = [];
  readonly #pictures: ReadonlyMap<string, string>;

  constructor(pictures: ReadonlyMap<string, string>) {
    super();
    this.#pictures = pictures;
  }

  override heading({ tokens, depth, text }: Tokens.Heading): string {
    const html = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1>${html}</h1>\n`;
    const id = plainText(text)
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    if (this.headings.some((each) => each.id === id)) throw new Error(`Two headings have the id ${id}.`);
    this.headings.push({ id, level: depth, html, text: plainText(text) });
    return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${depth}>\n`;
  }

  override link(token: Tokens.Link): string {
    const page = /^([a-z-]+)\.md(#[a-z0-9_-]+)?$/.exec(token.href);
    const href = page === null ? token.href : `/docs/${page[1]}/${page[2] ?? ''}`;
    if (!/^(#|\/(?!\/))/.test(href)) throw new Error(`A link in the guide leads to another host: ${token.href}`);
    this.links.push(href);
    return super.link({ ...token, href });
  }

  override image({ href, text }: Tokens.Image): string {
    const address = this.#pictures.get(href);
    if (address === undefined) throw new Error(`The guide has no picture ${href}.`);
    if (text === '') throw new Error(`The picture ${href} has no words for those who do not see it.`);
    return `<img class="picture" src="${address}" alt="${escapeHtml(text)}" loading="lazy">`;
  }

  /** Allows line breaks inside long names and paths, at the end of their words. */
  override codespan({ text }: Tokens.Codespan): string {
    return codeHtml(text);
  }

  /** A wide table scrolls on its own, so that the page does not. */
  override table(token: Tokens.Table): string {
    return `<div class="wide" tabindex="0">${super.table(token)}</div>\n`;
  }

  /** The block after a request shows its answer; the word after `json` is the status. */
  override code({ text, lang = '' }: Tokens.Code): string {
    const [language = '', status] = lang.split(' ');
    const caption = status === undefined ? undefined : `Answer ${escapeHtml(status)}`;
    return codeBlock({ code: text, language, caption });
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text);
  }
}
