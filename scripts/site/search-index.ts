// What the search of the documentation finds: operations, members of their requests and answers, object types and their
// properties, codes and reasons of problems, and the pages and sections of the guide. The browser fetches it when somebody begins to search.
import { problemCodes } from '../../src/base/problem.ts';
import type { GuidePage } from './guide.ts';
import { plainText } from './html.ts';
import type { Reference } from './reference/reference.ts';

/** Kind, title, address, and the words that it is also found by, of which the beginning is shown. */
export type SearchEntry = readonly [kind: string, title: string, href: string, text: string];

/** How much of the text of a section can be found. */
const sectionTextMax = 600;

export function searchIndex(guide: readonly GuidePage[], reference: Reference): readonly SearchEntry[] {
  const { overview, objectTypes, operations } = reference;
  return [
    ...[overview, objectTypes].map(({ title, path, summary }): SearchEntry => ['Reference', title, path, summary]),
    ...operations.map(({ title, path, summary, operation }): SearchEntry => {
      return ['Operation', title, path, `${operation.id} · ${operation.method} ${operation.path} · ${summary}`];
    }),
    ...guide.flatMap(guideEntries),
    ...Object.entries(problemCodes).flatMap(([code, { status, title, reasons }]): readonly SearchEntry[] => {
      const href = `/docs/errors/#${code}`;
      const own: SearchEntry = ['Code', code, href, `${status} · ${title}`];
      return [own, ...reasons.map((reason): SearchEntry => ['Reason', reason, href, `${status} ${code}`])];
    }),
    ...objectTypes.places.map(({ name, id, description }): SearchEntry => {
      return [id === name ? 'Type' : 'Property', name, `${objectTypes.path}#${id}`, plainText(description)];
    }),
    ...memberEntries(operations),
  ];
}

function guideEntries({ name, title, path, summary, markdown, headings }: GuidePage): readonly SearchEntry[] {
  // The sections of that page are the codes.
  if (name === 'errors') return [['Guide', title, path, summary]];
  const sections = markdown.split(/^#{2,} .*\n/m).slice(1);
  return [
    ['Guide', title, path, summary],
    ...headings.map(({ id, text }, index): SearchEntry => {
      return [
        'Guide',
        text,
        `${path}#${id}`,
        `${title} · ${plainText(sections[index] ?? '').slice(0, sectionTextMax)}`,
      ];
    }),
  ];
}

/** A member that means the same in several operations is found once. */
function memberEntries(operations: Reference['operations']): readonly SearchEntry[] {
  const entries = new Map<
    string,
    { readonly name: string; readonly href: string; description: string; in: Set<string> }
  >();
  for (const { path, places, operation } of operations) {
    for (const { name, id, description } of places) {
      const key = `${name} ${description}`;
      const entry = entries.get(key) ?? { name, href: `${path}#${id}`, description, in: new Set() };
      entry.in.add(operation.id);
      entries.set(key, entry);
    }
  }
  return [...entries.values()].map(({ name, href, description, in: names }): SearchEntry => {
    return ['Member', name, href, `${plainText(description)} · ${[...names].join(', ')}`];
  });
}
