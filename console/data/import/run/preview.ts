// The first rows of a file as they would be sent.
import { importBounds } from '../bounds.ts';
import type { Plan, Preview, PreviewRow } from '../messages.ts';
import type { ImportSchema } from '../plan/described-schema.ts';
import { dataRows, type SourceFile } from '../plan/source-file.ts';
import { RowReader } from './row-reader.ts';

export async function previewOf(schema: ImportSchema, file: SourceFile, { columns }: Plan): Promise<Preview> {
  const reader = new RowReader(
    schema,
    file.headers,
    columns.map(({ use }) => use),
  );
  const rows: PreviewRow[] = [];
  for await (const row of dataRows(file)) {
    if (rows.length === importBounds.rowsShown) break;
    const { values, names, externalId, faults } = reader.read(row);
    const links = reader.links.flatMap(({ use: { association } }, place) =>
      (names[place] ?? []).map((text) => ({ association, text })),
    );
    const id = externalId === undefined ? {} : { externalId };
    rows.push({ line: row.line, values, links, ...id, faults });
  }
  return { rows };
}
