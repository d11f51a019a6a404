// The forms that records are exported in: CSV, which import reads back, NDJSON, and one JSON array. Only CSV parses the
// values of a record; the JSON forms write them as they are stored.

import { toCsvLine } from '../../../client/import/files/to-csv-line.ts';
import type { Clock } from '../../base/clock.ts';
import { asString, type Json } from '../../base/json.ts';
import { type ExportedShape, type ExportedType, exportPages } from '../../engine/admin/export.ts';
import type { ExportedRecord } from '../../engine/admin/export-links.ts';
import { associationsMember, recordJson, recordParts } from '../../operations/shared/record-json.ts';
import { toCell } from '../../schema/csv-cell.ts';
import type { Database } from '../../store/database.ts';

export interface ExportRequest extends ExportedType {
  readonly form: keyof typeof exportForms;
}

/** Takes a piece of the export and the number of records in it; resolves when it is ready for the next piece. */
export type TakeExported = (text: string, records: number) => Promise<void>;

export async function exportRecords(
  database: Database,
  clock: Clock,
  request: ExportRequest,
  take: TakeExported,
): Promise<void> {
  await exportPages(database, clock, request, async (shape, pages) => {
    const { head, between, foot, one } = exportForms[request.form](shape);
    await take(head, 0);
    let before = '';
    for await (const page of pages) {
      await take(before + page.map(one).join(between), page.length);
      before = between;
    }
    await take(foot, 0);
  });
}

interface ExportForm {
  /** The text before the first record, between two records, and after the last one. */
  readonly head: string;
  readonly between: string;
  readonly foot: string;
  one(record: ExportedRecord): string;
}

const exportForms = {
  csv: ({ type, outgoing }) => {
    const columns = [...type.properties.values()];
    return {
      head: toCsvLine(['id', ...columns.map(({ name }) => name), ...outgoing.map(({ name }) => name)]),
      between: '',
      foot: '',
      one: ({ id, properties, targets }) => {
        const values = JSON.parse(asString(properties)) as Readonly<Record<string, Json>>;
        return toCsvLine([
          id,
          ...columns.map((property) =>
            toCell(property, Object.hasOwn(values, property.name) ? values[property.name] : undefined),
          ),
          ...outgoing.map((association) => (targets.get(association.id) ?? []).join(';')),
        ]);
      },
    };
  },
  ndjson: (shape) => ({ head: '', between: '', foot: '', one: (record) => `${jsonOf(shape, record)}\n` }),
  json: (shape) => ({ head: '[', between: ',', foot: ']\n', one: (record) => jsonOf(shape, record) }),
} satisfies Readonly<Record<string, (shape: ExportedShape) => ExportForm>>;

/** As the API answers it. Links have the shape in which a record is created with them. */
function jsonOf({ type, outgoing }: ExportedShape, record: ExportedRecord): string {
  if (outgoing.length === 0) return recordJson(type, record);
  const associations = outgoing.flatMap(({ id, name }) =>
    (record.targets.get(id) ?? []).map((target_id) => ({ association_type: name, target_id })),
  );
  return recordParts(type, record, associationsMember([JSON.stringify(associations)]))
    .map(asString)
    .join('');
}
