// The board of a type with a stage association: a column for each stage. Cards are moved by dragging, by keyboard or by menu;
// a card that was moved elsewhere moves here.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { AssociationType } from '../../../client/main.ts';
import '../../style/board.css';
import { type News, useNews } from '../../data/live.ts';
import { literal } from '../../data/request-text.ts';
import { stageLinksOf, type TypeDetail, titleOf, useMaybeType, useType } from '../../data/schema.ts';
import { type PlacedStage, pipelinesOf, stagesQuery } from '../../data/stages.ts';
import { useView } from '../../data/use-view.ts';
import { Choice } from '../../parts/choice.tsx';
import { CreateDialog } from '../../parts/create-dialog.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { Bars } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StageMark } from '../../parts/stage-mark.tsx';
import { numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { usePipeline, useStageLink } from './board-choices.ts';
import { type BoardColumn, type ColumnFigures, columnsOfBoard, figuresQuery, withOthers } from './board-data.ts';
import { Column } from './column.tsx';
import { MoveBar } from './move-bar.tsx';
import { forgetPlaces } from './slide.ts';
import { type Move, useMoves } from './use-moves.ts';

export default function BoardPage({ type: name }: { readonly type: string }) {
  const type = useType(name);
  const links = stageLinksOf(type);
  const [link, chooseLink] = useStageLink(links);
  const stageType = useMaybeType(link?.target_type);
  const { data: stages } = useQuery({ ...stagesQuery(stageType), enabled: stageType !== undefined });
  if (link === undefined) return <p className="note-box">{texts.noBoard(type.plural_label)}</p>;
  if (stageType === undefined || stages === undefined) return <Bars />;
  return <Board key={link.name} type={type} links={links} link={link} stages={stages} onLink={chooseLink} />;
}

interface Props {
  readonly type: TypeDetail;
  readonly links: readonly AssociationType[];
  readonly link: AssociationType;
  readonly stages: readonly PlacedStage[];
  readonly onLink: (name: string) => void;
}

function Board({ type, links, link, stages, onLink }: Props) {
  const [view, changeView] = useView();
  const [pipelineId, choosePipeline] = usePipeline(stages);
  const [isCreating, setCreating] = useState<string>();
  const [carried, setCarried] = useState<Move>();
  const [inFront, setInFront] = useState<string>();
  const { moves, move } = useMoves(type, link);
  const queries = useQueryClient();
  const columns = useMemo(
    () => columnsOfBoard(link, stages, pipelineId, { none: texts.noStage, other: texts.otherStages }),
    [link, stages, pipelineId],
  );
  const figures = figuresQuery(type, link, view);
  const counted = withOthers(useQuery(figures).data, columns);
  useBoardNews(type, link);
  useEffect(() => forgetPlaces, []);
  const targets = columns.filter(({ stage }) => stage !== undefined);
  const current = columns.some(({ id }) => id === inFront) ? inFront : targets[0]?.id;
  const mayMove = link.writable && type.writable_operations.includes('associate');
  return (
    <div className="page">
      <PageHead
        type={type}
        current="board"
        request={{
          method: 'POST',
          path: `/objects/${type.name}/records/aggregate/`,
          body: figures.question,
          code: `const groups = await client.records(${JSON.stringify(type.name)}).aggregate(${literal(figures.question)}).toArray(1_000);`,
        }}
        onCreate={() => setCreating(targets.some(({ id }) => id === current) ? current : 'none')}
      />
      <div className="toolbar">
        <Choice
          label={texts.stageTitle}
          choices={links.map(({ name, label }) => [name, label])}
          current={link.name}
          onChoose={onLink}
        />
        <Choice label={texts.pipeline} choices={pipelinesOf(stages)} current={pipelineId} onChoose={choosePipeline} />
        <FilterBar type={type} view={view} onChange={changeView} />
      </div>
      <StageTabs
        columns={columns.filter(({ id, stage }) => stage !== undefined || counted?.has(id) === true)}
        figures={counted}
        current={current}
        onChoose={setInFront}
      />
      {stages.length === 0 && <p className="note-box">{texts.noStages}</p>}
      <div className="board">
        {columns.map((column) => (
          <Column
            key={column.id}
            type={type}
            link={link}
            view={view}
            column={column}
            isInFront={column.id === current}
            figures={counted?.get(column.id)}
            targets={targets}
            moves={moves}
            carried={carried}
            mayMove={mayMove}
            onMove={move}
            onCarry={setCarried}
            onCreate={() => setCreating(column.id)}
          />
        ))}
      </div>
      {carried !== undefined && (
        <MoveBar
          title={titleOf(type, carried.row.properties) || texts.noName}
          target={targets.find(({ id }) => id === carried.to)?.name ?? ''}
        />
      )}
      {isCreating !== undefined && (
        <CreateDialog
          type={type}
          links={isCreating === 'none' ? [] : [{ association_type: link.name, target_id: isCreating }]}
          onClose={() => setCreating(undefined)}
          onCreated={() => void queries.invalidateQueries({ queryKey: ['records', type.name] })}
        />
      )}
    </div>
  );
}

/** On a narrow screen one stage is shown at a time. */
function StageTabs({
  columns,
  figures,
  current,
  onChoose,
}: {
  readonly columns: readonly BoardColumn[];
  readonly figures: ReadonlyMap<string, ColumnFigures> | undefined;
  readonly current: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <div className="stage-tabs">
      {columns.map(({ id, name, stage }) => (
        <button
          key={id}
          type="button"
          className="stage-tab"
          aria-pressed={id === current}
          onClick={(event) => {
            onChoose(id);
            event.currentTarget.scrollIntoView({ inline: 'center', block: 'nearest' });
          }}
        >
          {stage !== undefined && <StageMark stage={stage} share={stage.share} />}
          {name}
          <span className="quiet figures">{numberText(figures?.get(id)?.count ?? '0')}</span>
        </button>
      ))}
    </div>
  );
}

function useBoardNews(type: TypeDetail, link: AssociationType): void {
  const queries = useQueryClient();
  useNews((news: News) => {
    const isAbout = news === 'all' || news.some(({ object_type: changed }) => changed === type.name);
    if (isAbout) void queries.invalidateQueries({ queryKey: ['records', type.name] });
    const isStage = news === 'all' || news.some(({ object_type: changed }) => changed === link.target_type);
    if (isStage) void queries.invalidateQueries({ queryKey: ['records', link.target_type] });
  });
}
