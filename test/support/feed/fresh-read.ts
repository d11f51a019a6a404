// Everything that a key can see, read at once, in the lines that a copy has for it: what a copy must be equal to.
import { linkPath, mustSend, type RecordJson, readList, type Send } from '../plain-requests.ts';
import { lineOf, linkText } from './copy.ts';
import { copiedLinks, copiedTypes } from './world.ts';

interface Fresh {
  readonly lines: readonly string[];
  readonly links: readonly string[];
}

/** The records of the copied types, and all links of those that have any. */
export async function readFresh(send: Send, sources: readonly string[]): Promise<Fresh> {
  const lines: string[] = [];
  const links: string[] = [];
  for (const type of copiedTypes) {
    const include = sources.includes(type) ? `&include=${(copiedLinks[type] ?? []).join()}` : '';
    const records = await readList(send, type, `limit=500${include}`);
    lines.push(...records.map(lineOf));
    for (const record of records) links.push(...(await linksOf(send, record)));
  }
  return { lines: lines.sort(), links: links.sort() };
}

async function linksOf(send: Send, { object_type, id, associations = {} }: RecordJson): Promise<readonly string[]> {
  const links: string[] = [];
  for (const [type, { items, next_cursor: next }] of Object.entries(associations)) {
    const targets = items.map((item) => item.id);
    for (let cursor = next; cursor !== null; ) {
      const answer = await send('GET', `${linkPath(object_type, id, type)}?cursor=${cursor}`);
      if (answer.status !== 200) throw new Error(`links: ${answer.status} ${answer.text}`);
      targets.push(...(answer.body.data as { id: string }[]).map((target) => target.id));
      cursor = answer.body.pagination?.next_cursor ?? null;
    }
    links.push(...targets.map((target) => linkText(type, id, target)));
  }
  return links;
}

/** All records of all types that the key can see. */
export async function everyLine(send: Send): Promise<readonly string[]> {
  const types = await mustSend<readonly { name: string }[]>(send, 'GET', '/objects/');
  const lines: string[] = [];
  for (const { name } of types) lines.push(...(await readList(send, name, 'limit=500')).map(lineOf));
  return lines.sort();
}
