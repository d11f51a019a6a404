// A report as CSV: a column for each group and one for the value, exactly as the service answered it.
import { cellOf, saveCsv } from '../../data/csv.ts';
import type { TypeDetail } from '../../data/schema.ts';
import { measureText } from './builder.tsx';
import { linkOf, type Report } from './report.ts';
import type { ReportRow } from './rows.ts';

const number = /^-?\d+(\.\d+)?$/;

export function downloadReport(type: TypeDetail, report: Report, rows: readonly ReportRow[]): void {
  const heads = report.groups.map(
    (group) => linkOf(type, group)?.label ?? type.byName.get(group.name)?.label ?? group.name,
  );
  const lines = [
    [...heads, measureText(type, report.measure)],
    ...rows.map(({ labels, exact }) => [...labels, exact]),
  ].map((cells) => cells.map((cell) => cellOf(cell, number.test(cell))).join());
  saveCsv(`${lines.join('\r\n')}\r\n`, `${type.name}-report.csv`);
}
