// The search in the header. Its index is fetched when the field gets the focus. Results are links: the arrow keys move
// among them, Enter in the field opens the first, and Escape goes back.
import { element, required } from './element.ts';
import { rank, type SearchEntry } from './rank.ts';

const shownMax = 20;
const textMax = 110;

export function openSearch(): void {
  const form = required<HTMLFormElement>('form.search');
  form.hidden = false;
  new Search(form).open();
}

class Search {
  readonly #form: HTMLFormElement;
  readonly #input: HTMLInputElement;
  readonly #found: HTMLElement;
  readonly #count: HTMLElement;
  readonly #list: HTMLElement;
  #index: Promise<readonly SearchEntry[]> | undefined;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#input = required('input', form);
    this.#found = required('.found', form);
    this.#count = required('.count', form);
    this.#list = required('ul', form);
  }

  open(): void {
    this.#input.addEventListener('focus', () => {
      void this.#show();
    });
    this.#input.addEventListener('input', () => {
      void this.#show();
    });
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#links()[0]?.click();
    });
    this.#form.addEventListener('keydown', (event) => this.#move(event));
    // A link in the same page leaves the page as it is.
    this.#list.addEventListener('click', () => this.#close());
    document.addEventListener('click', ({ target }) => {
      if (target instanceof Node && !this.#form.contains(target)) this.#close();
    });
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.#input.focus();
    });
  }

  async #show(): Promise<void> {
    try {
      const entries = await this.#entries();
      const search = this.#input.value.trim();
      const matches = rank(entries, search);
      this.#found.hidden = search === '';
      this.#count.textContent = countText(matches.length, search);
      this.#list.replaceChildren(...matches.slice(0, shownMax).map(resultOf));
    } catch {
      this.#index = undefined;
      this.#found.hidden = false;
      this.#list.replaceChildren();
      this.#count.textContent = 'The search could not be loaded. Try again in a moment.';
    }
  }

  /** An index that could not be fetched is fetched again the next time. */
  #entries(): Promise<readonly SearchEntry[]> {
    this.#index ??= fetchIndex(this.#form.dataset['index'] ?? '');
    return this.#index;
  }

  #move(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#close();
      this.#input.focus();
      return;
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const places = [this.#input, ...this.#links()];
    const at = places.findIndex((each) => each.matches(':focus'));
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    places[Math.max(0, Math.min(next, places.length - 1))]?.focus();
  }

  #close(): void {
    this.#found.hidden = true;
  }

  #links(): readonly HTMLAnchorElement[] {
    return [...this.#list.querySelectorAll('a')];
  }
}

async function fetchIndex(address: string): Promise<readonly SearchEntry[]> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index has the status ${response.status}.`);
  return (await response.json()) as readonly SearchEntry[];
}

function countText(count: number, search: string): string {
  if (count === 0) return `Nothing found for “${search}”.`;
  if (count === 1) return '1 result';
  return count > shownMax ? `The first ${shownMax} of ${count} results` : `${count} results`;
}

function resultOf([kind, title, href, text]: SearchEntry): HTMLLIElement {
  const shown = text.length > textMax ? `${text.slice(0, textMax).trimEnd()}…` : text;
  return element(
    'li',
    {},
    element(
      'a',
      { href },
      element('span', { class: 'result-kind' }, kind),
      element('b', {}, title),
      element('span', { class: 'result-text' }, shown),
    ),
  );
}
