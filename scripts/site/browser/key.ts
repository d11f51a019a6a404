// The key of the reader. It is kept for the tab, so that a reload does not lose it, and goes to this service only, which the
// policy of the page also enforces. It is checked when it is entered.
import { required } from './element.ts';

const storageKey = 'orrery.docs.key';
/** What a header can hold; keys have letters, digits and underscores. */
const keyForm = /^[\x21-\x7e]+$/;

export function keptKey(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

export function openKey(form: HTMLFormElement): void {
  const input = required<HTMLInputElement>('input', form);
  const state = required<HTMLElement>('.state', form);
  const say = (text: string, kind: 'good' | 'bad') => {
    state.textContent = text;
    state.dataset['kind'] = kind;
    input.setAttribute('aria-invalid', String(kind === 'bad'));
  };
  const kept = keptKey();
  if (kept !== undefined) {
    input.value = kept;
    say('Your key is kept until you close this tab.', 'good');
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void use(input.value.trim(), say);
  });
}

type Say = (text: string, kind: 'good' | 'bad') => void;

async function use(key: string, say: Say): Promise<void> {
  sessionStorage.removeItem(storageKey);
  if (key === '')
    return say('Enter a key. The first start of the demo prints one; orrery key create makes others.', 'bad');
  if (!keyForm.test(key))
    return say('A key has only letters, digits and underscores, and begins with svc_live_.', 'bad');
  try {
    const response = await fetch('/rest/v1/self/', {
      headers: { Authorization: `Bearer ${key}` },
      credentials: 'omit',
      cache: 'no-store',
    });
    const { data, detail } = (await response.json()) as {
      readonly data?: { readonly org_id: number; readonly credential: { readonly name: string } };
      readonly detail?: string;
    };
    if (data === undefined) return say(`This key was not accepted. ${detail ?? ''}`, 'bad');
    sessionStorage.setItem(storageKey, key);
    say(`The key “${data.credential.name}” of org ${data.org_id} works. It is kept until you close this tab.`, 'good');
  } catch {
    say('The service did not answer, so the key could not be checked. Try again in a moment.', 'bad');
  }
}
