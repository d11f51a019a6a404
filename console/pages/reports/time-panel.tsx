// How long deals stay in each stage, on average, as the timers of those that have left it say.
import { useQuery } from '@tanstack/react-query';
import { asText } from '../../data/as-text.ts';
import { type GroupQuestion, groupsQuery, isLinkedKey } from '../../data/figures/groups.ts';
import { filterOf } from '../../data/view.ts';
import { tablePath } from '../../data/view-path.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { durationText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { BarList, type BarRow } from './bar-list.tsx';
import { durationProperty, inAny, openOf, type Timed } from './timed.ts';
import { Tools } from './tools.tsx';

export function TimePanel({ timed, pipelineId }: { readonly timed: Timed; readonly pipelineId: string | undefined }) {
  const { timer, toStage } = timed;
  const stages = openOf(timed, pipelineId);
  const filter = filterOf([inAny(toStage, stages)]);
  const question: GroupQuestion = {
    ...(filter === undefined ? {} : { filter }),
    group_by: [{ association: toStage.name }],
    aggregations: [{ function: 'avg', property: durationProperty, as: 'seconds' }, { function: 'count' }],
  };
  const { data, error, refetch } = useQuery({
    ...groupsQuery(timer.name, question),
    enabled: stages.length > 0,
  });
  const rows = stages.map((stage): BarRow => {
    const group = data?.find(({ key: [key] }) => isLinkedKey(key) && key.id === stage.id);
    const seconds = Number(asText(group?.values['seconds'], '0'));
    const count = asText(group?.values['count'], '0');
    return {
      key: stage.id,
      name: stage.name,
      size: seconds,
      value: group === undefined ? '' : durationText(seconds),
      more: numberText(count),
      exact: [asText(group?.values['seconds']), count],
      href: tablePath(timer.name, [{ association: toStage.name, operator: 'exists', target_id: stage.id }]),
    };
  });
  const heads = [texts.stageTitle, texts.averageTime, texts.departures] as const;
  return (
    <Panel
      heading={texts.timeInStage}
      isPending={data === undefined && stages.length > 0}
      error={error}
      onRetry={() => void refetch()}
      choices={
        <Tools
          name="time-in-stage"
          asked={[{ title: texts.timeInStage, type: timer.name, question }]}
          heads={[texts.stageTitle, texts.inSeconds(texts.averageTime), texts.departures]}
          rows={rows}
        />
      }
    >
      <BarList label={texts.timeInStage} heads={heads} rows={rows} />
    </Panel>
  );
}
