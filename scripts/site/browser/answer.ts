// The answer to a request that the reader has sent: its status, headers and formatted body.
import { partsOf } from '../highlight.ts';
import { addCopyButtons } from './copy.ts';
import { element } from './element.ts';

/** Longer answers are cut, so that the page stays quick. */
const shownMax = 100_000;

export function showAnswer(place: HTMLElement, response: Response, text: string, tookMs: number): void {
  const { shown, isDryRun } = formatted(text);
  const kind = response.ok ? 'good' : 'bad';
  const facts = [`${Math.round(tookMs)} ms`, size(text.length)];
  const told = isDryRun ? element('b', { class: 'dry' }, 'Dry run: nothing was stored') : '';
  const head = element(
    'p',
    { role: 'status', class: 'answered' },
    element('span', { class: `status ${kind}` }, `${response.status} ${response.statusText}`.trim()),
    ` ${facts.join(' · ')} `,
    told,
  );
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  place.hidden = false;
  place.replaceChildren(
    head,
    element('details', { class: 'fold' }, element('summary', {}, 'Headers'), block(headers, 'text')),
    block(shown, 'json'),
  );
  addCopyButtons(place);
}

export function showFailure(place: HTMLElement, text: string): void {
  place.hidden = false;
  place.replaceChildren(element('p', { role: 'alert', class: 'failed' }, text));
}

function formatted(text: string): { readonly shown: string; readonly isDryRun: boolean } {
  try {
    const body = JSON.parse(text) as { readonly dry_run?: boolean };
    const whole = JSON.stringify(body, undefined, 2);
    const shown = whole.length > shownMax ? `${whole.slice(0, shownMax)}\n… (${size(whole.length)} in all)` : whole;
    return { shown, isDryRun: body.dry_run === true };
  } catch {
    // Not from the service, such as the page of a proxy.
    return { shown: text.slice(0, shownMax), isDryRun: false };
  }
}

function size(length: number): string {
  return length < 1_000 ? `${length} bytes` : `${(length / 1_000).toFixed(1)} kB`;
}

function block(text: string, language: string): HTMLElement {
  const parts = partsOf(text, language).map(({ kind, text: part }) =>
    kind === undefined ? document.createTextNode(part) : element('span', { class: kind }, part),
  );
  return element('figure', { class: 'code' }, element('pre', { tabindex: '0' }, element('code', {}, ...parts)));
}
