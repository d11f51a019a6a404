// Everything that is stored, as text: to prove that a refused request has changed nothing in any org.

import { rawQuery } from './database.ts';
import type { TestService } from './service.ts';

/** Every request may change the count of the rate limit, and earlier writes are added up a second later. */
const passing = ['rate_window', 'storage'];

/** Table by table, a line for each row. Sequences are left out: a number that was never assigned is not state. */
export async function snapshotOf({ databaseUrl }: TestService): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await rawQuery(
    databaseUrl,
    `select table_name as name from information_schema.tables
     where table_schema = 'orrery' and table_type = 'BASE TABLE' and table_name <> all ($1) order by 1`,
    [passing],
  );
  const names = rows.map((row: { name: string }) => row.name);
  const parts = names.map((name) => `select '${name}' as name, ${rowText(name)} as row from orrery."${name}" as t`);
  const found = await rawQuery(databaseUrl, `${parts.join(' union all ')} order by 1, 2`);
  const snapshot: Record<string, string[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const { name, row } of found.rows as { name: string; row: string }[]) snapshot[name]?.push(row);
  return snapshot;
}

/** A row without what the service notes in the background: when keys were used, and members seen. */
function rowText(table: string): string {
  if (table === 'record') {
    return "(to_jsonb(t) #- '{properties,svc_last_used_at}' #- '{properties,svc_last_seen_at}')::text";
  }
  // Their facts contain these dates.
  return table === 'fact'
    ? 'case when t.type_id in (34, 36) then t.id::text else to_jsonb(t)::text end'
    : 'to_jsonb(t)::text';
}
