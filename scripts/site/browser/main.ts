// The script of the documentation. The pages can be read without it: it adds the search, the copy buttons, the choice of
// a language that stays, and the form that sends requests, and opens what is folded for paper.
import { addCopyButtons } from './copy.ts';
import { keepLanguage } from './language.ts';
import { openForPrinting } from './print.ts';
import { openSearch } from './search.ts';
import { openTrying } from './try.ts';

/** Links to operations in the reference of former releases, such as /docs/#/Records/getRecord. */
const former = /^#\/[A-Za-z]+\/([A-Za-z]+)$/.exec(location.hash)?.[1];
if (location.pathname === '/docs/' && former !== undefined) location.replace(`/docs/reference/${former}/`);

addCopyButtons();
placeLists();
keepLanguage();
openSearch();
openTrying();
openForPrinting();

/** The list of pages shows where the reader is; on a small screen, that of the sections of a page is closed. */
function placeLists(): void {
  document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest' });
  const contents = document.querySelector<HTMLDetailsElement>('.contents details');
  if (contents !== null && matchMedia('(max-width: 859px)').matches) contents.open = false;
}
