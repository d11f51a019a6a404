// Everything that is stored, as text: to see that a refused request has changed nothing at all, in no org.

import { rawQuery } from './database.ts';
import type { TestService } from './service.ts';

/** What every request may change: the count of the rate limit. */
const passing = ['rate_window'];

/** Table by table, a line for each row. Sequences are left out: a number that nobody got is no state. */
export async function snapshotOf({ databaseUrl }: TestService): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await rawQuery(
    databaseUrl,
    `select table_name as name from information_schema.tables
     where table_schema = 'orrery' and table_type = 'BASE TABLE' and table_name <> all ($1) order by 1`,
    [passing],
  );
  const names = rows.map((row: { name: string }) => row.name);
  const parts = names.map(
    (name) => `select '${name}' as name, (to_jsonb(t) - 'last_used_at')::text as row from orrery."${name}" as t`,
  );
  const found = await rawQuery(databaseUrl, `${parts.join(' union all ')} order by 1, 2`);
  const snapshot: Record<string, string[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const { name, row } of found.rows as { name: string; row: string }[]) snapshot[name]?.push(row);
  return snapshot;
}
