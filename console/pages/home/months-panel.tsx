// What was won and lost by the month of the close date: won up, lost down, as a chart or as a table. Each figure leads to its
// deals.
import { useState } from 'react';
import { Link } from 'wouter';
import { unitsOf } from '../../data/figures/amounts.ts';
import { monthOf, today } from '../../data/figures/days.ts';
import type { PlacedStage } from '../../data/stages.ts';
import { tablePath } from '../../data/view-path.ts';
import { Panel, Switch } from '../../parts/figures/panel.tsx';
import { linesOf, placeOf } from '../../parts/figures/scale.ts';
import { useWidth } from '../../parts/figures/use-width.ts';
import { compactText, moneyText, monthText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { type Deals, type Figures, inMonth, inStages, lostStages, useMonthFigures, wonStages } from './deals.ts';

interface Shown {
  readonly month: string;
  readonly won: number;
  readonly lost: number;
  readonly wonText: string;
  readonly lostText: string;
}

export function MonthsPanel({ deals }: { readonly deals: Deals }) {
  const { figures, isPending, error, refetch } = useMonthFigures(deals);
  const [form, setForm] = useState<'chart' | 'table'>('chart');
  const [chosen, setChosen] = useState<string>();
  const units = unitsOf((figures ?? []).flatMap(({ won, lost }) => [...won.amounts, ...lost.amounts]));
  const unit = units.find((each) => each === chosen) ?? units[0];
  const shown = (figures ?? []).map(({ month, won, lost }): Shown => {
    const [wonText, lostText] = [wordsOf(won, unit), wordsOf(lost, unit)];
    return { month, won: sizeOf(won, unit), lost: sizeOf(lost, unit), wonText, lostText };
  });
  const href = (stages: readonly PlacedStage[], month: string) =>
    tablePath(deals.type.name, [inStages(deals, stages), inMonth(deals, month), ...deals.whose]);
  const links = {
    won: (month: string) => href(wonStages(deals), month),
    lost: (month: string) => href(lostStages(deals), month),
  };
  return (
    <Panel
      heading={texts.wonAndLost}
      isPending={isPending}
      error={error}
      onRetry={() => void refetch()}
      choices={
        <>
          <Switch
            label={texts.form}
            choices={[
              ['chart', texts.chart],
              ['table', texts.table],
            ]}
            current={form}
            onChoose={setForm}
          />
          <Switch
            label={texts.currency}
            choices={units.map((each) => [each, each] as const)}
            current={unit}
            onChoose={setChosen}
          />
        </>
      }
    >
      {form === 'chart' ? <MonthsChart shown={shown} links={links} /> : <MonthsTable shown={shown} links={links} />}
    </Panel>
  );
}

/** Of deals without amounts, their number. */
function sizeOf({ count, amounts }: Figures, unit: string | undefined): number {
  if (unit === undefined) return Number(count);
  return Number(amounts.find((each) => each.unit === unit)?.amount ?? '0');
}

function wordsOf({ count, amounts }: Figures, unit: string | undefined): string {
  if (unit === undefined) return numberText(count);
  return moneyText(amounts.find((each) => each.unit === unit)?.amount ?? '0', unit);
}

interface Links {
  readonly won: (month: string) => string;
  readonly lost: (month: string) => string;
}

/** The width of a month from which its labels have decimals. */
const decimalsFrom = 56;
const height = 190;
const margin = { left: 44, top: 18, bottom: 40 };

function MonthsChart({ shown, links }: { readonly shown: readonly Shown[]; readonly links: Links }) {
  const [place, width] = useWidth();
  const lines = linesOf(-Math.max(0, ...shown.map(({ lost }) => lost)), Math.max(0, ...shown.map(({ won }) => won)));
  const y = (value: number) => margin.top + placeOf(value, lines, height - margin.top - margin.bottom);
  const step = Math.max(0, width - margin.left) / Math.max(1, shown.length);
  const bar = Math.min(32, step * 0.6);
  const decimals = step < decimalsFrom ? 0 : 1;
  const isEmpty = shown.every(({ won, lost }) => won === 0 && lost === 0);
  return (
    <div className="chart-place">
      <ul className="chart-legend" aria-hidden="true">
        <li className="won">{texts.wonUp}</li>
        <li className="lost">{texts.lostDown}</li>
      </ul>
      <div ref={place}>
        {width > 0 && (
          <svg className="chart" width={width} height={height} role="group" aria-label={texts.wonAndLost}>
            {lines.map((line) => (
              <g key={line}>
                <line
                  className={line === 0 ? 'chart-line zero' : 'chart-line'}
                  x1={margin.left}
                  x2={width}
                  y1={y(line)}
                  y2={y(line)}
                />
                {!isEmpty && (
                  <text className="chart-text" x={margin.left - 8} y={y(line) + 4} textAnchor="end">
                    {compactText(Math.abs(line))}
                  </text>
                )}
              </g>
            ))}
            {shown.map(({ month, won, lost, wonText, lostText }, index) => {
              const middle = margin.left + step * (index + 0.5);
              const name = monthText(month, 'long');
              return (
                <g key={month}>
                  {won > 0 && (
                    <MonthBar
                      kind="won"
                      href={links.won(month)}
                      words={texts.wonWas(name, wonText)}
                      label={compactText(won, decimals)}
                      labelY={y(won) - 6}
                      place={{ x: middle, width: bar, y: y(won), height: y(0) - y(won) }}
                    />
                  )}
                  {lost > 0 && (
                    <MonthBar
                      kind="lost"
                      href={links.lost(month)}
                      words={texts.lostWas(name, lostText)}
                      label={compactText(lost, decimals)}
                      labelY={y(-lost) + 14}
                      place={{ x: middle, width: bar, y: y(0) + 1, height: y(-lost) - y(0) }}
                    />
                  )}
                  <text
                    className={month === monthOf(today()) ? 'chart-text now' : 'chart-text'}
                    x={middle}
                    y={height - 6}
                    textAnchor="middle"
                  >
                    {monthText(month, 'short')}
                  </text>
                </g>
              );
            })}
          </svg>
        )}
      </div>
      {isEmpty && <p className="chart-empty">{texts.nothingWonOrLost}</p>}
    </div>
  );
}

interface BarProps {
  readonly kind: 'won' | 'lost';
  readonly href: string;
  readonly words: string;
  readonly label: string;
  readonly labelY: number;
  /** `x` is its middle. */
  readonly place: { readonly x: number; readonly width: number; readonly y: number; readonly height: number };
}

function MonthBar({ kind, href, words, label, labelY, place: { x, width, y, height: size } }: BarProps) {
  return (
    <>
      <Link href={href} className="chart-bar" aria-label={words}>
        <title>{words}</title>
        <rect className={kind} x={x - width / 2} width={width} y={y} height={Math.max(2, size)} rx="2" />
      </Link>
      <text className="chart-text" x={x} y={labelY} textAnchor="middle">
        {label}
      </text>
    </>
  );
}

function MonthsTable({ shown, links }: { readonly shown: readonly Shown[]; readonly links: Links }) {
  return (
    <table className="stage-table">
      <thead>
        <tr>
          <th scope="col">{texts.month}</th>
          <th scope="col" className="end">
            {texts.won}
          </th>
          <th scope="col" className="end">
            {texts.lost}
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ month, wonText, lostText }) => (
          <tr key={month}>
            <th scope="row">{monthText(month, 'long')}</th>
            <td className="end figures">
              <Link href={links.won(month)} className="linked">
                {wonText}
              </Link>
            </td>
            <td className="end figures">
              <Link href={links.lost(month)} className="linked">
                {lostText}
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
