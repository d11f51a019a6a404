// Records with very many links, and the way through all of them page by page. It needs no test runner, so that a script
// can do the same with more of them.
import { linkPath, mustSend, type RecordJson, recordsOf, type Send } from '../plain-requests.ts';

/** A record and how the contacts at the other ends of its links are found. */
export interface Hub {
  readonly type: 'svc_company' | 'svc_deal';
  readonly id: string;
  readonly association: string;
}

export interface Hubs {
  /** A company that contacts are linked to: its links come in. */
  readonly incoming: Hub;
  /** A deal that is linked to the same contacts: its links go out. */
  readonly outgoing: Hub;
  /** In the order of pages. */
  readonly contacts: readonly string[];
}

interface Results {
  readonly results: readonly { readonly id: string }[];
}

/** Makes a company and a deal that are each linked to as many contacts as asked for. */
export async function makeHubs(send: Send, count: number): Promise<Hubs> {
  const make = (type: string) =>
    mustSend<RecordJson>(send, 'POST', recordsOf(type), { properties: { svc_name: `Hub of ${count}` } });
  const [company, deal] = [await make('svc_company'), await make('svc_deal')];
  const contacts: string[] = [];
  while (contacts.length < count) {
    const operations = Array.from({ length: Math.min(1_000, count - contacts.length) }, (_, index) => ({
      operation: 'create',
      object_type: 'svc_contact',
      properties: { svc_last_name: `Spoke ${contacts.length + index}` },
      associations: [{ association_type: 'svc_contact_to_company', target_id: company.id }],
    }));
    const made = await mustSend<Results>(send, 'POST', '/batch/', { operations });
    contacts.push(...made.results.map(({ id }) => id));
    const links = made.results.map(({ id }) => ({
      operation: 'associate',
      object_type: 'svc_deal',
      id: deal.id,
      association_type: 'svc_deal_to_contact',
      target_id: id,
    }));
    await mustSend<Results>(send, 'POST', '/batch/', { operations: links });
  }
  return {
    incoming: { type: 'svc_company', id: company.id, association: 'svc_contact_to_company' },
    outgoing: { type: 'svc_deal', id: deal.id, association: 'svc_deal_to_contact' },
    contacts: contacts.sort(),
  };
}

interface HubPage {
  readonly ids: readonly string[];
  readonly ms: number;
}

/** All pages of a hub, one after the other; `between` runs after each page and gets the number of pages before it. */
export async function pagesOf(
  send: Send,
  { type, id, association }: Hub,
  limit: number,
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly HubPage[]> {
  const pages: HubPage[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`;
    const began = performance.now();
    const answer = await send('GET', `${linkPath(type, id, association)}?limit=${limit}${more}`);
    const ms = performance.now() - began;
    if (answer.status !== 200) throw new Error(`links of ${type} ${id}: ${answer.status} ${answer.text}`);
    pages.push({ ids: (answer.body.data as { id: string }[]).map((each) => each.id), ms });
    cursor = answer.body.pagination?.next_cursor ?? null;
    await between(pages.length - 1);
  } while (cursor !== null);
  return pages;
}

/** Findings about the pages: each contact must come once, in order, and the pages must be full. */
export function pageFindings(
  name: string,
  pages: readonly HubPage[],
  contacts: readonly string[],
  limit: number,
): readonly string[] {
  const ids = pages.flatMap((page) => page.ids);
  const seen = new Set(ids);
  const short = pages.slice(0, -1).filter((page) => page.ids.length !== limit);
  return [
    ...(ids.length === contacts.length ? [] : [`${name}: ${ids.length} of ${contacts.length} came`]),
    ...(seen.size === ids.length ? [] : [`${name}: ${ids.length - seen.size} came twice`]),
    ...(contacts.every((id) => seen.has(id)) ? [] : [`${name}: some have not come`]),
    ...(ids.every((id, index) => index === 0 || (ids[index - 1] ?? '') < id) ? [] : [`${name}: not in order`]),
    ...(short.length === 0 ? [] : [`${name}: ${short.length} pages are not full`]),
  ];
}
