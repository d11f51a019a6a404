// A button on every block of code that copies it.
import { element, required } from './element.ts';

/** How long a button says what it has done. */
const toldMs = 2_000;

export function addCopyButtons(within: ParentNode = document): void {
  for (const figure of within.querySelectorAll('figure.code')) {
    const code = required<HTMLElement>('code', figure);
    const button = element('button', { class: 'copy', type: 'button' }, 'Copy');
    button.addEventListener('click', () => {
      void copy(code, button);
    });
    figure.append(button);
  }
}

async function copy(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  button.textContent = await copied(code);
  setTimeout(() => {
    button.textContent = 'Copy';
  }, toldMs);
}

/** Browsers give the clipboard to pages from https and from this machine only; elsewhere, the reader copies it himself. */
async function copied(code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return 'Copied';
  } catch {
    getSelection()?.selectAllChildren(code);
    return 'Selected';
  }
}
