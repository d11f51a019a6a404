// Home: open deals by stage, what was won and lost, tasks due, risks, and what happened lately, as far as the caller sees it.
// Each part has its own question; all are asked at once, and every figure leads to the records behind it.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import '../../style/figures.css';
import { noteType } from '../../data/activities.ts';
import { type GroupQuestion, groupsRequest } from '../../data/figures/groups.ts';
import { useNews } from '../../data/live.ts';
import type { ShownRequest } from '../../data/request-text.ts';
import { useCatalog } from '../../data/schema.ts';
import { pipelinesOf } from '../../data/stages.ts';
import { useParameter } from '../../data/use-view.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, MenuCheck } from '../../parts/menu.tsx';
import { RequestButton } from '../../parts/page-head.tsx';
import { wholeDayText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { askAhead, whoseOf } from './ask-ahead.ts';
import { type Deals, monthQuestion, stageQuestion, useDeals } from './deals.ts';
import { DealFigures, TaskFigure } from './figures-strip.tsx';
import { toldTypes } from './happened.ts';
import { HappenedPanel } from './happened-panel.tsx';
import { MonthsPanel } from './months-panel.tsx';
import { NewestPanel } from './newest-panel.tsx';
import { riskQuestion, ruleText, useRules } from './risks.ts';
import { RisksPanel } from './risks-panel.tsx';
import { StagesPanel } from './stages-panel.tsx';
import { countQuestion, type Tasks, useTasks } from './tasks.ts';
import { TasksPanel } from './tasks-panel.tsx';

/** Parts in the last row. */
const lists = 3;

export default function HomePage() {
  const catalog = useCatalog();
  const { types } = catalog;
  const [whose, setWhose] = useParameter('whose');
  const [chosen, choosePipeline] = useParameter('pipeline');
  const isMine = whose === 'mine';
  useAskAhead(isMine);
  const whoseIs = whoseOf(catalog, isMine);
  const deals = useDeals(whoseIs);
  const tasks = useTasks(whoseIs);
  useHomeNews();
  const seesTasks = types.some(({ name }) => name === noteType);
  const tells = toldTypes(types).length > 0;
  const parts = [deals !== null, seesTasks, tells].filter((isThere) => isThere).length;
  const others = types.filter(
    ({ name, category }) =>
      (category === 'core' || category === 'custom') && name !== noteType && deals?.type.name !== name,
  );
  if (types.length === 0) return <p className="note-box">{texts.noTypes}</p>;
  const pipelines = deals ? pipelinesOf(deals.stages) : [];
  const pipelineId = (pipelines.find(([id]) => id === chosen) ?? pipelines[0])?.[0];
  return (
    <div className="page">
      <header className="page-head">
        <h1>{texts.home}</h1>
        <span className="head-day">{wholeDayText()}</span>
        <span className="grow" />
        {deals && <DealRequests deals={deals} tasks={tasks} />}
        <Whose isMine={isMine} onChoose={(mine) => setWhose(mine ? 'mine' : 'everyone')} />
      </header>
      {deals === undefined ? (
        <Waiting />
      ) : (
        <div className="home">
          {(deals !== null || tasks !== undefined) && (
            <div className="figure-strip">
              {deals && <DealFigures deals={deals} pipelineId={pipelineId} />}
              {tasks && <TaskFigure tasks={tasks} />}
            </div>
          )}
          {deals && (
            <div className="home-row two">
              <StagesPanel deals={deals} pipelineId={pipelineId} onPipeline={choosePipeline} />
              {deals.closeDate !== undefined && <MonthsPanel deals={deals} />}
            </div>
          )}
          <div className="home-row three">
            {seesTasks &&
              (tasks === undefined ? (
                <Panel heading={texts.tasksDue} isPending>
                  {null}
                </Panel>
              ) : (
                <TasksPanel tasks={tasks} />
              ))}
            {deals && <RisksPanel deals={deals} />}
            {tells && <HappenedPanel />}
            {others.slice(0, Math.max(0, lists - parts)).map(({ name }) => (
              <NewestPanel key={name} name={name} />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

/** Nothing is where it will not be later. */
function Waiting() {
  return (
    <div className="home" aria-busy="true">
      <span className="sr-only" role="status">
        {texts.loading}
      </span>
      <div className="figure-strip">
        <div className="figure" />
      </div>
      <div className="home-row two">
        <div className="card-panel place" />
        <div className="card-panel place" />
      </div>
    </div>
  );
}

function Whose({ isMine, onChoose }: { readonly isMine: boolean; readonly onChoose: (mine: boolean) => void }) {
  return (
    <Menu
      label={texts.whose}
      align="end"
      button={{
        className: 'button',
        content: (
          <>
            <Icon name={isMine ? 'person' : 'people'} />
            <span className="whose">{isMine ? texts.mineOnly : texts.everyone}</span>
            <Icon name="down" />
          </>
        ),
      }}
    >
      {(close) =>
        [false, true].map((mine) => (
          <MenuCheck
            key={String(mine)}
            kind="one"
            isChecked={mine === isMine}
            onChoose={() => {
              onChoose(mine);
              close();
            }}
          >
            {mine ? texts.mineOnly : texts.everyone}
          </MenuCheck>
        ))
      }
    </Menu>
  );
}

/** What the figures ask, for programs. */
function DealRequests({ deals, tasks }: { readonly deals: Deals; readonly tasks: Tasks | undefined }) {
  const rules = useRules(deals);
  const aggregate = (title: string, type: string, question: GroupQuestion): ShownRequest => ({
    title,
    ...groupsRequest(type, question),
  });
  const { name } = deals.type;
  return (
    <RequestButton
      request={[
        aggregate(texts.openByStage(deals.type.plural_label), name, stageQuestion(deals)),
        ...(deals.closeDate === undefined ? [] : [aggregate(texts.wonAndLost, name, monthQuestion(deals))]),
        ...(tasks === undefined ? [] : [aggregate(texts.tasksDue, tasks.type.name, countQuestion(tasks))]),
        ...(rules ?? []).map((rule) =>
          aggregate(ruleText(rule.name), name, riskQuestion(deals, deals.stageType, rule)),
        ),
      ]}
    />
  );
}

/** Only what its parts do not have yet is asked; each of them shows what failed. */
function useAskAhead(isMine: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    askAhead(queries, isMine).catch(() => undefined);
  }, [queries, isMine]);
}

/** While much changes, home is read again every few seconds. */
const pauseMs = 5_000;

function useHomeNews(): void {
  const queries = useQueryClient();
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isBehind = useRef(false);
  const refresh = () => {
    isBehind.current = false;
    void queries.invalidateQueries({ queryKey: ['records'] });
    rest.current = setTimeout(() => {
      rest.current = undefined;
      if (isBehind.current) refresh();
    }, pauseMs);
  };
  useNews(() => {
    if (rest.current === undefined) refresh();
    else isBehind.current = true;
  });
  useEffect(() => () => clearTimeout(rest.current), []);
}
