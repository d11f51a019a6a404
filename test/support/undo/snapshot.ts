// The state of some records as the tables have it, fact by fact: whether each is live, its values, its links, and who sees
// it. The feed is not asked, so that it can be checked against this.
import { raw, sql } from '../../../src/base/sql.ts';
import type { Reads } from '../../../src/store/database.ts';
import { ids as list, numbers } from '../../../src/store/row-parameters.ts';

type Place = 'none' | 'live' | 'trash';

/** The facts of one record. Values and links have names such as `value svc_name` and `link 3 TARGET`. */
export interface Facts {
  readonly typeId: number;
  readonly place: Place;
  readonly facts: ReadonlyMap<string, string>;
}

export type Snapshot = ReadonlyMap<string, Facts>;

const nothing: Facts = { typeId: 0, place: 'none', facts: new Map() };

export function factsOf(snapshot: Snapshot, id: string): Facts {
  return snapshot.get(id) ?? nothing;
}

/** The types of contacts, companies, deals and their stages: histories change nothing else. */
const typeIds = [1, 2, 3, 6];

interface RecordRow {
  readonly typeId: number;
  readonly id: string;
  readonly place: Place;
  readonly orgVisible: boolean;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Association types and targets, and users. */
  readonly links: readonly { readonly type: number; readonly target: string }[] | null;
  readonly users: readonly string[] | null;
}

/** The state of the records with these ids. `toOne` are the association types of which a source has one target. */
export async function readSnapshot(
  database: Reads,
  orgId: number,
  ids: readonly string[],
  toOne: ReadonlySet<number>,
): Promise<Snapshot> {
  const columns = raw('type_id as "typeId", id, org_visible as "orgVisible", properties');
  const asked = sql`org_id = ${orgId} and type_id = any (${numbers(typeIds)}::integer[]) and id = any (${list(ids)}::uuid[])`;
  const rows = await database.query<RecordRow>(sql`
    select r.*,
      (select json_agg(json_build_object('type', a.association_type_id, 'target', a.target_id))
        from orrery.association as a where a.org_id = ${orgId} and a.source_id = r.id) as links,
      (select json_agg(u.user_id) from orrery.record_user as u where u.org_id = ${orgId} and u.record_id = r.id) as users
    from (select ${columns}, 'live' as place from orrery.record where ${asked}
      union all select ${columns}, 'trash' as place from orrery.trash where ${asked}) as r`);
  return new Map(rows.map((row) => [row.id, { typeId: row.typeId, place: row.place, facts: factsIn(row, toOne) }]));
}

function factsIn({ properties, orgVisible, links, users }: RecordRow, toOne: ReadonlySet<number>) {
  const facts = new Map<string, string>();
  for (const [name, value] of Object.entries(properties)) {
    if (!unreported.has(name)) facts.set(`value ${name}`, JSON.stringify(value));
  }
  if (orgVisible) facts.set('org', 'yes');
  for (const { type, target } of links ?? []) {
    facts.set(toOne.has(type) ? `one ${type}` : `many ${type} ${target}`, target);
  }
  for (const user of users ?? []) facts.set(`user ${user}`, 'yes');
  return facts;
}

const unreported = new Set(['svc_created_at', 'svc_updated_at', 'svc_last_activity_at']);

/** The names of the facts that differ; `life` if the record was made, deleted or restored. */
export function differences(before: Facts, after: Facts): ReadonlySet<string> {
  const names = new Set<string>();
  if (before.place !== after.place) names.add('life');
  if (before.place === 'none') return names;
  for (const name of new Set([...before.facts.keys(), ...after.facts.keys()])) {
    if (before.facts.get(name) !== after.facts.get(name)) names.add(name);
  }
  return names;
}
