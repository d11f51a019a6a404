// The table behind a report: every group with its value, each a link to its records.
import { useState } from 'react';
import { Link } from 'wouter';
import type { TypeDetail } from '../../data/schema.ts';
import type { Condition } from '../../data/view.ts';
import { texts } from '../../text/texts.ts';
import { measureText } from './builder.tsx';
import { rowPath } from './chart.tsx';
import { linkOf, type Report } from './report.ts';
import type { ReportRow } from './rows.ts';

interface Props {
  readonly type: TypeDetail;
  readonly report: Report;
  readonly rows: readonly ReportRow[];
  readonly conditions: readonly Condition[];
}

/** Rows that are shown before somebody asks for more. */
const rowsShown = 100;

export function ReportTable({ type, report, rows, conditions }: Props) {
  const [most, setMost] = useState(rowsShown);
  const measure = measureText(type, report.measure);
  const heads = report.groups.map((group) => ({
    name: group.name,
    label: linkOf(type, group)?.label ?? type.byName.get(group.name)?.label ?? group.name,
  }));
  return (
    <>
      <table className="stage-table report-table" aria-label={measure}>
        <thead>
          <tr>
            {heads.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
            <th scope="col" className="end">
              {measure}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row) => (
            <tr key={row.key}>
              {row.labels.map((label, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a group is known by its place.
                <td key={index}>{label}</td>
              ))}
              <td className="end figures">
                <Value row={row} href={rowPath(type, row, conditions)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <button type="button" className="text-button" onClick={() => setMost(most + rowsShown)}>
          {texts.more}
        </button>
      )}
    </>
  );
}

function Value({ row, href }: { readonly row: ReportRow; readonly href: string | undefined }) {
  if (href === undefined || row.text === '') return row.text;
  return (
    <Link href={href} className="linked strong">
      {row.text}
    </Link>
  );
}
