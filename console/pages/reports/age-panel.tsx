// How old deals are on average. Those that are closed: the time from their first stage to the one in which they ended, as their
// timers say. Those that are open: the days since they were made.
import { useQueries } from '@tanstack/react-query';
import { asText } from '../../data/as-text.ts';
import { timeZone, today } from '../../data/figures/days.ts';
import { type Group, type GroupQuestion, groupsQuery } from '../../data/figures/groups.ts';
import type { PlacedStage } from '../../data/stages.ts';
import { type Condition, filterOf } from '../../data/view.ts';
import { tablePath } from '../../data/view-path.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { durationText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { BarList, type BarRow } from './bar-list.tsx';
import { durationProperty, inAny, lostOf, openOf, type Timed, wonOf } from './timed.ts';
import { type Asked, Tools } from './tools.tsx';

interface Kind {
  readonly name: string;
  readonly conditions: readonly Condition[];
  readonly asked: readonly Asked[];
  readonly read: (answers: readonly (readonly Group[])[]) => { readonly seconds: number; readonly count: number };
}

export function AgePanel({ timed, pipelineId }: { readonly timed: Timed; readonly pipelineId: string | undefined }) {
  const kinds = [
    openKind(timed, openOf(timed, pipelineId)),
    closedKind(timed, texts.won, wonOf(timed, pipelineId)),
    closedKind(timed, texts.lost, lostOf(timed, pipelineId)),
  ];
  const asked = kinds.flatMap((kind) => kind.asked);
  const answers = useQueries({ queries: asked.map(({ type, question }) => groupsQuery(type, question)) });
  const failed = answers.find(({ error }) => error !== null);
  const dataOf = (kind: Kind) => kind.asked.map((each) => answers[asked.indexOf(each)]?.data ?? []);
  const rows = kinds.map((kind): BarRow => {
    const { seconds, count } = kind.read(dataOf(kind));
    return {
      key: kind.name,
      name: kind.name,
      size: count === 0 ? 0 : seconds / count,
      value: count === 0 ? '' : durationText(seconds / count),
      more: numberText(String(count)),
      exact: [count === 0 ? '' : String(Math.round(seconds / count)), String(count)],
      href: tablePath(timed.type.name, kind.conditions),
    };
  });
  const heads = [timed.type.plural_label, texts.averageAge, texts.numberShort] as const;
  const fileHeads = [timed.type.plural_label, texts.inSeconds(texts.averageAge), texts.numberShort];
  return (
    <Panel
      heading={texts.dealAge(timed.type.label)}
      isPending={answers.some(({ isPending }) => isPending)}
      error={failed?.error ?? null}
      onRetry={() => void Promise.all(answers.map(({ refetch }) => refetch()))}
      choices={<Tools name="age" asked={asked} heads={fileHeads} rows={rows} />}
    >
      <BarList label={texts.dealAge(timed.type.label)} heads={heads} rows={rows} />
    </Panel>
  );
}

function openKind(timed: Timed, stages: readonly PlacedStage[]): Kind {
  const conditions = [inAny(timed.stageLink, stages)];
  const filter = filterOf(conditions);
  const question: GroupQuestion = {
    ...(filter === undefined ? {} : { filter }),
    group_by: [{ property: 'svc_created_at', granularity: 'day', timezone: timeZone() }],
    aggregations: [{ function: 'count' }],
  };
  return {
    name: texts.open,
    conditions,
    asked: stages.length === 0 ? [] : [{ title: texts.open, type: timed.type.name, question }],
    read: ([days = []]) => {
      const now = Date.parse(today());
      const all = days.map(({ key: [day], values }) => ({
        count: Number(asText(values['count'], '0')),
        seconds: Math.max(0, Math.round((now - Date.parse(asText(day))) / 1_000)),
      }));
      const count = all.reduce((sum, each) => sum + each.count, 0);
      return { count, seconds: all.reduce((sum, each) => sum + each.count * each.seconds, 0) };
    },
  };
}

/** Only deals that have timers count: of the others nothing is known. */
function closedKind(timed: Timed, name: string, stages: readonly PlacedStage[]): Kind {
  const conditions: readonly Condition[] = [
    inAny(timed.stageLink, stages),
    { association: timed.toDeal.name, operator: 'exists' },
  ];
  const closed = filterOf(conditions);
  const ofThem = filterOf([
    { association: timed.toDeal.name, operator: 'exists', filter: inAny(timed.stageLink, stages) },
  ]);
  const time: GroupQuestion = {
    ...(ofThem === undefined ? {} : { filter: ofThem }),
    aggregations: [{ function: 'sum', property: durationProperty, as: 'seconds' }],
  };
  const number: GroupQuestion = {
    ...(closed === undefined ? {} : { filter: closed }),
    aggregations: [{ function: 'count' }],
  };
  return {
    name,
    conditions,
    asked:
      stages.length === 0
        ? []
        : [
            { title: `${name}: ${texts.averageTime}`, type: timed.timer.name, question: time },
            { title: name, type: timed.type.name, question: number },
          ],
    read: ([times, numbers]) => ({
      seconds: Number(asText(times?.[0]?.values['seconds'], '0')),
      count: Number(asText(numbers?.[0]?.values['count'], '0')),
    }),
  };
}
