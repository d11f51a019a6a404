// From stage to stage: how many deals reached each one or a later one, and which share of those before that is. A deal has been
// in a stage if it is there now, or has a timer of it.
import { useQueries } from '@tanstack/react-query';
import { asText } from '../../data/as-text.ts';
import { type GroupQuestion, groupsQuery } from '../../data/figures/groups.ts';
import type { PlacedStage } from '../../data/stages.ts';
import { filterOf } from '../../data/view.ts';
import { tablePath } from '../../data/view-path.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { numberText, percentText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { BarList, type BarRow } from './bar-list.tsx';
import { haveBeenIn, openOf, type Timed, wonOf } from './timed.ts';
import { Tools } from './tools.tsx';

interface Step {
  readonly stage: PlacedStage;
  /** This stage and all that come after it. */
  readonly reached: readonly PlacedStage[];
}

export function ConversionPanel({
  timed,
  pipelineId,
}: {
  readonly timed: Timed;
  readonly pipelineId: string | undefined;
}) {
  const way = [...openOf(timed, pipelineId), ...wonOf(timed, pipelineId)];
  const steps = way.map((stage, index): Step => ({ stage, reached: way.slice(index) }));
  const questions = steps.map(({ reached }): GroupQuestion => {
    const filter = filterOf([haveBeenIn(timed, reached)]);
    return { ...(filter === undefined ? {} : { filter }), aggregations: [{ function: 'count' }] };
  });
  const answers = useQueries({ queries: questions.map((question) => groupsQuery(timed.type.name, question)) });
  const failed = answers.find(({ error }) => error !== null);
  const counts = answers.map(({ data }) => Number(asText(data?.[0]?.values['count'], '0')));
  const rows = steps.map(({ stage, reached }, index): BarRow => {
    const [before, count] = [counts[index - 1], counts[index] ?? 0];
    const share = before === undefined || before === 0 ? undefined : count / before;
    return {
      key: stage.id,
      name: stage.name,
      size: count,
      value: numberText(String(count)),
      more: share === undefined ? '' : percentText(share),
      exact: [String(count), share === undefined ? '' : String(Number(share.toFixed(4)))],
      href: tablePath(timed.type.name, [haveBeenIn(timed, reached)]),
    };
  });
  const heads = [texts.stageTitle, texts.reached, texts.fromPrevious] as const;
  return (
    <Panel
      heading={texts.conversion}
      isPending={answers.some(({ isPending }) => isPending)}
      error={failed?.error ?? null}
      onRetry={() => void Promise.all(answers.map(({ refetch }) => refetch()))}
      choices={
        <Tools
          name="conversion"
          asked={questions.map((question, index) => ({
            title: steps[index]?.stage.name ?? '',
            type: timed.type.name,
            question,
          }))}
          heads={heads}
          rows={rows}
        />
      }
    >
      <BarList label={texts.conversion} heads={heads} rows={rows} />
    </Panel>
  );
}
