// What axe finds wrong with a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Axe's kinds of rules but those of colours, which take longer than all others together. */
export const allButColours = [
  'aria',
  'forms',
  'keyboard',
  'language',
  'name-role-value',
  'parsing',
  'semantics',
  'structure',
]
  .concat(['sensory-and-visual-cues', 'tables', 'text-alternatives', 'time-and-media'])
  .map((kind) => `cat.${kind}`);

/** Those of colours: what else axe finds does not differ between themes. */
const colours = ['color-contrast', 'link-in-text-block'];

/** By default all rules, and the whole page. */
export interface ChosenRules {
  readonly rules?: readonly string[];
  /** A selector of the part that is examined. */
  readonly within?: string;
}

/** What axe finds wrong with the page as it is. It is evaluated from outside: the policy of the page admits no foreign script. */
export async function violations(page: Page, { rules, within }: ChosenRules = {}): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  // Of what is in order, axe need not list every place.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) });
  const part = within === undefined ? 'document' : JSON.stringify(within);
  return page.evaluate<readonly string[]>(
    `axe.run(${part}, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).slice(0, 3).join(' ')))`,
  );
}

/** Axe finds nothing wrong with the page of the console as it is, in either theme. */
export async function expectReadable(page: Page, what: string): Promise<void> {
  for (const [colorScheme, chosen] of [
    ['light', {}],
    ['dark', { rules: colours }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    expect(await violations(page, chosen), `${what}, ${colorScheme}`).toEqual([]);
  }
}
