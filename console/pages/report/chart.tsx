// A report as a picture: bars, lines over time, or a funnel. Each mark leads to its records; the table behind it has the same.
import { Link } from 'wouter';
import type { TypeDetail } from '../../data/schema.ts';
import type { Condition } from '../../data/view.ts';
import { tablePath } from '../../data/view-path.ts';
import { linesOf, placeOf } from '../../parts/figures/scale.ts';
import { useWidth } from '../../parts/figures/use-width.ts';
import { compactText, durationText, percentText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { bucketsOf } from './buckets.ts';
import { measureText } from './builder.tsx';
import type { Report } from './report.ts';
import { bucketText, isSeconds, type ReportRow } from './rows.ts';

interface Props {
  readonly type: TypeDetail;
  readonly report: Report;
  readonly rows: readonly ReportRow[];
  /** Those of the whole report. */
  readonly conditions: readonly Condition[];
}

/** The most marks of a picture; the table has more. */
const marksMost = 40;
const height = 260;
const margin = { left: 56, top: 12, bottom: 28, right: 16 };

export function ReportChart(props: Props) {
  const { chart } = props.report;
  if (chart === 'table') return null;
  if (chart === 'line') return <Lines {...props} />;
  return <Columns {...props} isFunnel={chart === 'funnel'} />;
}

export function rowPath(type: TypeDetail, row: ReportRow, conditions: readonly Condition[]): string | undefined {
  return row.conditions === undefined ? undefined : tablePath(type.name, [...conditions, ...row.conditions]);
}

/** Horizontal bars: names of any length have room. A funnel is in the middle, and tells each as a share of all. */
function Columns({ type, report, rows, conditions, isFunnel }: Props & { readonly isFunnel: boolean }) {
  const shown = rows.slice(0, marksMost);
  const most = Math.max(0, ...shown.map(({ size = 0 }) => size));
  const all = rows.reduce((sum, { size = 0 }) => sum + size, 0);
  return (
    <figure className={isFunnel ? 'bars-chart funnel' : 'bars-chart'} aria-label={measureText(type, report.measure)}>
      <ol>
        {shown.map((row) => {
          const { size = 0 } = row;
          const href = rowPath(type, row, conditions);
          const share = most === 0 ? 0 : Math.max(0, size / most);
          const words = row.labels.join(' · ');
          const content = (
            <>
              <span className="bars-name one-line">{words}</span>
              <span className="bars-track">
                <span className="bars-bar" style={{ inlineSize: `${share * 100}%` }} />
              </span>
              <span className="bars-value figures">
                {row.text}
                {isFunnel && all > 0 && <span className="quiet">{` ${percentText(size / all)}`}</span>}
              </span>
            </>
          );
          return (
            <li key={row.key} title={words}>
              {href === undefined ? (
                <span className="bars-row">{content}</span>
              ) : (
                <Link href={href} className="bars-row">
                  {content}
                </Link>
              )}
            </li>
          );
        })}
      </ol>
      {rows.length > marksMost && <p className="quiet">{texts.firstOf(marksMost, rows.length)}</p>}
    </figure>
  );
}

/** Lines that are told apart: those of more groups are in the table. */
const linesMost = 4;

/** Of two groups, each of the second has a line of its own. */
function Lines({ type, report, rows, conditions }: Props) {
  const [place, width] = useWidth();
  const granularity = report.groups[0]?.granularity;
  const { days, isCut } = bucketsOf(rows, granularity);
  const places = new Map(days.map((day, index) => [day, index]));
  const names = [...new Set(rows.map(({ labels }) => labels[1] ?? ''))];
  // Where there are no records, their number and sum are nothing; an average is not.
  const isAdded = ['count', 'sum'].includes(report.measure.function);
  const lines = linesOf(
    Math.min(0, ...rows.map(({ size = 0 }) => size)),
    Math.max(0, ...rows.map(({ size = 0 }) => size)),
  );
  const x = (index: number) =>
    margin.left + (Math.max(0, width - margin.left - margin.right) * (index + 0.5)) / Math.max(1, days.length);
  const y = (value: number) => margin.top + placeOf(value, lines, height - margin.top - margin.bottom);
  const words = (value: number) => (isSeconds(report.measure.property) ? durationText(value) : compactText(value));
  const every = Math.max(1, Math.ceil((days.length * 72) / Math.max(1, width)));
  return (
    <figure className="lines-chart" aria-label={measureText(type, report.measure)}>
      {names.length > 1 && (
        <ul className="chart-legend">
          {names.slice(0, linesMost).map((name, index) => (
            <li key={name} className={`line-${index}`}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <div ref={place}>
        {width > 0 && (
          <svg
            className="chart"
            width={width}
            height={height}
            role="group"
            aria-label={measureText(type, report.measure)}
          >
            {lines.map((line) => (
              <g key={line}>
                <line
                  className={line === 0 ? 'chart-line zero' : 'chart-line'}
                  x1={margin.left}
                  x2={width}
                  y1={y(line)}
                  y2={y(line)}
                />
                <text className="chart-text" x={margin.left - 8} y={y(line) + 4} textAnchor="end">
                  {words(line)}
                </text>
              </g>
            ))}
            {days.map((day, index) =>
              index % every === 0 ? (
                <text key={day} className="chart-text" x={x(index)} y={height - 6} textAnchor="middle">
                  {bucketText(day, granularity)}
                </text>
              ) : null,
            )}
            {names.slice(0, linesMost).map((name, at) => {
              const points = rows.filter(({ labels, day = '' }) => (labels[1] ?? '') === name && places.has(day));
              const byDay = new Map(points.map(({ day, size }) => [day, size]));
              const sizes = days.map((day) => byDay.get(day) ?? (isAdded ? 0 : undefined));
              const path = sizes
                .flatMap((size, index) => (size === undefined ? [] : [`${x(index).toFixed(1)} ${y(size).toFixed(1)}`]))
                .map((point, index) => `${index === 0 ? 'M' : 'L'}${point}`)
                .join('');
              return (
                <g key={name} className={`line-${at}`}>
                  <path className="line-path" d={path} fill="none" />
                  {points.map((row) => (
                    <Point
                      key={row.key}
                      row={row}
                      href={rowPath(type, row, conditions)}
                      x={x(places.get(row.day ?? '') ?? 0)}
                      y={y(row.size ?? 0)}
                    />
                  ))}
                </g>
              );
            })}
          </svg>
        )}
      </div>
      {isCut && <p className="quiet">{texts.lastBuckets(days.length, bucketText(days[0] ?? '', granularity))}</p>}
      {names.length > linesMost && <p className="quiet">{texts.firstOf(linesMost, names.length)}</p>}
    </figure>
  );
}

interface PointProps {
  readonly row: ReportRow;
  readonly href: string | undefined;
  readonly x: number;
  readonly y: number;
}

function Point({ row, href, x, y }: PointProps) {
  const words = `${row.labels.join(' · ')}: ${row.text}`;
  const mark = (
    <>
      <title>{words}</title>
      <circle className="line-target" cx={x} cy={y} r="12" />
      <circle className="line-point" cx={x} cy={y} r="3.5" />
    </>
  );
  if (href === undefined) return <g>{mark}</g>;
  return (
    <Link href={href} className="chart-point" aria-label={words}>
      {mark}
    </Link>
  );
}
