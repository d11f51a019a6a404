// An org as its API shows it: every record of every type with values and versions, and its links in both directions with their
// times. Two orgs with equal snapshots are the same to every client.
import assert from 'node:assert/strict';
import type { Client } from '../client.ts';

/** What belongs to the org that is asked, and not to what was brought in. */
const ownTypes = new Set(['svc_access_key', 'svc_audit_entry', 'svc_job']);

interface Associated {
  readonly id: string;
  readonly object_type: string;
  readonly associated_at: string;
}

interface Shown {
  readonly id: string;
  readonly associations?: Readonly<Record<string, { readonly items: readonly Associated[] }>>;
}

/** A line for each record and for each link, in order. */
export async function snapshotOf(client: Client): Promise<readonly string[]> {
  const lines: string[] = [];
  const { body } = await client.get('/objects/');
  for (const { name } of body.data as { name: string }[]) {
    if (ownTypes.has(name)) continue;
    const associations = await client.get(`/objects/${name}/associations/`);
    const names = [...new Set((associations.body.data as { name: string }[]).map((each) => each.name))];
    for (let first = 0; first === 0 || first < names.length; first += 5) {
      const include = names.slice(first, first + 5).join();
      for (const record of await all(client, `/objects/${name}/records/?limit=100&include=${include}`)) {
        const { associations: links = {}, ...own } = record;
        if (first === 0) lines.push(JSON.stringify([name, own]));
        lines.push(...linesOf(record.id, links));
      }
    }
  }
  return lines.toSorted();
}

function linesOf(id: string, links: NonNullable<Shown['associations']>): readonly string[] {
  return Object.entries(links).flatMap(([name, { items }]) =>
    items
      .filter(({ object_type }) => !ownTypes.has(object_type))
      // The number of the org is its own.
      .map((each) => [id, name, each.object_type === 'svc_org' ? 'org' : each.id, each.associated_at].join(' ')),
  );
}

async function all(client: Client, path: string): Promise<readonly Shown[]> {
  const records: Shown[] = [];
  for (let cursor = ''; ; ) {
    const { status, body, text } = await client.get(
      cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    );
    assert.equal(status, 200, text);
    records.push(...body.data);
    const next = body.pagination?.next_cursor ?? null;
    if (next === null) return records;
    cursor = next;
  }
}
