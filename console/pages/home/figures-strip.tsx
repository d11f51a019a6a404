// The figures of the day, each a link to its records.
import { Link } from 'wouter';
import { unitsOf } from '../../data/figures/amounts.ts';
import { lastDayOf, monthOf, today } from '../../data/figures/days.ts';
import { pipelinesOf } from '../../data/stages.ts';
import type { Condition } from '../../data/view.ts';
import { tablePath } from '../../data/view-path.ts';
import { Sums, sumsText } from '../../parts/figures/sums.tsx';
import { dateText, monthText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import {
  type Deals,
  type Figures,
  inMonth,
  inStages,
  noFigures,
  openStages,
  together,
  useMonthFigures,
  useStageFigures,
  wonStages,
} from './deals.ts';
import { onToday, overdue, type Tasks, untilToday, useTaskCounts } from './tasks.ts';

export function DealFigures({ deals, pipelineId }: { readonly deals: Deals; readonly pipelineId: string | undefined }) {
  const { figures } = useStageFigures(deals);
  const { figures: byMonth } = useMonthFigures(deals);
  const units = unitsOf([...(figures?.values() ?? [])].flatMap(({ amounts }) => amounts));
  const link = (...conditions: readonly Condition[]) => tablePath(deals.type.name, [...conditions, ...deals.whose]);
  const open = openStages(deals).filter((stage) => stage.pipelineId === pipelineId);
  const openFigures = figures && together(open.map(({ id }) => figures.get(id) ?? noFigures));
  const pipelines = pipelinesOf(deals.stages);
  const pipeline = pipelines.find(([id]) => id === pipelineId)?.[1];
  const month = monthOf(today());
  const [before, current] = byMonth?.slice(-2) ?? [];
  const plural = (count: string) => texts.countOf(count, deals.type.label, deals.type.plural_label);
  return (
    <>
      <Figure
        label={pipeline === undefined ? texts.openDeals(deals.type.plural_label) : texts.openIn(pipeline)}
        href={link(inStages(deals, open))}
        figures={openFigures}
        units={units}
        below={openFigures && plural(openFigures.count)}
      />
      {deals.closeDate !== undefined && (
        <>
          <Figure
            label={texts.wonIn(monthText(month, 'long'))}
            href={link(inStages(deals, wonStages(deals)), inMonth(deals, month))}
            figures={current?.won}
            units={units}
            below={
              current &&
              before && (
                <>
                  {`${plural(current.won.count)} · `}
                  <Link className="linked" href={link(inStages(deals, wonStages(deals)), inMonth(deals, before.month))}>
                    {`${monthText(before.month, 'long')} ${sumsText(before.won.amounts, units) || numberText(before.won.count)}`}
                  </Link>
                </>
              )
            }
          />
          <Figure
            label={texts.closingBy(dateText(lastDayOf(month)))}
            href={link(inStages(deals, openStages(deals)), inMonth(deals, month))}
            figures={current?.open}
            units={units}
            below={current && plural(current.open.count)}
          />
        </>
      )}
    </>
  );
}

function Figure({
  label,
  href,
  figures,
  units,
  below,
}: {
  readonly label: string;
  readonly href: string;
  readonly figures: Figures | undefined;
  readonly units: readonly string[];
  readonly below: React.ReactNode;
}) {
  const words = figures && (figures.amounts.length > 0 ? undefined : numberText(figures.count));
  return (
    <div className="figure" aria-busy={figures === undefined}>
      <Link href={href} className="figure-link">
        <span className="figure-label">{label}</span>
        <span className="figure-value">
          {figures === undefined ? null : (words ?? <Sums amounts={figures.amounts} units={units} />)}
        </span>
      </Link>
      <p className="figure-below">{below}</p>
    </div>
  );
}

export function TaskFigure({ tasks }: { readonly tasks: Tasks }) {
  const { counts } = useTaskCounts(tasks);
  const link = (...conditions: readonly Condition[]) => tablePath(tasks.type.name, [...tasks.open, ...conditions]);
  return (
    <div className="figure" aria-busy={counts === undefined}>
      <Link href={link(...onToday())} className="figure-link">
        <span className="figure-label">{texts.tasksToday}</span>
        <span className="figure-value">
          {counts && <span className="figures sum">{numberText(String(counts.today))}</span>}
        </span>
      </Link>
      <p className="figure-below">
        {counts && counts.overdue > 0 && (
          <Link href={link(overdue())} className="linked late">
            {texts.overdue(numberText(String(counts.overdue)))}
          </Link>
        )}
        {counts?.overdue === 0 && (
          <Link href={link(untilToday())} className="linked">
            {texts.nothingOverdue}
          </Link>
        )}
      </p>
    </div>
  );
}
