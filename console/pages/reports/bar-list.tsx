// Bars with a name and a value, as a table: each row leads to its records.
import { Link } from 'wouter';

export interface BarRow {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly value: string;
  /** Beside the value, such as a share. */
  readonly more?: string;
  /** For programs: the value and what is beside it, as numbers; empty where there is none. */
  readonly exact: readonly string[];
  readonly href: string;
}

interface Props {
  readonly label: string;
  readonly heads: readonly [name: string, value: string, more?: string];
  readonly rows: readonly BarRow[];
}

export function BarList({ label, heads: [name, value, more], rows }: Props) {
  const most = Math.max(0, ...rows.map(({ size }) => size));
  return (
    <table className="stage-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <td className="wide-only" />
          <th scope="col" className="end">
            {value}
          </th>
          {more !== undefined && (
            <th scope="col" className="end">
              {more}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} className="linked-row">
            <th scope="row">
              <Link href={row.href}>{row.name}</Link>
            </th>
            <td className="wide-only bar-cell">
              <span className="bar" style={{ inlineSize: `${most === 0 ? 0 : (row.size / most) * 100}%` }} />
            </td>
            <td className="end figures strong">{row.value}</td>
            {more !== undefined && <td className="end figures second">{row.more}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
