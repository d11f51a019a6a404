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
  const found: Record<string, readonly string[]> = {};
  for (const { name } of rows as readonly { name: string }[]) {
    const hits = await rawQuery(
      databaseUrl,
      `select distinct v.value from orrery."${name}" as t cross join unnest($1::text[]) as v (value)
       where strpos(lower(t::text), lower(v.value)) > 0`,
      [values],
    );
    for (const { value } of hits.rows as readonly { value: string }[]) found[value] = [...(found[value] ?? []), name];
  }
  return found;
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
