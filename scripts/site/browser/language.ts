// The language of the examples that the reader has chosen stays chosen on other pages, in this browser.

const storageKey = 'orrery.docs.language';

export function keepLanguage(): void {
  const choices = [...document.querySelectorAll<HTMLInputElement>('input[name="language"]')];
  for (const choice of choices) {
    choice.addEventListener('change', () => localStorage.setItem(storageKey, choice.value));
  }
  const kept = choices.find(({ value }) => value === localStorage.getItem(storageKey));
  if (kept !== undefined) kept.checked = true;
}
