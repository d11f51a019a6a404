// The forms that records are exported in: CSV, which import reads back, NDJSON, and one JSON array. Only CSV parses the
// values of a record; the JSON forms write them as they are stored.
import type { Clock } from '../../base/clock.ts';
import { toCsvLine } from '../../base/files/to-csv-line.ts';
import { asString, type Json } from '../../base/json.ts';
import { type ExportedType, exportPages } from '../../engine/admin/export.ts';
import type { ReadRecord } from '../../engine/read/records.ts';
import { recordJson } from '../../operations/shared/record-json.ts';
import { toCell } from '../../schema/csv-cell.ts';
import type { ObjectType } from '../../schema/object-type.ts';
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
  await exportPages(database, clock, request, async (type, pages) => {
    const { head, between, foot, one } = exportForms[request.form](type);
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
  one(record: ReadRecord): string;
}

const exportForms = {
  csv: (type) => {
    const columns = [...type.properties.values()];
    return {
      head: toCsvLine(columns.map(({ name }) => name)),
      between: '',
      foot: '',
      one: ({ properties }) => {
        const values = JSON.parse(asString(properties)) as Readonly<Record<string, Json>>;
        return toCsvLine(
          columns.map((property) =>
            toCell(property, Object.hasOwn(values, property.name) ? values[property.name] : undefined),
          ),
        );
      },
    };
  },
  ndjson: (type) => ({ head: '', between: '', foot: '', one: (record) => `${recordJson(type, record)}\n` }),
  json: (type) => ({ head: '[', between: ',', foot: ']\n', one: (record) => recordJson(type, record) }),
} satisfies Readonly<Record<string, (type: ObjectType) => ExportForm>>;
