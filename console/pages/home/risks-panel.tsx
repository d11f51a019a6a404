// Open deals at risk: each rule with the number and the sum of its deals, and the deals that should have closed first.
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { unitsOf } from '../../data/figures/amounts.ts';
import { dayOf } from '../../data/figures/days.ts';
import type { Row } from '../../data/paged-rows.ts';
import { titleOf } from '../../data/schema.ts';
import { tablePath } from '../../data/view-path.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { Sums } from '../../parts/figures/sums.tsx';
import { Icon } from '../../parts/icon.tsx';
import { valueText } from '../../parts/values/value.tsx';
import { dateText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import type { Deals } from './deals.ts';
import { conditionsOf, type Risk, reasonOf, ruleText, useDealsAtRisk, useRisks } from './risks.ts';

const signs = { late: 'warning', quiet: 'clock', stuck: 'stages' } as const;

export function RisksPanel({ deals }: { readonly deals: Deals }) {
  const { risks, isPending, error, refetch } = useRisks(deals);
  const listed = useDealsAtRisk(deals);
  const found = risks.filter(({ figures }) => figures.count !== '0');
  return (
    <Panel
      heading={texts.risks}
      isPending={isPending || (listed.isPending && listed.fetchStatus !== 'idle')}
      error={error ?? listed.error}
      onRetry={() => {
        void refetch();
        void listed.refetch();
      }}
    >
      {found.length === 0 ? (
        <p className="panel-empty">{texts.noRisks(deals.type.plural_label)}</p>
      ) : (
        <>
          <ul className="rules">
            {found.map((risk) => (
              <RuleLine key={risk.name} deals={deals} risk={risk} />
            ))}
          </ul>
          <ul className="two-lines">
            {(listed.data ?? []).map((row) => (
              <DealLine key={row.id} deals={deals} row={row} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function RuleLine({ deals, risk }: { readonly deals: Deals; readonly risk: Risk }) {
  const { count, amounts } = risk.figures;
  return (
    <li>
      <Link href={tablePath(deals.type.name, conditionsOf(deals, risk))} className={`rule ${risk.name}`}>
        <Icon name={signs[risk.name]} />
        <span className="one-line">{ruleText(risk.name)}</span>
        <span className="grow" />
        <span className="rule-sums">
          <Sums amounts={amounts.slice(0, 2)} units={unitsOf(amounts)} />
        </span>
        <b className="figures">{numberText(count)}</b>
      </Link>
    </li>
  );
}

function DealLine({ deals, row }: { readonly deals: Deals; readonly row: Row }) {
  const { rule, since } = reasonOf(deals, row);
  const title = titleOf(deals.type, row.properties) || texts.noName;
  const amount = deals.amount === undefined ? undefined : deals.type.byName.get(deals.amount);
  const day = since === undefined ? '' : dateText(since.length === 10 ? since : dayOf(since));
  return (
    <li className="two-line">
      <div className="two-line-text">
        <Link href={paths.record(deals.type.name, row.id)} className="linked strong one-line" title={title}>
          {title}
        </Link>
        <p className={`one-line reason ${rule}`}>
          {rule === 'late' ? texts.shouldHaveClosed(day) : rule === 'quiet' ? texts.quietSince(day) : ruleText(rule)}
        </p>
      </div>
      {amount !== undefined && (
        <p className="two-line-end figures strong">{valueText(row.properties[amount.name], amount)}</p>
      )}
    </li>
  );
}
