// Searches everything that is stored for values: all tables of the schema as text, and the bytes of PostgreSQL's files.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rawQuery } from '../database.ts';

/** Those of the values that a row of any table has, each with the tables; texts are compared without regard to case. */
export async function tablesWith(
  databaseUrl: string,
  values: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await rawQuery(
    databaseUrl,
    `select table_name as name from information_schema.tables
     where table_schema = 'orrery' and table_type = 'BASE TABLE' order by 1`,
  );
  const names = (rows as readonly { name: string }[]).map(({ name }) => name);
  // Each row is printed once, not once for each value.
  const texts = names.map((name) => `select '${name}' as name, lower(t::text) as row from orrery."${name}" as t`);
  const hits = await rawQuery(
    databaseUrl,
    `with texts as materialized (${texts.join(' union all ')})
     select v.value, array_agg(distinct t.name order by t.name) as names
     from texts as t cross join unnest($1::text[]) as v (value) where strpos(t.row, lower(v.value)) > 0 group by v.value`,
    [values],
  );
  const found = hits.rows as readonly { value: string; names: readonly string[] }[];
  return Object.fromEntries(found.map(({ value, names: tables }) => [value, tables]));
}

/** Those of the values that a file below the folder has, in any case of their letters, each with the names of the files. */
export async function filesWith(folder: string, values: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    for (const value of await valuesIn(path, values)) found.push(`${path.slice(folder.length + 1)}: ${value}`);
  }
  return found;
}

/** Reads in pieces that overlap by the longest value. */
async function valuesIn(path: string, values: readonly string[]): Promise<readonly string[]> {
  const longest = Math.max(...values.map((value) => value.length));
  const found = new Set<string>();
  let rest = '';
  for await (const chunk of createReadStream(path, { highWaterMark: 4_194_304 }) as AsyncIterable<Buffer>) {
    const text = rest + chunk.toString('latin1').toLowerCase();
    for (const value of values) if (text.includes(value.toLowerCase())) found.add(value);
    rest = text.slice(-longest);
  }
  return [...found];
}
