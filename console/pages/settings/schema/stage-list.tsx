// The stages of a pipeline in their order, each as the phase that it is, with its probability. One that records are in is not
// deleted: they are shown, so that they can be moved.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AssociationType, ObjectType } from '../../../../client/main.ts';
import { api } from '../../../data/api.ts';
import type { Row } from '../../../data/paged-rows.ts';
import type { TypeDetail } from '../../../data/schema.ts';
import { titleOf } from '../../../data/schema.ts';
import { type PlacedStage, stagesQuery } from '../../../data/stages.ts';
import { Button } from '../../../parts/button.tsx';
import { Bars } from '../../../parts/loading.tsx';
import { StageMark } from '../../../parts/stage-mark.tsx';
import { exactPercentText } from '../../../text/locale.ts';
import { schemaTexts } from '../../../text/schema-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { CheckedDialog } from '../parts/checked-dialog.tsx';
import { OrderedList } from '../parts/ordered-list.tsx';
import { placed } from '../parts/placed.ts';
import { useWrite } from '../parts/platform.ts';
import { RecordsInTheWay } from '../parts/records-in-the-way.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { PipelineForm } from './pipeline-form.tsx';

interface Props {
  /** The type whose records go through the stages, and the association that says in which they are. */
  readonly type: ObjectType;
  readonly link: AssociationType;
  readonly stageType: TypeDetail;
  readonly pipeline: { readonly row: Row; readonly link: string; readonly type: TypeDetail } | undefined;
}

interface Open {
  readonly kind: 'new' | 'edit' | 'delete';
  readonly stage?: PlacedStage;
}

export function StageList({ type, link, stageType, pipeline }: Props) {
  const { data: all, isPending } = useQuery(stagesQuery(stageType));
  const { data: rows = [] } = useQuery(rowsQuery(stageType));
  const write = useWrite();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  if (isPending || all === undefined) return <Bars count={3} />;
  const stages = all.filter(({ pipelineId }) => pipeline === undefined || pipelineId === pipeline.row.id);
  const writable = stageType.writable_operations;
  const rowOf = (stage: PlacedStage | undefined) => rows.find(({ id }) => id === stage?.id);
  const order = async (ids: readonly string[]) => {
    await write(() => api.batch(placed(stageType.name, ids, rows), { atomic: true }), settingsTexts.orderSaved);
  };
  const mayOrder = writable.includes('update') && stageType.byName.get('svc_position')?.read_only === false;
  const name = pipeline === undefined ? type.plural_label : titleOf(pipeline.type, pipeline.row.properties);
  const mayAdd = writable.includes('create') && (pipeline === undefined || writable.includes('associate'));
  return (
    <>
      {stages.length === 0 && <p className="quiet pipeline-none">{schemaTexts.noStages}</p>}
      <OrderedList
        label={schemaTexts.stagesOf(name)}
        entries={stages.map((stage) => ({ id: stage.id, title: stage.name, stage }))}
        onOrder={mayOrder ? order : undefined}
      >
        {({ stage }) => (
          <>
            <StageMark stage={stage} share={stage.share} />
            <span className="ordered-title one-line">{stage.name}</span>
            <span className="stage-closed">
              {stage.isClosed && <span className="tag">{schemaTexts.closedStage}</span>}
            </span>
            <span className="stage-probability figures">
              {stage.probability !== undefined && exactPercentText(stage.probability)}
            </span>
            <RowMenu
              title={stage.name}
              actions={[
                ...(writable.includes('update')
                  ? [
                      {
                        label: settingsTexts.edit,
                        icon: 'edit',
                        onChoose: () => setOpen({ kind: 'edit', stage }),
                      } as const,
                    ]
                  : []),
                ...(writable.includes('delete')
                  ? [
                      {
                        label: settingsTexts.delete,
                        icon: 'trash',
                        look: 'danger',
                        onChoose: () => setOpen({ kind: 'delete', stage }),
                      } as const,
                    ]
                  : []),
              ]}
            />
          </>
        )}
      </OrderedList>
      {mayAdd && (
        <Button
          look="quiet"
          icon="plus"
          className="pipeline-add"
          aria-label={schemaTexts.addStageTo(name)}
          onClick={() => setOpen({ kind: 'new' })}
        >
          {schemaTexts.newStage}
        </Button>
      )}
      {open?.kind === 'new' && (
        <PipelineForm
          type={stageType}
          title={schemaTexts.newStage}
          others={rows.filter(({ id }) => stages.some((stage) => stage.id === id))}
          links={pipeline === undefined ? [] : [{ association_type: pipeline.link, target_id: pipeline.row.id }]}
          onClose={close}
        />
      )}
      {open?.kind === 'edit' && <EditStage stageType={stageType} row={rowOf(open.stage)} onClose={close} />}
      {open?.kind === 'delete' && open.stage !== undefined && (
        <DeleteStage type={type} link={link} stageType={stageType} stage={open.stage} onClose={close} />
      )}
    </>
  );
}

/** The stages as records, with all their values. */
function rowsQuery(stageType: TypeDetail) {
  return {
    queryKey: ['records', stageType.name, 'stage-rows'],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.records(stageType.name).query({ limit: 500 }, { signal }).toArray(500) as Promise<Row[]>,
  };
}

function EditStage({
  stageType,
  row,
  onClose,
}: {
  readonly stageType: TypeDetail;
  readonly row: Row | undefined;
  readonly onClose: () => void;
}) {
  return row === undefined ? null : <PipelineForm type={stageType} pipeline={row} onClose={onClose} />;
}

function DeleteStage({
  type,
  link,
  stageType,
  stage,
  onClose,
}: Omit<Props, 'pipeline'> & { readonly stage: PlacedStage; readonly onClose: () => void }) {
  const write = useWrite();
  const records = api.records(stageType.name);
  return (
    <CheckedDialog
      title={settingsTexts.deleteTitle(stage.name)}
      text={() => settingsTexts.toTrash}
      confirm={settingsTexts.delete}
      check={() => records.delete(stage.id, { dryRun: true })}
      run={() => write(() => records.delete(stage.id), settingsTexts.deletedTitle(stage.name))}
      wayOf={(reason) =>
        reason === 'stage_in_use' ? (
          <RecordsInTheWay
            type={type.name}
            condition={{ association: link.name, operator: 'exists', target_id: stage.id }}
          >
            {settingsTexts.ways.stage_in_use}
          </RecordsInTheWay>
        ) : undefined
      }
      onClose={onClose}
    />
  );
}
