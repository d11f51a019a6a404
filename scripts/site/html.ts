// Text as HTML: escaped, and with the little Markdown that the descriptions of the OpenAPI document use.

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Code in a line of text. Long names and paths can break at the end of their words. */
export function codeHtml(text: string): string {
  return `<code>${escapeHtml(text).replaceAll(/(?<=\w)[_/](?=\w)/g, '$&<wbr>')}</code>`;
}

/** A description, with its names between backquotes as code. */
export function inlineHtml(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : codeHtml(part)))
    .join('');
}

/** A description as plain text. */
export function plainText(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ');
}

/** `getSelf` can break before its capital. */
export function breakable(name: string): string {
  return escapeHtml(name).replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=_)/g, '<wbr>');
}
