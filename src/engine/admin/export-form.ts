// The forms that records are exported in: CSV, which import takes back, NDJSON, and one JSON array. Pure text; records
// come as they are stored, and only CSV looks into their values.
import { toCsvLine } from '../../base/files/to-csv-line.ts';
import type { Json } from '../../base/json.ts';
import { toCell } from '../../schema/csv-cell.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { RecordText } from '../../store/records/records.ts';
import { recordJson } from '../read/records.ts';

export interface ExportForm {
  /** What stands before the first record, between two of them, and behind the last. */
  readonly head: string;
  readonly between: string;
  readonly foot: string;
  one(record: RecordText): string;
}

export const exportForms = {
  csv: (type) => {
    const columns = [...type.properties.values()];
    return {
      head: toCsvLine(columns.map(({ name }) => name)),
      between: '',
      foot: '',
      one: ({ properties }) => {
        const values = JSON.parse(properties) as Readonly<Record<string, Json>>;
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
