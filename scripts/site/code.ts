// A block of code as it is shown everywhere: highlighted, scrolling on its own, with a caption if it has one. The script
// of the page adds the button that copies it.
import { partsOf } from './highlight.ts';
import { escapeHtml } from './html.ts';

interface Block {
  readonly code: string;
  readonly language: string;
  /** HTML above the code. */
  readonly caption?: string | undefined;
  /** More attributes of the figure. */
  readonly attributes?: string | undefined;
}

export function codeBlock({ code, language, caption, attributes }: Block): string {
  const parts = partsOf(code, language).map(({ kind, text }) =>
    kind === undefined ? escapeHtml(text) : `<span class="${kind}">${escapeHtml(text)}</span>`,
  );
  const head = caption === undefined ? '' : `<figcaption>${caption}</figcaption>`;
  const more = attributes === undefined ? '' : ` ${attributes}`;
  return `<figure class="code"${more}>${head}<pre tabindex="0"><code class="${escapeHtml(language)}">${parts.join('')}</code></pre></figure>\n`;
}
