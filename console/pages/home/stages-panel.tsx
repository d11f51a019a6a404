// Open deals by stage: their number, their sum in each currency, and a bar for the first of them. A row leads to its deals.
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { type Amount, unitsOf } from '../../data/figures/amounts.ts';
import { type PlacedStage, pipelinesOf } from '../../data/stages.ts';
import type { Condition } from '../../data/view.ts';
import { tablePath } from '../../data/view-path.ts';
import { Panel, Switch } from '../../parts/figures/panel.tsx';
import { StageMark } from '../../parts/stage-mark.tsx';
import { moneyText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { type Deals, inStages, noFigures, openStages, together, useStageFigures } from './deals.ts';

/** Columns for currencies: those of more have the rest in the table. */
const unitsMost = 3;

interface Props {
  readonly deals: Deals;
  readonly pipelineId: string | undefined;
  readonly onPipeline: (id: string) => void;
}

export function StagesPanel({ deals, pipelineId, onPipeline }: Props) {
  const { figures, isPending, error, refetch } = useStageFigures(deals);
  const { type } = deals;
  const open = openStages(deals).filter((stage) => stage.pipelineId === pipelineId);
  const rows = open.map((stage) => ({ stage, ...(figures?.get(stage.id) ?? noFigures) }));
  const all = together(rows);
  const units = unitsOf(rows.flatMap(({ amounts }) => amounts)).slice(0, unitsMost);
  const link = (conditions: readonly Condition[]) => tablePath(type.name, [...conditions, ...deals.whose]);
  const lengthOf = (row: (typeof rows)[number]) => barValue(row, units[0]);
  const most = Math.max(0, ...rows.map(lengthOf));
  const without = figures?.get('');
  // Stages without a pipeline belong to no board, but their deals are open.
  const others = pipelineId === undefined ? [] : openStages(deals).filter((stage) => stage.pipelineId === undefined);
  const other = together(others.map(({ id }) => figures?.get(id) ?? noFigures));
  const isEmpty = figures !== undefined && figures.size === 0;
  return (
    <Panel
      heading={texts.openByStage(type.plural_label)}
      isPending={isPending}
      error={error}
      onRetry={() => void refetch()}
      choices={
        <Switch label={texts.pipeline} choices={pipelinesOf(deals.stages)} current={pipelineId} onChoose={onPipeline} />
      }
    >
      {isEmpty ? (
        <Nothing deals={deals} />
      ) : (
        <table className="stage-table">
          <thead>
            <tr>
              <th scope="col">{texts.stageTitle}</th>
              <th scope="col" className="end">
                {type.plural_label}
              </th>
              <td className="wide-only" />
              {units.map((unit) => (
                <th key={unit} scope="col" className="end">
                  {unit}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <StageRow
                key={row.stage.id}
                stage={row.stage}
                name={row.stage.name}
                href={link([inStages(deals, [row.stage])])}
                count={row.count}
                amounts={row.amounts}
                units={units}
                share={most === 0 ? 0 : lengthOf(row) / most}
              />
            ))}
            {other.count !== '0' && (
              <StageRow
                stage={undefined}
                name={texts.otherStages}
                href={link([inStages(deals, others)])}
                count={other.count}
                amounts={other.amounts}
                units={units}
                share={0}
              />
            )}
            {without !== undefined && (
              <StageRow
                stage={undefined}
                name={texts.noStage}
                href={link([{ association: deals.link.name, operator: 'not_exists' }])}
                count={without.count}
                amounts={without.amounts}
                units={units}
                share={0}
              />
            )}
          </tbody>
          <tfoot>
            <tr className="linked-row">
              <th scope="row">
                <Link href={link([inStages(deals, open)])}>{texts.allOpen}</Link>
              </th>
              <td className="end figures strong">{numberText(all.count)}</td>
              <td className="wide-only" />
              <AmountCells amounts={all.amounts} units={units} />
            </tr>
          </tfoot>
        </table>
      )}
    </Panel>
  );
}

/** Of types without amounts, the bar is that of the count. */
function barValue(
  row: { readonly count: string; readonly amounts: readonly Amount[] },
  unit: string | undefined,
): number {
  if (unit === undefined) return Number(row.count);
  return Number(row.amounts.find((each) => each.unit === unit)?.amount ?? '0');
}

interface RowProps {
  readonly stage: PlacedStage | undefined;
  readonly name: string;
  readonly href: string;
  readonly count: string;
  readonly amounts: readonly Amount[];
  readonly units: readonly string[];
  readonly share: number;
}

function StageRow({ stage, name, href, count, amounts, units, share }: RowProps) {
  return (
    <tr className="linked-row">
      <th scope="row">
        <Link href={href} className="stage-name">
          {stage !== undefined && <StageMark stage={stage} share={stage.share} />}
          <span className="one-line">{name}</span>
        </Link>
      </th>
      <td className="end figures strong">{numberText(count)}</td>
      <td className="wide-only bar-cell">
        <span className="bar" style={{ inlineSize: `${Math.max(0, share) * 100}%` }} />
      </td>
      <AmountCells amounts={amounts} units={units} />
    </tr>
  );
}

function AmountCells({ amounts, units }: { readonly amounts: readonly Amount[]; readonly units: readonly string[] }) {
  return units.map((unit, index) => {
    const found = amounts.find((each) => each.unit === unit);
    return (
      <td key={unit} className={index === 0 ? 'end figures strong' : 'end figures second'}>
        {found === undefined ? '' : moneyText(found.amount, unit)}
      </td>
    );
  });
}

function Nothing({ deals: { type } }: { readonly deals: Deals }) {
  return (
    <div className="panel-empty">
      <p>{texts.empty(type.plural_label)}</p>
      {type.writable_operations.includes('create') && (
        <Link href={paths.create(type.name)} className="button">
          {texts.newRecord(type.label)}
        </Link>
      )}
    </div>
  );
}
