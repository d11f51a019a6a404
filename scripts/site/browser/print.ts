// On paper everything is open. The style does that in browsers that know `::details-content`, and without a script; for all
// others, what the reader has left closed is open while the page is printed.

export function openForPrinting(): void {
  const opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    for (const each of document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')) {
      each.open = true;
      opened.push(each);
    }
  });
  addEventListener('afterprint', () => {
    for (const each of opened.splice(0)) each.open = false;
  });
}
