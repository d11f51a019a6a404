// The style of the documentation as one file. Its colours and sizes are the console's; which theme is used follows the
// reader's system.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const parts = ['base', 'frame', 'code', 'reference', 'try', 'print'] as const;

export async function readStyle(root: string): Promise<string> {
  const tokens = await readFile(join(root, 'console/style/tokens.css'), 'utf8');
  const dark = /:root\[data-theme="dark"\] (\{[^}]*\})/;
  if (!dark.test(tokens)) throw new Error('console/style/tokens.css has no dark theme.');
  const themed = tokens.replace(dark, '@media screen and (prefers-color-scheme: dark) {\n:root $1\n}');
  const texts = await Promise.all(parts.map((part) => readFile(join(root, `scripts/site/style/${part}.css`), 'utf8')));
  return small([themed, ...texts].join('\n'));
}

/** Without comments and indents, which the browser does not need. */
function small(css: string): string {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\n\s+/g, '\n')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
}
