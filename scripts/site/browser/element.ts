// Making and finding elements. Text is always set as text, so nothing that a service answers becomes markup.

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** The element of the page that the selector names; the build has put it there. */
export function required<Type extends Element>(selector: string, within: ParentNode = document): Type {
  const found = within.querySelector<Type>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}
