// The form that sends a request. The build has printed it; here it is shown, filled from examples, sent and answered.
import { showAnswer, showFailure } from './answer.ts';
import { element, required } from './element.ts';
import { findRecord } from './find-record.ts';
import { keptKey, openKey } from './key.ts';

export function openTrying(): void {
  const place = document.querySelector<HTMLDetailsElement>('details.try');
  if (place === null) return;
  place.hidden = false;
  if (location.hash === '#try') place.open = true;
  const keyForm = place.querySelector<HTMLFormElement>('form.key');
  if (keyForm !== null) openKey(keyForm);
  new RequestForm(required('form.request', place), required('.result', place)).open();
}

class RequestForm {
  readonly #form: HTMLFormElement;
  readonly #result: HTMLElement;
  readonly #submit: HTMLButtonElement;

  constructor(form: HTMLFormElement, result: HTMLElement) {
    this.#form = form;
    this.#result = result;
    this.#submit = required('button[type="submit"]', form);
  }

  open(): void {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
    const dryRun = this.#dryRun();
    dryRun?.addEventListener('change', () => this.#name());
    this.#name();
    const choice = this.#form.querySelector<HTMLSelectElement>('#try-example');
    choice?.addEventListener('change', () => this.#fill(choice.selectedOptions[0]));
    for (const button of this.#form.querySelectorAll<HTMLButtonElement>('button[data-find]')) {
      button.addEventListener('click', () => {
        void this.#find(button);
      });
    }
  }

  #dryRun(): HTMLInputElement | null {
    return this.#form.querySelector<HTMLInputElement>('[name="dry-run"]');
  }

  /** The button says what it does. */
  #name(): void {
    const dryRun = this.#dryRun();
    const isWriting = dryRun !== null && !dryRun.checked;
    this.#submit.textContent = dryRun === null ? 'Send request' : isWriting ? 'Send and store' : 'Send as dry run';
    this.#submit.classList.toggle('writes', isWriting);
  }

  /** Ids are those of the example; what the example does not send is emptied. */
  #fill(option: HTMLOptionElement | undefined): void {
    if (option === undefined) return;
    const values = JSON.parse(option.dataset['values'] ?? '{}') as Readonly<Record<string, string>>;
    for (const field of this.#fields()) field.value = values[field.name] ?? '';
    const body = this.#body();
    if (body !== null) body.value = option.dataset['body'] ?? '';
  }

  #fields(): readonly (HTMLInputElement | HTMLSelectElement)[] {
    return [...this.#form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-in]')];
  }

  #body(): HTMLTextAreaElement | null {
    return this.#form.querySelector('#try-body');
  }

  async #find(button: HTMLButtonElement): Promise<void> {
    const name = button.dataset['find'] ?? '';
    const values = new Map(this.#fields().map((field) => [field.name, field.value]));
    const found = await findRecord(name, values, keptKey());
    const field = this.#fields().find((each) => each.name === name);
    if ('id' in found && field !== undefined) field.value = found.id;
    else if ('refused' in found) showFailure(this.#result, found.refused);
  }

  async #send(): Promise<void> {
    const key = keptKey();
    const { method = 'GET', path = '', access } = this.#form.dataset;
    if (access === 'key' && key === undefined) {
      showFailure(this.#result, 'Enter your key above first, and choose “Use key”.');
      document.querySelector<HTMLInputElement>('#try-key')?.focus();
      return;
    }
    const { target, headers } = this.#request(path);
    const body = this.#body()?.value;
    const fault = body === undefined ? undefined : jsonFault(body);
    if (fault !== undefined) return showFailure(this.#result, `The body is not valid JSON: ${fault}`);
    this.#submit.disabled = true;
    this.#result.hidden = false;
    this.#result.replaceChildren(element('p', { role: 'status' }, 'Sending …'));
    try {
      const begunMs = performance.now();
      const response = await fetch(target, {
        method,
        headers: {
          ...headers,
          ...(access === 'key' ? { Authorization: `Bearer ${key}` } : {}),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
        credentials: 'omit',
        cache: 'no-store',
      });
      const text = await response.text();
      showAnswer(this.#result, response, text, performance.now() - begunMs);
    } catch {
      showFailure(this.#result, 'The service did not answer. Check that it is running, then send the request again.');
    } finally {
      this.#submit.disabled = false;
    }
  }

  /** Fields that are left empty are not sent. */
  #request(path: string): { readonly target: string; readonly headers: Readonly<Record<string, string>> } {
    let filled = path;
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    for (const { name, value, dataset } of this.#fields()) {
      if (dataset['in'] === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value.trim()));
      else if (value.trim() === '') continue;
      else if (dataset['in'] === 'query') query.set(name, value.trim());
      else headers[name] = value.trim();
    }
    if (this.#dryRun()?.checked === true) headers['Svc-Dry-Run'] = 'true';
    return { target: query.size === 0 ? filled : `${filled}?${query.toString()}`, headers };
  }
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
